/* Names that the build generates for a firmware's bindings. */
#ifndef MC_XS_H
#define MC_XS_H

enum {
	xsID_authmode,
	xsID_bssid,
	xsID_channel,
	xsID_gateway,
	xsID_ip,
	xsID_netmask,
	xsID_onButton,
	xsID_onEthernet,
	xsID_onUART,
	xsID_onWiFi,
	xsID_rssi,
	xsID_ssid,
};

#endif
