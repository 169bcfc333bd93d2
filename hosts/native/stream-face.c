/*
 * The stream server (stream-server.h) as a class of XS (streams.ts): one instance is one listening port with all its
 * connections. Events reach JavaScript as `onStream(kind, connection, count)` of the target that the constructor got;
 * each is a call of its own into the machine.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/platform_util.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "certificate.h"
#include "machine-post.h"
#include "stream-server.h"

typedef struct {
	xsMachine *the;
	xsSlot target;
	stream_server *server;
	/* The object's own, one for each delivery under way, and one for the thread's callback while the server lives. */
	atomic_uint references;
	/* Read and written in the machine's thread alone. */
	bool closed;
	stream_origin origin;
} stream_face;

static void release(stream_face *face)
{
	if (atomic_fetch_sub(&face->references, 1) == 1) free(face);
}

static void deliver(void *context)
{
	stream_face *face = context;
	stream_event event;
	while (!face->closed && stream_server_next(face->server, &event)) {
		xsBeginHost(face->the);
		xsmcVars(3);
		xsmcSetInteger(xsVar(0), (xsIntegerValue)event.kind);
		xsmcSetInteger(xsVar(1), event.connection);
		xsmcSetInteger(xsVar(2), (xsIntegerValue)event.count);
		xsCall3(face->target, xsID_onStream, xsVar(0), xsVar(1), xsVar(2));
		xsEndHost(face->the);
	}
	release(face);
}

/* In the server's thread. */
static void notify(void *context)
{
	stream_face *face = context;
	atomic_fetch_add(&face->references, 1);
	machine_post(face->the, deliver, face);
}

static void shut(stream_face *face)
{
	if (face->closed) return;
	face->closed = true;
	stream_server_close(face->server);
	face->server = NULL;
}

void xs_stream_server_destructor(void *data)
{
	if (!data) return;
	shut(data);
	release(data);
}

/* Copies with a NUL behind them; both NULL: of a plain port. */
typedef struct {
	char *certificate;
	char *key;
	size_t key_size;
} pem_pair;

/* NULL: out of memory. */
static char *text_of(const void *bytes, size_t size)
{
	char *text = malloc(size + 1);
	if (!text) return NULL;
	if (size > 0) memcpy(text, bytes, size);
	text[size] = 0;
	return text;
}

static void free_pair(pem_pair pair)
{
	if (pair.key) mbedtls_platform_zeroize(pair.key, pair.key_size);
	free(pair.key);
	free(pair.certificate);
}

/* The arguments `first` and the one behind it, as texts; nothing is left behind when it throws. */
static pem_pair pair_of(xsMachine *the, xsIntegerValue first)
{
	void *certificate, *key;
	xsUnsignedValue certificate_size, key_size;
	xsmcGetBufferReadable(xsArg(first), &certificate, &certificate_size);
	xsmcGetBufferReadable(xsArg(first + 1), &key, &key_size);
	if (certificate_size > CERTIFICATE_FILE_LIMIT) xsUnknownError("the certificate is too large");
	if (key_size > CERTIFICATE_FILE_LIMIT) xsUnknownError("the private key is too large");
	pem_pair pair = { text_of(certificate, certificate_size), text_of(key, key_size), key_size };
	if (!pair.certificate || !pair.key) {
		free_pair(pair);
		xsUnknownError("out of memory");
	}
	return pair;
}

enum {
	/* Callers at the door: each costs the chip a socket. */
	CALLERS = 6,
	/* A ClientHello follows the connection at once; the head of a plain request may be typed by hand. */
	TLS_SILENCE_MS = 2000,
	PLAIN_SILENCE_MS = 10000,
	/* Several round trips of a slow network; a segment that was lost has come by then. */
	PRESSED_SILENCE_MS = 1000,
};

_Static_assert(CALLERS <= STREAM_CALLER_LIMIT, "the door has no place for them");

/* (target, port, connections, certificate?, key?): each up to CERTIFICATE_FILE_LIMIT bytes */
void xs_stream_server(xsMachine *the)
{
	char message[STREAM_SERVER_MESSAGE_SIZE] = "";
	uint16_t port = (uint16_t)xsmcToInteger(xsArg(1));
	unsigned connections = (unsigned)xsmcToInteger(xsArg(2));
	pem_pair pair = { 0 };
	if (xsmcTypeOf(xsArg(3)) != xsUndefinedType) pair = pair_of(the, 3);
	stream_face *face = calloc(1, sizeof(stream_face));
	if (!face) {
		free_pair(pair);
		xsUnknownError("out of memory");
	}
	face->the = the;
	atomic_init(&face->references, 1);
	face->server = stream_server_open(
		&(stream_server_options){
			.port = port,
			.max_connections = connections,
			.max_handshakes = 1,
			.max_callers = CALLERS,
			.silence_ms = pair.certificate ? TLS_SILENCE_MS : PLAIN_SILENCE_MS,
			.handshake_timeout_ms = 10000,
			.pressed_silence_ms = PRESSED_SILENCE_MS,
			.linger_ms = 3000,
			.certificate = pair.certificate,
			.key = pair.key,
			.notify = notify,
			.context = face,
		},
		message);
	free_pair(pair);
	if (!face->server) {
		free(face);
		xsUnknownError("%s", message);
	}
	face->target = xsArg(0);
	xsRemember(face->target);
	xsmcSetHostData(xsThis, face);
}

