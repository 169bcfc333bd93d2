/*
 * Each event reaches JavaScript as a separate call `onWiFi(kind, value)` of the target that the constructor received.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "esp_mac.h"

#include "ipv4-xs.h"
#include "machine-post.h"
#include "wifi-core.h"
#include "wifi-events.h"
#include "wifi-name.h"

typedef struct {
	xsMachine *the;
	xsSlot target;
	wifi_events events;
	/* Number of references: one for the object, and one for a delivery under way. */
	atomic_uint references;
	/* Only the machine's thread uses the members from here on. */
	bool closed;
	wifi_core core;
} wifi_binding;

static void release(wifi_binding *binding)
{
	if (atomic_fetch_sub(&binding->references, 1) != 1) return;
	wifi_events_close(&binding->events);
	free(binding);
}

static void deliver_notices(wifi_binding *binding)
{
	while (!binding->closed && wifi_core_has_notice(&binding->core)) {
		wifi_notice notice = wifi_core_next(&binding->core);
		xsBeginHost(binding->the);
		xsmcVars(2);
		xsmcSetInteger(xsVar(0), notice.kind);
		xsmcSetInteger(xsVar(1), (xsIntegerValue)notice.value);
		xsCall2(binding->target, xsID_onWiFi, xsVar(0), xsVar(1));
		xsEndHost(binding->the);
	}
}

static void deliver(void *context)
{
	wifi_binding *binding = context;
	radio_event event;
	do {
		while (!binding->closed && wifi_events_pop(&binding->events, &event)) {
			wifi_core_event(&binding->core, &event);
			deliver_notices(binding);
		}
		deliver_notices(binding);
	} while (!binding->closed && !wifi_events_rest(&binding->events));
	release(binding);
}

/* Runs in any thread. */
static void notify(void *context, const radio_event *event)
{
	wifi_binding *binding = context;
	if (!wifi_events_push(&binding->events, event)) return;
	atomic_fetch_add(&binding->references, 1);
	machine_post(binding->the, deliver, binding);
}

/* Posts a delivery for notices that a call from JavaScript has caused; it runs after that call. */
static void notify_soon(wifi_binding *binding)
{
	static const radio_event nudge = { .kind = RADIO_NUDGE };
	if (wifi_core_has_notice(&binding->core)) notify(binding, &nudge);
}

static void shut(wifi_binding *binding)
{
	if (binding->closed) return;
	binding->closed = true;
	radio_driver_close();
}

void xs_wifi_destructor(void *data)
{
	if (!data) return;
	shut(data);
	release(data);
}

void xs_wifi(xsMachine *the)
{
	const char *country = xsmcToString(xsArg(1));
	wifi_binding *binding = calloc(1, sizeof(wifi_binding));
	if (!binding) xsUnknownError("out of memory");
	binding->the = the;
	atomic_init(&binding->references, 1);
	wifi_events_open(&binding->events);
	if (!radio_driver_open(country, notify, binding)) {
		release(binding);
		xsUnknownError("the radio for Wi-Fi does not start");
	}
	binding->target = xsArg(0);
	xsRemember(binding->target);
	xsmcSetHostData(xsThis, binding);
}

/* Returns the binding after it has processed all pending events. Used by calls that depend on the radio's state. */
static wifi_binding *binding_of(xsMachine *the)
{
	wifi_binding *binding = xsmcGetHostData(xsThis);
	radio_event event;
	if (binding->closed) xsUnknownError("the radio is closed");
	while (wifi_events_pop(&binding->events, &event)) wifi_core_event(&binding->core, &event);
	notify_soon(binding);
	return binding;
}

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

/*
 * Arguments: ssid, password, bssid, channel, hostname, ip, netmask, gateway, dns. Returns true if another network must
 * be left first.
 */
