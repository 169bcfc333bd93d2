/*
 * A UDP port (datagram.h) as a class of XS (udp.ts). What happens reaches JavaScript as `onDatagram(failed)` of the
 * target that the constructor got; each is a call of its own into the machine.
 */
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
	/* The object's own, and one for each delivery under way. */
	atomic_uint references;
	/* Read and written in the machine's thread alone, and so is all that follows. */
	bool closed;
	/* Where the datagram read last came from. */
	datagram_peer from;
	/* JavaScript was told and has not read since: it is not told again. */
	bool told;
	bool telling;
} datagram_face;

static void release(datagram_face *face)
{
	if (atomic_fetch_sub(&face->references, 1) == 1) free(face);
}

static void deliver(void *context)
{
	datagram_face *face = context;
	if (!face->closed) {
		face->told = face->telling = true;
		xsBeginHost(face->the);
		xsmcVars(1);
		xsmcSetBoolean(xsVar(0), datagram_failed(face->socket));
		xsCall1(face->target, xsID_onDatagram, xsVar(0));
		xsEndHost(face->the);
		face->telling = false;
		if (!face->closed && !face->told) datagram_listen(face->socket);
	}
	release(face);
}

/* In the socket's thread. */
static void notify(void *context)
{
	datagram_face *face = context;
	atomic_fetch_add(&face->references, 1);
	machine_post(face->the, deliver, face);
}

static void shut(datagram_face *face)
{
	if (face->closed) return;
	face->closed = true;
	datagram_close(face->socket);
	face->socket = NULL;
}

void xs_datagram_destructor(void *data)
{
	if (!data) return;
	shut(data);
	release(data);
}

/* An argument as an address; undefined is none. */
static uint32_t address_of(xsMachine *the, xsIntegerValue index)
{
	uint32_t address = 0;
	if (xsmcTypeOf(xsArg(index)) == xsUndefinedType) return 0;
	if (!ipv4_parse(xsmcToString(xsArg(index)), &address)) xsRangeError("not an IPv4 address");
	return address;
}

/* (target, port, group?, address?): an address of ours is where alone it listens. */
void xs_datagram(xsMachine *the)
{
	char message[DATAGRAM_MESSAGE_SIZE] = "";
	datagram_options options = {
		.port = (uint16_t)xsmcToInteger(xsArg(1)),
		.group = address_of(the, 2),
		.address = address_of(the, 3),
		.notify = notify,
	};
	datagram_face *face = options.context = calloc(1, sizeof(datagram_face));
	if (!face) xsUnknownError("out of memory");
	face->the = the;
	atomic_init(&face->references, 1);
	face->socket = datagram_open(&options, message);
	if (!face->socket) {
		free(face);
		xsUnknownError("%s", message);
	}
	face->target = xsArg(0);
	xsRemember(face->target);
	xsmcSetHostData(xsThis, face);
}

static datagram_face *face_of(xsMachine *the)
{
	return xsmcGetHostData(xsThis);
}

void xs_datagram_get_port(xsMachine *the)
{
	datagram_face *face = face_of(the);
	xsmcSetInteger(xsResult, face->closed ? 0 : datagram_port(face->socket));
}

/* Sender of the datagram read last. */
void xs_datagram_get_remote_address(xsMachine *the)
{
	char text[IPV4_TEXT_SIZE];
	ipv4_write(face_of(the)->from.address, text);
	xsmcSetString(xsResult, text);
}

void xs_datagram_get_remote_port(xsMachine *the)
{
	xsmcSetInteger(xsResult, face_of(the)->from.port);
}

/* (into): the datagram's length, -1 when none waits. */
void xs_datagram_read(xsMachine *the)
{
	datagram_face *face = face_of(the);
	void *into;
	xsUnsignedValue size;
	xsmcGetBufferWritable(xsArg(0), &into, &size);
	if (size < DATAGRAM_LIMIT) xsRangeError("no room for a whole datagram");
	xsmcSetInteger(xsResult, face->closed ? -1 : datagram_read(face->socket, into, &face->from));
	bool late = face->told && !face->telling;
	face->told = false;
	if (late && !face->closed) datagram_listen(face->socket);
}

/* (bytes, address, port) */
void xs_datagram_write(xsMachine *the)
{
	datagram_face *face = face_of(the);
	datagram_peer to = { .port = (uint16_t)xsmcToInteger(xsArg(2)), .address = address_of(the, 1) };
	void *bytes;
	xsUnsignedValue size;
	xsmcGetBufferReadable(xsArg(0), &bytes, &size);
	if (size > DATAGRAM_LIMIT) xsRangeError("more than fits into a datagram");
	if (!face->closed) datagram_write(face->socket, bytes, size, to);
}

void xs_datagram_close(xsMachine *the)
{
	datagram_face *face = face_of(the);
	if (face->closed) return;
	shut(face);
	xsForget(face->target);
}
