/* Each event reaches JavaScript as a separate call `onDatagram(failed)` of the target that the constructor received. */
#include <stdatomic.h>
#include <stdlib.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "datagram.h"
#include "ipv4.h"
#include "machine-post.h"

typedef struct {
	xsMachine *the;
	xsSlot target;
	datagram_socket *socket;
	/* Number of references: one for the object, and one for each delivery under way. */
	atomic_uint references;
	/* Only the machine's thread uses the members from here on. */
	bool closed;
	datagram_peer from;
	/* True if JavaScript was notified and has not called read since. */
	bool notified;
	bool notifying;
} datagram_binding;

static void release(datagram_binding *binding)
{
	if (atomic_fetch_sub(&binding->references, 1) == 1) free(binding);
}

static void deliver(void *context)
{
	datagram_binding *binding = context;
	if (!binding->closed) {
		binding->notified = binding->notifying = true;
		xsBeginHost(binding->the);
		xsmcVars(1);
		xsmcSetBoolean(xsVar(0), datagram_failed(binding->socket));
		xsCall1(binding->target, xsID_onDatagram, xsVar(0));
		xsEndHost(binding->the);
		binding->notifying = false;
		if (!binding->closed && !binding->notified) datagram_listen(binding->socket);
	}
	release(binding);
}

/* Posts a delivery. Runs in the socket's thread. */
static void notify(void *context)
{
	datagram_binding *binding = context;
	atomic_fetch_add(&binding->references, 1);
	machine_post(binding->the, deliver, binding);
}

static void shut(datagram_binding *binding)
{
	if (binding->closed) return;
	binding->closed = true;
	datagram_close(binding->socket);
	binding->socket = NULL;
}

void xs_datagram_destructor(void *data)
{
	if (!data) return;
	shut(data);
	release(data);
}

/* Returns the address in the argument; undefined becomes the zero address. */
static uint32_t address_of(xsMachine *the, xsIntegerValue index)
{
	uint32_t address = 0;
	if (xsmcTypeOf(xsArg(index)) == xsUndefinedType) return 0;
	if (!ipv4_parse(xsmcToString(xsArg(index)), &address)) xsRangeError("not an IPv4 address");
	return address;
}

/*
 * Arguments: target, port, group?, address?. If `address`, one of the gateway's own addresses, is given, the port
 * listens only there.
 */
void xs_datagram(xsMachine *the)
{
	char message[DATAGRAM_MESSAGE_SIZE] = "";
	datagram_options options = {
		.port = (uint16_t)xsmcToInteger(xsArg(1)),
		.group = address_of(the, 2),
		.address = address_of(the, 3),
		.notify = notify,
	};
	datagram_binding *binding = options.context = calloc(1, sizeof(datagram_binding));
	if (!binding) xsUnknownError("out of memory");
	binding->the = the;
	atomic_init(&binding->references, 1);
	binding->socket = datagram_open(&options, message);
	if (!binding->socket) {
		free(binding);
		xsUnknownError("%s", message);
	}
	binding->target = xsArg(0);
	xsRemember(binding->target);
	xsmcSetHostData(xsThis, binding);
}

static datagram_binding *binding_of(xsMachine *the)
{
	return xsmcGetHostData(xsThis);
}

void xs_datagram_get_port(xsMachine *the)
{
	datagram_binding *binding = binding_of(the);
	xsmcSetInteger(xsResult, binding->closed ? 0 : datagram_port(binding->socket));
}

void xs_datagram_get_remote_address(xsMachine *the)
{
	char text[IPV4_TEXT_SIZE];
	ipv4_write(binding_of(the)->from.address, text);
	xsmcSetString(xsResult, text);
}

void xs_datagram_get_remote_port(xsMachine *the)
{
	xsmcSetInteger(xsResult, binding_of(the)->from.port);
}

void xs_datagram_read(xsMachine *the)
{
	datagram_binding *binding = binding_of(the);
	void *into;
	xsUnsignedValue size;
	xsmcGetBufferWritable(xsArg(0), &into, &size);
	if (size < DATAGRAM_LIMIT) xsRangeError("no room for a whole datagram");
	xsmcSetInteger(xsResult, binding->closed ? -1 : datagram_read(binding->socket, into, &binding->from));
	bool late = binding->notified && !binding->notifying;
	binding->notified = false;
	if (late && !binding->closed) datagram_listen(binding->socket);
}

void xs_datagram_write(xsMachine *the)
{
	datagram_binding *binding = binding_of(the);
	datagram_peer to = { .port = (uint16_t)xsmcToInteger(xsArg(2)), .address = address_of(the, 1) };
	void *bytes;
	xsUnsignedValue size;
	xsmcGetBufferReadable(xsArg(0), &bytes, &size);
	if (size > DATAGRAM_LIMIT) xsRangeError("more than fits into a datagram");
	if (!binding->closed) datagram_write(binding->socket, bytes, size, to);
}

void xs_datagram_close(xsMachine *the)
{
	datagram_binding *binding = binding_of(the);
	if (binding->closed) return;
	shut(binding);
	xsForget(binding->target);
}
