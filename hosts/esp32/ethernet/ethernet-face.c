/*
 * The Ethernet port (ethernet-core.h on ethernet-driver.h) as a class of XS (../ethernet.ts). That something has changed
 * reaches JavaScript as `onEthernet()` of the target that the constructor got, a call of its own into the machine.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "esp_mac.h"

#include "ethernet-core.h"
#include "ipv4-face.h"
#include "machine-post.h"

typedef struct {
	xsMachine *the;
	xsSlot target;
	ethernet_core core;
	/* The object's own, and one for the delivery under way. */
	atomic_uint references;
	/* Read and written in the machine's thread alone. */
	bool closed;
} ethernet_face;

static void release(ethernet_face *face)
{
	if (atomic_fetch_sub(&face->references, 1) != 1) return;
	ethernet_core_close(&face->core);
	free(face);
}

static void deliver(void *context)
{
	ethernet_face *face = context;
	while (!face->closed && ethernet_core_tells(&face->core)) {
		xsBeginHost(face->the);
		xsCall0(face->target, xsID_onEthernet);
		xsEndHost(face->the);
	}
	release(face);
}

/* In any thread. */
static void tell_soon(ethernet_face *face)
{
	if (!ethernet_core_posts(&face->core)) return;
	atomic_fetch_add(&face->references, 1);
	machine_post(face->the, deliver, face);
}

/* In any thread. */
static void notify(void *context, const ethernet_event *event)
{
	ethernet_face *face = context;
	ethernet_core_event(&face->core, event);
	tell_soon(face);
}

static void shut(ethernet_face *face)
{
	if (face->closed) return;
	face->closed = true;
	ethernet_driver_close();
}

void xs_ethernet_destructor(void *data)
{
	if (!data) return;
	shut(data);
	release(data);
}

/* (target, 6 GPIOs): of what is not there -1. */
void xs_ethernet(xsMachine *the)
{
	ethernet_pins pins;
	for (xsIntegerValue i = 0; i < ETHERNET_PIN_LIMIT; i++) pins.pins[i] = (int)xsmcToInteger(xsArg(i + 1));
	ethernet_face *face = calloc(1, sizeof(ethernet_face));
	if (!face) xsUnknownError("out of memory");
	face->the = the;
	atomic_init(&face->references, 1);
	ethernet_core_open(&face->core);
	if (!ethernet_driver_open(&pins, notify, face)) {
		release(face);
		xsUnknownError("the Ethernet port is in use");
	}
	face->target = xsArg(0);
	xsRemember(face->target);
	xsmcSetHostData(xsThis, face);
}

static ethernet_face *face_of(xsMachine *the)
{
	ethernet_face *face = xsmcGetHostData(xsThis);
	if (face->closed) xsUnknownError("the Ethernet port is closed");
	return face;
}

/* (hostname, ip, netmask, gateway, dns): whether the port is on. */
void xs_ethernet_start(xsMachine *the)
{
	ethernet_face *face = face_of(the);
	ethernet_settings settings = { .dns = ipv4_argument(the, 4) };
	settings.address = (ethernet_address){ ipv4_argument(the, 1), ipv4_argument(the, 2), ipv4_argument(the, 3) };
	if (strlen(xsmcToString(xsArg(0))) > ETHERNET_HOSTNAME_LIMIT) xsRangeError("the host name is too long");
	strncpy(settings.hostname, xsmcToString(xsArg(0)), ETHERNET_HOSTNAME_LIMIT);
	xsmcSetBoolean(xsResult, ethernet_core_start(&face->core, &settings));
	tell_soon(face);
}

void xs_ethernet_stop(xsMachine *the)
{
	ethernet_face *face = face_of(the);
	ethernet_core_stop(&face->core);
	tell_soon(face);
}

/* Mbit/s; 0: there is no link. */
void xs_ethernet_get_speed(xsMachine *the)
{
	ethernet_face *face = xsmcGetHostData(xsThis);
	xsmcSetInteger(xsResult, face->closed ? 0 : (xsIntegerValue)ethernet_core_now(&face->core).speed);
}

/* What an EthernetAddress has, or undefined. */
void xs_ethernet_get_address(xsMachine *the)
{
	ethernet_face *face = xsmcGetHostData(xsThis);
	xsmcVars(1);
	if (face->closed) return;
	ethernet_address address = ethernet_core_now(&face->core).address;
	if (address.ip == 0) return;
	xsmcSetNewObject(xsResult);
	ipv4_property(the, xsID_ip, address.ip);
	ipv4_property(the, xsID_netmask, address.netmask);
	ipv4_property(the, xsID_gateway, address.gateway);
}

void xs_ethernet_close(xsMachine *the)
{
	ethernet_face *face = xsmcGetHostData(xsThis);
	if (face->closed) return;
	shut(face);
	xsForget(face->target);
}

/* 12 hex characters; there is no port needed for it. */
void xs_ethernet_mac(xsMachine *the)
{
	uint8_t mac[ETHERNET_MAC_SIZE] = { 0 };
	char text[2 * ETHERNET_MAC_SIZE + 1];
	esp_read_mac(mac, ESP_MAC_ETH);
	for (int i = 0; i < ETHERNET_MAC_SIZE; i++) snprintf(text + 2 * i, 3, "%02x", mac[i]);
	xsmcSetString(xsResult, text);
}
