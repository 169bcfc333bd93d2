/*
 * XS binding of the stream server (stream-server.h; streams.ts). Each event reaches JavaScript as a separate call
 * `onStream(kind, connection, count)` of the target that the constructor received.
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
#include "xs-range.h"

typedef struct {
	xsMachine *the;
	xsSlot target;
	stream_server *server;
	/*
	 * Number of references: one for the object, and one for each delivery under way. The server's thread needs none,
	 * because it ends before the object releases its own.
	 */
	atomic_uint references;
	/* True after the object was closed. Only used in the machine's thread. */
	bool closed;
	stream_origin origin;
} stream_binding;

static void release(stream_binding *binding)
{
	if (atomic_fetch_sub(&binding->references, 1) == 1) free(binding);
}

static void deliver(void *context)
{
	stream_binding *binding = context;
	stream_event event;
	while (!binding->closed && stream_server_next(binding->server, &event)) {
		xsBeginHost(binding->the);
		xsmcVars(3);
		xsmcSetInteger(xsVar(0), (xsIntegerValue)event.kind);
		xsmcSetInteger(xsVar(1), event.connection);
		xsmcSetInteger(xsVar(2), (xsIntegerValue)event.count);
		xsCall3(binding->target, xsID_onStream, xsVar(0), xsVar(1), xsVar(2));
		xsEndHost(binding->the);
	}
	release(binding);
}

/* Posts a delivery. Runs in the server's thread. */
static void notify(void *context)
{
	stream_binding *binding = context;
	atomic_fetch_add(&binding->references, 1);
	machine_post(binding->the, deliver, binding);
}

static void shut(stream_binding *binding)
{
	if (binding->closed) return;
	binding->closed = true;
	stream_server_close(binding->server);
	binding->server = NULL;
}

void xs_stream_server_destructor(void *data)
{
	if (!data) return;
	shut(data);
	release(data);
}

/* NUL-terminated copies of certificate and key. Both are NULL for a plain port. */
typedef struct {
	char *certificate;
	char *key;
	size_t key_size;
} pem_pair;

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

/* Copies the argument at `first` and the next one. If the function throws, it has freed the copies. */
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
	/* Size of the admission queue. Each waiting connection takes one of the chip's sockets. */
	MAX_PENDING = 6,
	/*
	 * Longest time to the first bytes. A TLS client sends its ClientHello immediately, but a plain request may be typed
	 * by hand.
	 */
	TLS_SILENCE_MS = 2000,
	PLAIN_SILENCE_MS = 10000,
	/*
	 * Longest time between two handshake messages while others wait: several round trips in a slow network, with a
	 * retransmission.
	 */
	PRESSED_SILENCE_MS = 1000,
};

_Static_assert(MAX_PENDING <= PENDING_CONNECTION_LIMIT, "the queue has no place for them");

/*
 * Arguments: target, port, connections, certificate?, key?. Certificate and key have up to CERTIFICATE_FILE_LIMIT bytes
 * each.
 */
void xs_stream_server(xsMachine *the)
{
	char message[STREAM_SERVER_MESSAGE_SIZE] = "";
	uint16_t port = (uint16_t)xsmcToInteger(xsArg(1));
	unsigned connections = (unsigned)xsmcToInteger(xsArg(2));
	pem_pair pair = { 0 };
	if (xsmcTypeOf(xsArg(3)) != xsUndefinedType) pair = pair_of(the, 3);
	stream_binding *binding = calloc(1, sizeof(stream_binding));
	if (!binding) {
		free_pair(pair);
		xsUnknownError("out of memory");
	}
	binding->the = the;
	atomic_init(&binding->references, 1);
	binding->server = stream_server_open(
		&(stream_server_options){
			.port = port,
			.max_connections = connections,
			.max_handshakes = 1,
			.max_pending = MAX_PENDING,
			.silence_ms = pair.certificate ? TLS_SILENCE_MS : PLAIN_SILENCE_MS,
			.handshake_timeout_ms = 10000,
			.pressed_silence_ms = PRESSED_SILENCE_MS,
			.linger_ms = 3000,
			.certificate = pair.certificate,
			.key = pair.key,
			.notify = notify,
			.context = binding,
		},
		message);
	free_pair(pair);
	if (!binding->server) {
		free(binding);
		xsUnknownError("%s", message);
	}
	binding->target = xsArg(0);
	xsRemember(binding->target);
	xsmcSetHostData(xsThis, binding);
}

static stream_binding *binding_of(xsMachine *the)
{
	return xsmcGetHostData(xsThis);
}

void xs_stream_server_get_port(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	xsmcSetInteger(xsResult, binding->closed ? 0 : stream_server_port(binding->server));
}

void xs_stream_server_take(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	xsmcSetInteger(xsResult, binding->closed ? -1 : stream_server_take(binding->server, &binding->origin));
}

void xs_stream_server_get_address(xsMachine *the)
{
	xsmcSetString(xsResult, binding_of(the)->origin.address);
}

void xs_stream_server_get_via_access_point(xsMachine *the)
{
	xsmcSetBoolean(xsResult, binding_of(the)->origin.via_access_point);
}

void xs_stream_server_read(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	size_t size;
	uint8_t *into = xs_range(the, 1, true, &size);
	size_t count = binding->closed ? 0 : stream_read(binding->server, xsmcToInteger(xsArg(0)), into, size);
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

/*
 * Arguments: connection, bytes, start, end. Returns the room left, or -1 if there were more bytes than the announced
 * room.
 */
void xs_stream_server_write(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	size_t size;
	uint8_t *bytes = xs_range(the, 1, false, &size);
	size_t room = binding->closed ? SIZE_MAX : stream_write(binding->server, xsmcToInteger(xsArg(0)), bytes, size);
	xsmcSetInteger(xsResult, room == SIZE_MAX ? -1 : (xsIntegerValue)room);
}

void xs_stream_server_know(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	if (!binding->closed) stream_know(binding->server, xsmcToInteger(xsArg(0)));
}

void xs_stream_server_forget(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	if (!binding->closed) stream_server_forget(binding->server);
}

void xs_stream_server_end(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	if (!binding->closed) stream_close(binding->server, xsmcToInteger(xsArg(0)));
}

void xs_stream_server_set_identity(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	char message[STREAM_SERVER_MESSAGE_SIZE] = "the listener is closed";
	pem_pair pair = pair_of(the, 0);
	bool done = !binding->closed && stream_server_set_identity(binding->server, pair.certificate, pair.key, message);
	free_pair(pair);
	if (!done) xsUnknownError("%s", message);
}

void xs_stream_server_test(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	xsmcSetBoolean(xsResult, !binding->closed && stream_server_test(binding->server));
}

void xs_stream_server_get_test_result(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	char message[STREAM_SERVER_MESSAGE_SIZE] = "";
	if (!binding->closed) stream_server_test_result(binding->server, message);
	xsmcSetString(xsResult, message);
}

void xs_stream_server_stop(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	if (!binding->closed) stream_server_stop(binding->server);
}

void xs_stream_server_close(xsMachine *the)
{
	stream_binding *binding = binding_of(the);
	if (binding->closed) return;
	shut(binding);
	xsForget(binding->target);
}
