/*
 * The radio for Wi-Fi (wifi-core.h on wifi-driver.h) as a class of XS (wifi.ts). What happens reaches JavaScript as
 * `onWiFi(kind, value)` of the target that the constructor got; each is a call of its own into the machine.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "esp_mac.h"

#include "ipv4-face.h"
#include "machine-post.h"
#include "wifi-core.h"
#include "wifi-events.h"
#include "wifi-name.h"

typedef struct {
	xsMachine *the;
	xsSlot target;
	wifi_events events;
	/* The object's own, and one for the delivery under way. */
	atomic_uint references;
	/* Read and written in the machine's thread alone, and so is all that follows. */
	bool closed;
	wifi_core core;
} wifi_face;

static void release(wifi_face *face)
{
	if (atomic_fetch_sub(&face->references, 1) != 1) return;
	wifi_events_close(&face->events);
	free(face);
}

static void tell(wifi_face *face)
{
	while (!face->closed && wifi_core_has_notice(&face->core)) {
		wifi_notice notice = wifi_core_next(&face->core);
		xsBeginHost(face->the);
		xsmcVars(2);
		xsmcSetInteger(xsVar(0), notice.kind);
		xsmcSetInteger(xsVar(1), (xsIntegerValue)notice.value);
		xsCall2(face->target, xsID_onWiFi, xsVar(0), xsVar(1));
		xsEndHost(face->the);
	}
}

static void deliver(void *context)
{
	wifi_face *face = context;
	radio_event event;
	do {
		while (!face->closed && wifi_events_pop(&face->events, &event)) {
			wifi_core_event(&face->core, &event);
			tell(face);
		}
		tell(face);
	} while (!face->closed && !wifi_events_rest(&face->events));
	release(face);
}

/* In any thread. */
static void notify(void *context, const radio_event *event)
{
	wifi_face *face = context;
	if (!wifi_events_push(&face->events, event)) return;
	atomic_fetch_add(&face->references, 1);
	machine_post(face->the, deliver, face);
}

/* What a call has left to tell is told after it. */
static void tell_soon(wifi_face *face)
{
	static const radio_event nudge = { .kind = RADIO_NUDGE };
	if (wifi_core_has_notice(&face->core)) notify(face, &nudge);
}

static void shut(wifi_face *face)
{
	if (face->closed) return;
	face->closed = true;
	radio_driver_close();
}

void xs_wifi_destructor(void *data)
{
	if (!data) return;
	shut(data);
	release(data);
}

/* (target, country) */
void xs_wifi(xsMachine *the)
{
	const char *country = xsmcToString(xsArg(1));
	wifi_face *face = calloc(1, sizeof(wifi_face));
	if (!face) xsUnknownError("out of memory");
	face->the = the;
	atomic_init(&face->references, 1);
	wifi_events_open(&face->events);
	if (!radio_driver_open(country, notify, face)) {
		release(face);
		xsUnknownError("the radio for Wi-Fi does not start");
	}
	face->target = xsArg(0);
	xsRemember(face->target);
	xsmcSetHostData(xsThis, face);
}

/* For a call that decides something: it knows what has happened until now. */
static wifi_face *face_of(xsMachine *the)
{
	wifi_face *face = xsmcGetHostData(xsThis);
	radio_event event;
	if (face->closed) xsUnknownError("the radio is closed");
	while (wifi_events_pop(&face->events, &event)) wifi_core_event(&face->core, &event);
	tell_soon(face);
	return face;
}

/* Arguments `first` and the next one: SSID and password. */
static void get_credentials(xsMachine *the, xsIntegerValue first, radio_credentials *credentials)
{
	const char *ssid = xsmcToString(xsArg(first)), *password = xsmcToString(xsArg(first + 1));
	size_t length = strlen(ssid), password_length = strlen(password);
	if (length < 1 || length > RADIO_SSID_LIMIT) xsRangeError("an SSID has 1 to 32 bytes");
	if (password_length > RADIO_PASSWORD_LIMIT || (password_length > 0 && password_length < RADIO_PASSWORD_MINIMUM))
		xsRangeError("a password has 8 to 63 bytes");
	memset(credentials, 0, sizeof(*credentials));
	memcpy(credentials->ssid, ssid, length);
	memcpy(credentials->password, password, password_length);
	credentials->ssid_length = (uint8_t)length;
}

