/* Each change reaches JavaScript as a separate call `onEthernet()` of the target that the constructor received. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "esp_mac.h"

#include "ethernet-core.h"
#include "ipv4-xs.h"
#include "machine-post.h"

typedef struct {
	xsMachine *the;
	xsSlot target;
	ethernet_core core;
	/* Number of references: one for the object, and one for a delivery under way. */
	atomic_uint references;
	/* True after the object was closed. Only used in the machine's thread. */
	bool closed;
} ethernet_binding;

static void release(ethernet_binding *binding)
{
	if (atomic_fetch_sub(&binding->references, 1) != 1) return;
	ethernet_core_close(&binding->core);
	free(binding);
}

static void deliver(void *context)
{
	ethernet_binding *binding = context;
	while (!binding->closed && ethernet_core_must_report(&binding->core)) {
		xsBeginHost(binding->the);
		xsCall0(binding->target, xsID_onEthernet);
		xsEndHost(binding->the);
	}
	release(binding);
}

/* Posts a delivery if needed. May be called in any thread. */
static void notify_soon(ethernet_binding *binding)
{
	if (!ethernet_core_must_post(&binding->core)) return;
	atomic_fetch_add(&binding->references, 1);
	machine_post(binding->the, deliver, binding);
}

/* The driver calls this in any thread. */
static void notify(void *context, const ethernet_event *event)
{
	ethernet_binding *binding = context;
	ethernet_core_event(&binding->core, event);
	notify_soon(binding);
}

static void shut(ethernet_binding *binding)
{
	if (binding->closed) return;
	binding->closed = true;
	ethernet_driver_close();
}

void xs_ethernet_destructor(void *data)
{
	if (!data) return;
	shut(data);
	release(data);
}

/* Arguments: target, 6 GPIOs. A missing pin is -1. */
void xs_ethernet(xsMachine *the)
{
	ethernet_pins pins;
	for (xsIntegerValue i = 0; i < ETHERNET_PIN_LIMIT; i++) pins.pins[i] = (int)xsmcToInteger(xsArg(i + 1));
	ethernet_binding *binding = calloc(1, sizeof(ethernet_binding));
	if (!binding) xsUnknownError("out of memory");
	binding->the = the;
	atomic_init(&binding->references, 1);
	ethernet_core_open(&binding->core);
	if (!ethernet_driver_open(&pins, notify, binding)) {
		release(binding);
		xsUnknownError("the Ethernet port is in use");
	}
	binding->target = xsArg(0);
	xsRemember(binding->target);
	xsmcSetHostData(xsThis, binding);
}

static ethernet_binding *binding_of(xsMachine *the)
{
	ethernet_binding *binding = xsmcGetHostData(xsThis);
	if (binding->closed) xsUnknownError("the Ethernet port is closed");
	return binding;
}

/* Arguments: hostname, ip, netmask, gateway, dns. Returns true if the port is on. */
void xs_ethernet_start(xsMachine *the)
{
	ethernet_binding *binding = binding_of(the);
	ethernet_settings settings = { .dns = ipv4_argument(the, 4) };
	settings.address = (ethernet_address){ ipv4_argument(the, 1), ipv4_argument(the, 2), ipv4_argument(the, 3) };
	if (strlen(xsmcToString(xsArg(0))) > ETHERNET_HOSTNAME_LIMIT) xsRangeError("the host name is too long");
	strncpy(settings.hostname, xsmcToString(xsArg(0)), ETHERNET_HOSTNAME_LIMIT);
	xsmcSetBoolean(xsResult, ethernet_core_start(&binding->core, &settings));
	notify_soon(binding);
}

void xs_ethernet_stop(xsMachine *the)
{
	ethernet_binding *binding = binding_of(the);
	ethernet_core_stop(&binding->core);
	notify_soon(binding);
}

void xs_ethernet_get_speed(xsMachine *the)
{
	ethernet_binding *binding = xsmcGetHostData(xsThis);
	xsmcSetInteger(xsResult, binding->closed ? 0 : (xsIntegerValue)ethernet_core_now(&binding->core).speed);
}

void xs_ethernet_get_address(xsMachine *the)
{
	ethernet_binding *binding = xsmcGetHostData(xsThis);
	xsmcVars(1);
	if (binding->closed) return;
	ethernet_address address = ethernet_core_now(&binding->core).address;
	if (address.ip == 0) return;
	xsmcSetNewObject(xsResult);
	ipv4_property(the, xsID_ip, address.ip);
	ipv4_property(the, xsID_netmask, address.netmask);
	ipv4_property(the, xsID_gateway, address.gateway);
}

void xs_ethernet_close(xsMachine *the)
{
	ethernet_binding *binding = xsmcGetHostData(xsThis);
	if (binding->closed) return;
	shut(binding);
	xsForget(binding->target);
}

void xs_ethernet_mac(xsMachine *the)
{
	uint8_t mac[ETHERNET_MAC_SIZE] = { 0 };
	char text[2 * ETHERNET_MAC_SIZE + 1];
	esp_read_mac(mac, ESP_MAC_ETH);
	for (int i = 0; i < ETHERNET_MAC_SIZE; i++) snprintf(text + 2 * i, 3, "%02x", mac[i]);
	xsmcSetString(xsResult, text);
}
