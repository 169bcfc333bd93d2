/* ESP-IDF's objects are created by the first start and deleted by stop, so a port that is off uses no memory. */
#include "ethernet-driver.h"

#include <string.h>

#include "esp_eth_driver.h"
#include "esp_eth_netif_glue.h"
#include "esp_event.h"
#include "esp_mac.h"
#include "esp_netif.h"
#include "esp_netif_defaults.h"
#include "esp_system.h"

#include "ethernet-port.h"

/*
 * Route priority of the port. It is higher than the priority of the Wi-Fi station (100), so traffic to other networks
 * uses the cable if both are connected.
 */
enum { ROUTE_PRIORITY = 110 };

static const int32_t LINK_EVENTS[] = { ETHERNET_EVENT_CONNECTED, ETHERNET_EVENT_DISCONNECTED };
static const int32_t IP_EVENTS[] = { IP_EVENT_ETH_GOT_IP, IP_EVENT_ETH_LOST_IP };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct {
	bool open;
	ethernet_pins pins;
	void (*notify)(void *context, const ethernet_event *event);
	void *context;
	bool has_shutdown;
	/* ESP-IDF's objects in the order of their creation. All are NULL while the port is off. */
	esp_netif_t *interface;
	ethernet_parts parts;
	esp_eth_handle_t driver;
	esp_eth_netif_glue_handle_t glue;
	bool runs;
} port;

static void on_link(void *context, esp_event_base_t base, int32_t id, void *data)
{
	ethernet_event event = { .kind = ETHERNET_LINK_LOST };
	eth_speed_t speed = ETH_SPEED_10M;
	(void)context;
	(void)base;
	(void)data;
	if (id == ETHERNET_EVENT_CONNECTED) {
		event.kind = ETHERNET_LINK_UP;
		esp_eth_ioctl(port.driver, ETH_CMD_G_SPEED, &speed);
		event.speed = speed == ETH_SPEED_100M ? 100 : 10;
	}
	port.notify(port.context, &event);
}

/* Reports the present address instead of the event's address, because settings may have changed since the event. */
static void on_ip(void *context, esp_event_base_t base, int32_t id, void *data)
{
	ethernet_event event = { .kind = ETHERNET_ADDRESS_LOST };
	esp_netif_ip_info_t info = { 0 };
	(void)context;
	(void)base;
	(void)id;
	(void)data;
	esp_netif_get_ip_info(port.interface, &info);
	if (info.ip.addr != 0) {
		event.kind = ETHERNET_ADDRESSED;
		event.address = (ethernet_address){ info.ip.addr, info.netmask.addr, info.gw.addr };
	}
	port.notify(port.context, &event);
}

static void stop_listening(void)
{
	for (unsigned i = 0; i < COUNT(LINK_EVENTS); i++) esp_event_handler_unregister(ETH_EVENT, LINK_EVENTS[i], on_link);
	for (unsigned i = 0; i < COUNT(IP_EVENTS); i++) esp_event_handler_unregister(IP_EVENT, IP_EVENTS[i], on_ip);
}

/*
 * Registers the event handlers. ESP-IDF's own handlers run first, so an interface that has lost its link has no address
 * any more when ours run.
 */
static bool listen(void)
{
	bool done = true;
	for (unsigned i = 0; i < COUNT(LINK_EVENTS) && done; i++)
		done = esp_event_handler_register(ETH_EVENT, LINK_EVENTS[i], on_link, NULL) == ESP_OK;
	for (unsigned i = 0; i < COUNT(IP_EVENTS) && done; i++)
		done = esp_event_handler_register(IP_EVENT, IP_EVENTS[i], on_ip, NULL) == ESP_OK;
	return done;
}

/* Turns the PHY off. GPIO 0 must have no clock while the chip boots. */
static void shut_down(void)
{
	if (port.driver) ethernet_port_power_off(&port.pins);
}

bool ethernet_driver_open(const ethernet_pins *pins, void (*notify)(void *context, const ethernet_event *event),
			  void *context)
{
	if (port.open) return false;
	port.pins = *pins;
	port.notify = notify;
	port.context = context;
	port.open = true;
	return true;
}

