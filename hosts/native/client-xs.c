/*
 * Each event reaches JavaScript as a separate call `onClient(kind, count)` of the target that the constructor received.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/platform_util.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "machine-post.h"
#include "stream-client.h"
#include "xs-range.h"

/*
 * Limit of a certificate text, as TRUSTED_LIMIT of modules/io/client.ts. It also applies to our own certificate and
 * key.
 */
enum { TEXT_LIMIT = 12288 };

enum { ARG_TARGET, ARG_HOST, ARG_PORT, ARG_TIMEOUT, ARG_TRUSTED, ARG_NAME, ARG_UTC, ARG_CERTIFICATE, ARG_KEY, ARG_SESSION };

typedef struct {
	xsMachine *the;
	xsSlot target;
	/* NULL if the client is closed. Also NULL if memory was short, which is reported as an event. */
	stream_client *client;
	/* Number of references: one for the object, and one for each delivery under way. */
	atomic_uint references;
	/* True after the object was closed. Only used in the machine's thread. */
	bool closed;
} client_binding;

static void release(client_binding *binding)
{
	if (atomic_fetch_sub(&binding->references, 1) == 1) free(binding);
}

static void tell(client_binding *binding, stream_event event)
{
	xsBeginHost(binding->the);
	xsmcVars(2);
	xsmcSetInteger(xsVar(0), (xsIntegerValue)event.kind);
	xsmcSetInteger(xsVar(1), (xsIntegerValue)event.count);
	xsCall2(binding->target, xsID_onClient, xsVar(0), xsVar(1));
	xsEndHost(binding->the);
}

static void deliver(void *context)
{
	client_binding *binding = context;
	stream_event event = { .kind = STREAM_ENDED, .count = CLIENT_OUT_OF_MEMORY };
	if (!binding->closed && !binding->client) tell(binding, event);
	while (!binding->closed && binding->client && stream_client_next(binding->client, &event)) tell(binding, event);
	release(binding);
}

/* Posts a delivery. Runs in the clients' thread. */
static void notify(void *context)
{
	client_binding *binding = context;
	atomic_fetch_add(&binding->references, 1);
	machine_post(binding->the, deliver, binding);
}

static void shut(client_binding *binding)
{
	binding->closed = true;
	if (binding->client) stream_client_close(binding->client);
	binding->client = NULL;
}

void xs_client_destructor(void *data)
{
	if (!data) return;
	shut(data);
	release(data);
}

typedef struct {
	char *host, *trusted, *name, *certificate, *key;
	uint8_t *session;
	size_t certificate_size, key_size, session_size;
} client_texts;

static void free_texts(client_texts *texts)
{
	/* The text of the certificate may also contain the key, so it is erased. */
	if (texts->certificate) mbedtls_platform_zeroize(texts->certificate, texts->certificate_size);
	if (texts->key) mbedtls_platform_zeroize(texts->key, texts->key_size);
	if (texts->session) mbedtls_platform_zeroize(texts->session, texts->session_size);
	free(texts->host);
	free(texts->trusted);
	free(texts->name);
	free(texts->certificate);
	free(texts->key);
	free(texts->session);
}

static void *copy_of(const void *bytes, size_t size)
{
	char *copy = malloc(size + 1);
	if (!copy) return NULL;
	if (size > 0) memcpy(copy, bytes, size);
	copy[size] = 0;
	return copy;
}

static bool copy_buffer(xsMachine *the, xsIntegerValue index, void **copy, size_t *size)
{
	void *bytes;
	xsUnsignedValue length;
	if (xsmcTypeOf(xsArg(index)) == xsUndefinedType) return true;
	xsmcGetBufferReadable(xsArg(index), &bytes, &length);
	*copy = copy_of(bytes, length);
	*size = length;
	return *copy != NULL;
}

static void check_buffer(xsMachine *the, xsIntegerValue index, xsUnsignedValue limit, const char *problem)
{
	void *bytes;
	xsUnsignedValue length;
	if (xsmcTypeOf(xsArg(index)) == xsUndefinedType) return;
	xsmcGetBufferReadable(xsArg(index), &bytes, &length);
	if (length > limit) xsRangeError("%s", problem);
}