static stream_face *face_of(xsMachine *the)
{
	return xsmcGetHostData(xsThis);
}

void xs_stream_server_get_port(xsMachine *the)
{
	stream_face *face = face_of(the);
	xsmcSetInteger(xsResult, face->closed ? 0 : stream_server_port(face->server));
}

/* The id of a connection that was waiting, or -1. */
void xs_stream_server_take(xsMachine *the)
{
	stream_face *face = face_of(the);
	xsmcSetInteger(xsResult, face->closed ? -1 : stream_server_take(face->server, &face->origin));
}

/* The address of the connection taken last. */
void xs_stream_server_get_address(xsMachine *the)
{
	xsmcSetString(xsResult, face_of(the)->origin.address);
}

/* Whether that came in over the access point. */
void xs_stream_server_get_via_access_point(xsMachine *the)
{
	xsmcSetBoolean(xsResult, face_of(the)->origin.via_access_point);
}

/* The bytes of a view from `start` to `end`; throws where they are not its own. */
static uint8_t *range_of(xsMachine *the, xsSlot *view, xsSlot *start, xsSlot *end, bool writable, size_t *size)
{
	void *data;
	xsUnsignedValue length;
	if (writable) xsmcGetBufferWritable(*view, &data, &length);
	else xsmcGetBufferReadable(*view, &data, &length);
	xsIntegerValue first = xsmcToInteger(*start), last = xsmcToInteger(*end);
	if (first < 0 || last < first || (xsUnsignedValue)last > length) xsRangeError("beyond the buffer");
	*size = (size_t)(last - first);
	return (uint8_t *)data + first;
}

/* (connection, into, start, end): how many bytes, 0 when none waits. */
void xs_stream_server_read(xsMachine *the)
{
	stream_face *face = face_of(the);
	size_t size;
	uint8_t *into = range_of(the, &xsArg(1), &xsArg(2), &xsArg(3), true, &size);
	size_t count = face->closed ? 0 : stream_read(face->server, xsmcToInteger(xsArg(0)), into, size);
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

/* (connection, bytes, start, end): what may be written next, -1 when it was more than announced. */
void xs_stream_server_write(xsMachine *the)
{
	stream_face *face = face_of(the);
	size_t size;
	uint8_t *bytes = range_of(the, &xsArg(1), &xsArg(2), &xsArg(3), false, &size);
	size_t room = face->closed ? SIZE_MAX : stream_write(face->server, xsmcToInteger(xsArg(0)), bytes, size);
	xsmcSetInteger(xsResult, room == SIZE_MAX ? -1 : (xsIntegerValue)room);
}

void xs_stream_server_know(xsMachine *the)
{
	stream_face *face = face_of(the);
	if (!face->closed) stream_know(face->server, xsmcToInteger(xsArg(0)));
}

void xs_stream_server_forget(xsMachine *the)
{
	stream_face *face = face_of(the);
	if (!face->closed) stream_server_forget(face->server);
}

void xs_stream_server_end(xsMachine *the)
{
	stream_face *face = face_of(the);
	if (!face->closed) stream_close(face->server, xsmcToInteger(xsArg(0)));
}

/* (certificate, key) */
void xs_stream_server_set_identity(xsMachine *the)
{
	stream_face *face = face_of(the);
	char message[STREAM_SERVER_MESSAGE_SIZE] = "the listener is closed";
	pem_pair pair = pair_of(the, 0);
	bool done = !face->closed && stream_server_set_identity(face->server, pair.certificate, pair.key, message);
	free_pair(pair);
	if (!done) xsUnknownError("%s", message);
}

/* `onStream` tells when it is over; false: one is under way. */
void xs_stream_server_test(xsMachine *the)
{
	stream_face *face = face_of(the);
	xsmcSetBoolean(xsResult, !face->closed && stream_server_test(face->server));
}

/* Result of the test that `onStream` told of last: "", or a sentence for the user. */
void xs_stream_server_get_test_result(xsMachine *the)
{
	stream_face *face = face_of(the);
	char message[STREAM_SERVER_MESSAGE_SIZE] = "";
	if (!face->closed) stream_server_test_result(face->server, message);
	xsmcSetString(xsResult, message);
}

void xs_stream_server_stop(xsMachine *the)
{
	stream_face *face = face_of(the);
	if (!face->closed) stream_server_stop(face->server);
}

void xs_stream_server_close(xsMachine *the)
{
	stream_face *face = face_of(the);
	if (face->closed) return;
	shut(face);
	xsForget(face->target);
}