static bool make_interface(void)
{
	esp_netif_inherent_config_t base = ESP_NETIF_INHERENT_DEFAULT_ETH();
	const esp_netif_config_t config = { .base = &base, .stack = ESP_NETIF_NETSTACK_DEFAULT_ETH };
	base.route_prio = ROUTE_PRIORITY;
	esp_err_t loop = esp_netif_init() == ESP_OK ? esp_event_loop_create_default() : ESP_FAIL;
	if (loop != ESP_OK && loop != ESP_ERR_INVALID_STATE) return false;
	port.interface = esp_netif_new(&config);
	return port.interface != NULL;
}

/* Gives the port the chip's MAC address, because a W5500 has none and an emulator has its own. */
static bool set_mac(void)
{
	uint8_t mac[ETHERNET_MAC_SIZE];
	return esp_read_mac(mac, ESP_MAC_ETH) == ESP_OK && esp_eth_ioctl(port.driver, ETH_CMD_S_MAC_ADDR, mac) == ESP_OK;
}

static bool install(void)
{
	if (!ethernet_port_make(&port.pins, &port.parts)) return false;
	const esp_eth_config_t config = ETH_DEFAULT_CONFIG(port.parts.mac, port.parts.phy);
	if (esp_eth_driver_install(&config, &port.driver) != ESP_OK) {
		port.driver = NULL;
		return false;
	}
	if (!set_mac()) return false;
	port.glue = esp_eth_new_netif_glue(port.driver);
	return port.glue && esp_netif_attach(port.interface, port.glue) == ESP_OK && listen();
}

static void remove_all(void)
{
	stop_listening();
	if (port.runs) esp_eth_stop(port.driver);
	if (port.glue) esp_eth_del_netif_glue(port.glue);
	if (port.driver) esp_eth_driver_uninstall(port.driver);
	if (port.parts.phy) port.parts.phy->del(port.parts.phy);
	if (port.parts.mac) port.parts.mac->del(port.parts.mac);
	if (port.interface) esp_netif_destroy(port.interface);
	ethernet_port_end(&port.pins);
	port.runs = false;
	port.glue = NULL;
	port.driver = NULL;
	port.parts = (ethernet_parts){ NULL, NULL };
	port.interface = NULL;
}

/* Sets host name and address. DHCP stops first, so that the address is requested again with the new host name. */
static bool configure(const ethernet_settings *settings)
{
	const esp_netif_ip_info_t info = {
		.ip.addr = settings->address.ip,
		.netmask.addr = settings->address.netmask,
		.gw.addr = settings->address.gateway,
	};
	esp_netif_dns_info_t dns = { .ip.type = ESP_IPADDR_TYPE_V4, .ip.u_addr.ip4.addr = settings->dns };
	if (esp_netif_set_hostname(port.interface, settings->hostname) != ESP_OK) return false;
	/* This call fails if DHCP is already stopped. That is harmless. */
	esp_netif_dhcpc_stop(port.interface);
	if (settings->address.ip == 0) return esp_netif_dhcpc_start(port.interface) == ESP_OK;
	return esp_netif_set_ip_info(port.interface, &info) == ESP_OK &&
	       esp_netif_set_dns_info(port.interface, ESP_NETIF_DNS_MAIN, &dns) == ESP_OK;
}

static bool run(void)
{
	if (port.runs) return true;
	if (!port.has_shutdown) port.has_shutdown = esp_register_shutdown_handler(shut_down) == ESP_OK;
	/* This is set before the start, so that the caller can stop a start that failed halfway. */
	port.runs = true;
	return esp_eth_start(port.driver) == ESP_OK;
}

bool ethernet_driver_start(const ethernet_settings *settings)
{
	if (!port.open) return false;
	bool made = port.glue || (make_interface() && install());
	if (made && configure(settings) && run()) return true;
	remove_all();
	return false;
}

void ethernet_driver_stop(void)
{
	if (port.interface) remove_all();
}

void ethernet_driver_close(void)
{
	ethernet_driver_stop();
	port.open = false;
}