static void check_name(xsMachine *the, xsIntegerValue index, const char *problem)
{
	const char *name = xsmcToString(xsArg(index));
	size_t length = strlen(name);
	if (length == 0 || length > CLIENT_HOST_LIMIT
		|| strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_") != length)
		xsRangeError("%s", problem);
}

static void check_arguments(xsMachine *the, bool secure)
{
	check_name(the, ARG_HOST, "a host is a name of up to 253 characters, or an IPv4 address");
	if (!secure) return;
	check_name(the, ARG_NAME, "a name has up to 253 characters");
	check_buffer(the, ARG_TRUSTED, TEXT_LIMIT, "too much is trusted");
	check_buffer(the, ARG_CERTIFICATE, TEXT_LIMIT, "the certificate is too large");
	check_buffer(the, ARG_KEY, TEXT_LIMIT, "the private key is too large");
	check_buffer(the, ARG_SESSION, TRUST_SESSION_LIMIT, "the session is too large");
}

/* Copies all texts. Must be called after check_arguments, because nothing may throw after memory was allocated. */
static bool copy_arguments(xsMachine *the, bool secure, client_texts *texts)
{
	size_t ignored;
	const char *host = xsmcToString(xsArg(ARG_HOST));
	texts->host = copy_of(host, strlen(host));
	if (!secure) return texts->host != NULL;
	const char *name = xsmcToString(xsArg(ARG_NAME));
	texts->name = copy_of(name, strlen(name));
	return texts->host && texts->name && copy_buffer(the, ARG_TRUSTED, (void **)&texts->trusted, &ignored)
		&& copy_buffer(the, ARG_CERTIFICATE, (void **)&texts->certificate, &texts->certificate_size)
		&& copy_buffer(the, ARG_KEY, (void **)&texts->key, &texts->key_size)
		&& copy_buffer(the, ARG_SESSION, (void **)&texts->session, &texts->session_size);
}

/*
 * Arguments: target, host, port, timeoutMs, trusted?, name, utcMs?, certificate?, key?, session?. Without `trusted` the
 * client uses plain TCP. Without `key`, the text of `certificate` also contains the key.
 */
void xs_client(xsMachine *the)
{
	char message[TRUST_MESSAGE_SIZE] = "";
	bool secure = xsmcTypeOf(xsArg(ARG_TRUSTED)) != xsUndefinedType;
	stream_client_options options = {
		.port = (uint16_t)xsmcToInteger(xsArg(ARG_PORT)),
		.timeout_ms = (uint32_t)xsmcToInteger(xsArg(ARG_TIMEOUT)),
		.notify = notify,
	};
	tls_trust_options tls = { .has_time = secure && xsmcTypeOf(xsArg(ARG_UTC)) != xsUndefinedType };
	if (tls.has_time) tls.utc_s = (int64_t)floor(xsmcToNumber(xsArg(ARG_UTC)) / 1000);
	client_texts texts = { 0 };
	check_arguments(the, secure);
	client_binding *binding = options.context = calloc(1, sizeof(client_binding));
	if (!binding) xsUnknownError("out of memory");
	binding->the = the;
	atomic_init(&binding->references, 1);
	if (copy_arguments(the, secure, &texts)) {
		options.host = texts.host;
		tls.trusted = texts.trusted;
		tls.name = texts.name;
		tls.certificate = texts.certificate;
		tls.key = texts.key;
		tls.session = texts.session;
		tls.session_size = texts.session_size;
		if (secure) options.tls = &tls;
		binding->client = stream_client_open(&options, message);
	}
	free_texts(&texts);
	if (message[0]) {
		free(binding);
		xsUnknownError("%s", message);
	}
	binding->target = xsArg(ARG_TARGET);
	xsRemember(binding->target);
	xsmcSetHostData(xsThis, binding);
	if (!binding->client) notify(binding);
}

static client_binding *binding_of(xsMachine *the)
{
	return xsmcGetHostData(xsThis);
}

void xs_client_read(xsMachine *the)
{
	client_binding *binding = binding_of(the);
	size_t size;
	uint8_t *into = xs_range(the, 0, true, &size);
	size_t count = binding->client ? stream_client_read(binding->client, into, size) : 0;
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

/* Arguments: bytes, start, end. Returns the room left, or -1 if there were more bytes than the announced room. */
void xs_client_write(xsMachine *the)
{
	client_binding *binding = binding_of(the);
	size_t size;
	uint8_t *bytes = xs_range(the, 0, false, &size);
	size_t room = binding->client ? stream_client_write(binding->client, bytes, size) : SIZE_MAX;
	xsmcSetInteger(xsResult, room == SIZE_MAX ? -1 : (xsIntegerValue)room);
}

void xs_client_get_address(xsMachine *the)
{
	client_binding *binding = binding_of(the);
	char address[IPV4_TEXT_SIZE] = "";
	if (binding->client) stream_client_address(binding->client, address);
	xsmcSetString(xsResult, address);
}

void xs_client_get_resumed(xsMachine *the)
{
	client_binding *binding = binding_of(the);
	xsmcSetBoolean(xsResult, binding->client && stream_client_resumed(binding->client));
}

/* Returns the TLS session as an ArrayBuffer. Returns undefined without a session. */
void xs_client_get_session(xsMachine *the)
{
	client_binding *binding = binding_of(the);
	size_t size = binding->client ? stream_client_session(binding->client, NULL) : 0;
	if (size == 0) return;
	xsmcSetArrayBuffer(xsResult, NULL, (xsIntegerValue)size);
	stream_client_session(binding->client, xsmcToArrayBuffer(xsResult));
}

void xs_client_close(xsMachine *the)
{
	client_binding *binding = binding_of(the);
	if (binding->closed) return;
	shut(binding);
	xsForget(binding->target);
}