void xs_wifi_connect(xsMachine *the)
{
	wifi_binding *binding = binding_of(the);
	radio_station station = { .channel = (uint8_t)xsmcToInteger(xsArg(3)) };
	get_credentials(the, 0, &station.credentials);
	if (!wifi_mac_parse(xsmcToString(xsArg(2)), station.bssid)) xsRangeError("not a BSSID");
	if (strlen(xsmcToString(xsArg(4))) > RADIO_HOSTNAME_LIMIT) xsRangeError("the host name is too long");
	strncpy(station.hostname, xsmcToString(xsArg(4)), RADIO_HOSTNAME_LIMIT);
	station.address = (radio_address){ ipv4_argument(the, 5), ipv4_argument(the, 6), ipv4_argument(the, 7) };
	station.dns = ipv4_argument(the, 8);
	xsmcSetBoolean(xsResult, wifi_core_connect(&binding->core, &station));
	notify_soon(binding);
}

/* Returns true if the network must still be left. */
void xs_wifi_disconnect(xsMachine *the)
{
	wifi_binding *binding = binding_of(the);
	xsmcSetBoolean(xsResult, wifi_core_disconnect(&binding->core));
	notify_soon(binding);
}

void xs_wifi_leave_overdue(xsMachine *the)
{
	wifi_binding *binding = binding_of(the);
	wifi_core_leave_overdue(&binding->core);
	notify_soon(binding);
}

void xs_wifi_start_access_point(xsMachine *the)
{
	wifi_binding *binding = binding_of(the);
	radio_credentials credentials;
	get_credentials(the, 0, &credentials);
	if (!credentials.password[0]) xsRangeError("an access point has a password");
	xsmcSetBoolean(xsResult, wifi_core_start_access_point(&binding->core, &credentials));
}

void xs_wifi_stop_access_point(xsMachine *the)
{
	wifi_core_stop_access_point(&binding_of(the)->core);
}

void xs_wifi_scan(xsMachine *the)
{
	wifi_binding *binding = binding_of(the);
	xsmcSetBoolean(xsResult, wifi_core_scan(&binding->core));
	notify_soon(binding);
}

/* Sets the result to an object for the network. The caller must have reserved a variable (xsmcVars). */
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

void xs_wifi_scanned(xsMachine *the)
{
	wifi_binding *binding = binding_of(the);
	xsIntegerValue index = xsmcToInteger(xsArg(0));
	xsmcVars(1);
	if (index >= 0 && (unsigned)index < binding->core.network_count) set_network(the, &binding->core.networks[index]);
}

void xs_wifi_get_station(xsMachine *the)
{
	wifi_binding *binding = xsmcGetHostData(xsThis);
	radio_network network;
	xsmcVars(1);
	if (binding->closed || binding->core.link != WIFI_ONLINE || !radio_driver_get_network(&network)) return;
	set_network(the, &network);
	ipv4_property(the, xsID_ip, binding->core.address.ip);
	ipv4_property(the, xsID_netmask, binding->core.address.netmask);
	ipv4_property(the, xsID_gateway, binding->core.address.gateway);
}

void xs_wifi_get_channel(xsMachine *the)
{
	wifi_binding *binding = xsmcGetHostData(xsThis);
	xsmcSetInteger(xsResult, binding->closed ? 0 : (xsIntegerValue)radio_driver_get_channel());
}

/* Argument: limit of the transmit power, quarters of a dBm. */
void xs_wifi_set_transmit_power(xsMachine *the)
{
	binding_of(the);
	radio_driver_set_transmit_power((int8_t)xsmcToInteger(xsArg(0)));
}

void xs_wifi_close(xsMachine *the)
{
	wifi_binding *binding = xsmcGetHostData(xsThis);
	if (binding->closed) return;
	shut(binding);
	xsForget(binding->target);
}

void xs_wifi_mac(xsMachine *the)
{
	uint8_t mac[RADIO_MAC_SIZE] = { 0 };
	char text[WIFI_MAC_TEXT_SIZE];
	esp_read_mac(mac, ESP_MAC_WIFI_STA);
	wifi_mac_write(mac, text);
	xsmcSetString(xsResult, text);
}