/* (ssid, password, bssid, channel, hostname, ip, netmask, gateway, dns): whether another network is to be left first. */
void xs_wifi_connect(xsMachine *the)
{
	wifi_face *face = face_of(the);
	radio_station station = { .channel = (uint8_t)xsmcToInteger(xsArg(3)) };
	get_credentials(the, 0, &station.credentials);
	if (!wifi_mac_parse(xsmcToString(xsArg(2)), station.bssid)) xsRangeError("not a BSSID");
	if (strlen(xsmcToString(xsArg(4))) > RADIO_HOSTNAME_LIMIT) xsRangeError("the host name is too long");
	strncpy(station.hostname, xsmcToString(xsArg(4)), RADIO_HOSTNAME_LIMIT);
	station.address = (radio_address){ ipv4_argument(the, 5), ipv4_argument(the, 6), ipv4_argument(the, 7) };
	station.dns = ipv4_argument(the, 8);
	xsmcSetBoolean(xsResult, wifi_core_connect(&face->core, &station));
	tell_soon(face);
}

/* Whether the network is still to be left. */
void xs_wifi_disconnect(xsMachine *the)
{
	wifi_face *face = face_of(the);
	xsmcSetBoolean(xsResult, wifi_core_disconnect(&face->core));
	tell_soon(face);
}

void xs_wifi_leave_overdue(xsMachine *the)
{
	wifi_face *face = face_of(the);
	wifi_core_leave_overdue(&face->core);
	tell_soon(face);
}

/* (ssid, password): whether it is on. */
void xs_wifi_start_access_point(xsMachine *the)
{
	wifi_face *face = face_of(the);
	radio_credentials credentials;
	get_credentials(the, 0, &credentials);
	if (!credentials.password[0]) xsRangeError("an access point has a password");
	xsmcSetBoolean(xsResult, wifi_core_start_access_point(&face->core, &credentials));
}

void xs_wifi_stop_access_point(xsMachine *the)
{
	wifi_core_stop_access_point(&face_of(the)->core);
}

/* Whether it has begun. */
void xs_wifi_scan(xsMachine *the)
{
	wifi_face *face = face_of(the);
	xsmcSetBoolean(xsResult, wifi_core_scan(&face->core));
	tell_soon(face);
}

/* Makes the result an object with what a ScannedNetwork has; needs a variable. */
static void set_network(xsMachine *the, const radio_network *network)
{
	char name[WIFI_NAME_SIZE], bssid[WIFI_MAC_TEXT_SIZE];
	wifi_name_write(network->ssid, network->ssid_length, name);
	wifi_mac_write(network->bssid, bssid);
	xsmcSetNewObject(xsResult);
	xsmcSetString(xsVar(0), name);
	xsmcSet(xsResult, xsID_ssid, xsVar(0));
	xsmcSetString(xsVar(0), bssid);
	xsmcSet(xsResult, xsID_bssid, xsVar(0));
	xsmcSetInteger(xsVar(0), network->rssi);
	xsmcSet(xsResult, xsID_rssi, xsVar(0));
	xsmcSetInteger(xsVar(0), network->channel);
	xsmcSet(xsResult, xsID_channel, xsVar(0));
	xsmcSetInteger(xsVar(0), network->authmode);
	xsmcSet(xsResult, xsID_authmode, xsVar(0));
}

/* (index): network `index` of the last scan, or undefined. */
void xs_wifi_scanned(xsMachine *the)
{
	wifi_face *face = face_of(the);
	xsIntegerValue index = xsmcToInteger(xsArg(0));
	xsmcVars(1);
	if (index >= 0 && (unsigned)index < face->core.network_count) set_network(the, &face->core.networks[index]);
}

/* What a StationStatus has, or undefined. */
void xs_wifi_get_station(xsMachine *the)
{
	wifi_face *face = xsmcGetHostData(xsThis);
	radio_network network;
	xsmcVars(1);
	if (face->closed || face->core.link != WIFI_ONLINE || !radio_driver_get_network(&network)) return;
	set_network(the, &network);
	ipv4_property(the, xsID_ip, face->core.address.ip);
	ipv4_property(the, xsID_netmask, face->core.address.netmask);
	ipv4_property(the, xsID_gateway, face->core.address.gateway);
}

/* Channel of station and access point; 0: the radio is off. */
void xs_wifi_get_channel(xsMachine *the)
{
	wifi_face *face = xsmcGetHostData(xsThis);
	xsmcSetInteger(xsResult, face->closed ? 0 : (xsIntegerValue)radio_driver_get_channel());
}

/* (on) */
void xs_wifi_set_power_save(xsMachine *the)
{
	face_of(the);
	radio_driver_set_power_save(xsmcToBoolean(xsArg(0)));
}

void xs_wifi_close(xsMachine *the)
{
	wifi_face *face = xsmcGetHostData(xsThis);
	if (face->closed) return;
	shut(face);
	xsForget(face->target);
}

/* MAC address of the station, 12 hex characters; it needs no radio. */
void xs_wifi_mac(xsMachine *the)
{
	uint8_t mac[RADIO_MAC_SIZE] = { 0 };
	char text[WIFI_MAC_TEXT_SIZE];
	esp_read_mac(mac, ESP_MAC_WIFI_STA);
	wifi_mac_write(mac, text);
	xsmcSetString(xsResult, text);
}
