#include "stream-server.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"
#include "stream-socket.h"
#include "stream-thread.h"
#include "thread-start.h"

enum {
	GENERATION_LIMIT = INT32_MAX / STREAM_CONNECTION_LIMIT,
	EVENT_SOURCES = STREAM_CONNECTION_LIMIT + 1,
	/*
	 * Stack of the thread on ESP-IDF, bytes. On an emulated ESP32 a handshake used 3.2 KB of it; with an owner's key of
	 * RSA with 2048 bits at most 7.1 KB. Larger keys of the owner have not been seen there, so 2 KB are kept free.
	 */
	TLS_STACK_SIZE = 9216,
	PLAIN_STACK_SIZE = 4096,
};

static void lock(stream_server *server)
{
	pthread_mutex_lock(&server->lock);
}

static void unlock(stream_server *server)
{
	pthread_mutex_unlock(&server->lock);
}

/* Wakes the thread. The caller must hold the lock. */
static void wake(stream_server *server)
{
	if (!server->woken) server->woken = socket_wake(server->wake);
}

static bool is_takeable(const stream_connection *connection)
{
	return connection->state == CONNECTION_WAITING && connection->ready;
}

static bool server_event(const stream_server *server, stream_event *event)
{
	size_t waiting = 0;
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++)
		if (is_takeable(&server->connections[i])) waiting++;
	if (server->has_new_waiting && waiting > 0) *event = (stream_event){ STREAM_PENDING, -1, waiting };
	else if (server->is_newly_pressed) *event = (stream_event){ STREAM_PRESSED, -1, 0 };
	else if (server->failed && !server->is_failure_reported) *event = (stream_event){ STREAM_FAILED, -1, 0 };
	else if (server->test == TEST_OVER) *event = (stream_event){ STREAM_TESTED, -1, 0 };
	else return false;
	return true;
}

bool stream_server_has_event(const stream_server *server)
{
	stream_event event;
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++)
		if (connection_event(&server->connections[i], &event)) return true;
	return server_event(server, &event);
}

static void mark_reported(stream_server *server, stream_connection *connection, const stream_event *event)
{
	switch (event->kind) {
	case STREAM_PENDING: server->has_new_waiting = false; break;
	case STREAM_PRESSED: server->is_newly_pressed = false; break;
	case STREAM_FAILED: server->is_failure_reported = true; break;
	case STREAM_TESTED: server->test = TEST_NONE; break;
	default: connection_reported(connection, event);
	}
}

bool stream_server_next(stream_server *server, stream_event *event)
{
	bool found = false;
	lock(server);
	for (unsigned looked = 0; looked < EVENT_SOURCES && !found; looked++) {
		unsigned source = server->next_source;
		server->next_source = (source + 1) % EVENT_SOURCES;
		stream_connection *connection = source < STREAM_CONNECTION_LIMIT ? &server->connections[source] : NULL;
		found = connection ? connection_event(connection, event) : server_event(server, event);
		if (!found) continue;
		if (connection) event->connection = (int)(connection->generation * STREAM_CONNECTION_LIMIT + source);
		mark_reported(server, connection, event);
	}
	if (!found) server->notified = false;
	unlock(server);
	return found;
}

int stream_server_take(stream_server *server, stream_origin *origin)
{
	int id = -1;
	stream_connection *first = NULL;
	lock(server);
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) {
		stream_connection *each = &server->connections[i];
		if (is_takeable(each) && (!first || each->accepted < first->accepted)) first = each;
	}
	if (first) {
		first->state = CONNECTION_OPEN;
		first->generation = (first->generation + 1) % GENERATION_LIMIT;
		id = (int)(first->generation * STREAM_CONNECTION_LIMIT + (unsigned)(first - server->connections));
		memcpy(origin->address, first->address, STREAM_ADDRESS_SIZE);
		origin->via_access_point = first->via_access_point;
		wake(server);
	}
	unlock(server);
	return id;
}

/* Returns the connection with this id, or NULL. The caller must hold the lock. */
static stream_connection *find(stream_server *server, int id)
{
	if (id < 0) return NULL;
	stream_connection *connection = &server->connections[id % STREAM_CONNECTION_LIMIT];
	bool same = connection->generation == (unsigned)(id / STREAM_CONNECTION_LIMIT);
	return same && connection->state == CONNECTION_OPEN ? connection : NULL;
}

size_t stream_read(stream_server *server, int connection, void *into, size_t size)
{
	size_t copied = 0;
	bool wanted = false;
	lock(server);
	stream_connection *found = find(server, connection);
	if (found) copied = connection_read(found, into, size, &wanted);
	if (wanted) wake(server);
	unlock(server);
	return copied;
}

size_t stream_write(stream_server *server, int connection, const void *bytes, size_t size)
{
	size_t room = SIZE_MAX;
	bool wanted = false;
	lock(server);
	stream_connection *found = find(server, connection);
	if (found) room = connection_write(found, bytes, size, &wanted);
	if (wanted) wake(server);
	unlock(server);
	return room;
}

void stream_know(stream_server *server, int connection)
{
	lock(server);
	stream_connection *found = find(server, connection);
	if (found) found->known = true;
	unlock(server);
}

void stream_server_forget(stream_server *server)
{
	lock(server);
	server->forgetting = true;
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) server->connections[i].known = false;
	wake(server);
	unlock(server);
}

void stream_close(stream_server *server, int connection)
{
	lock(server);
	stream_connection *found = find(server, connection);
	if (found) {
		found->state = CONNECTION_CLOSING;
		found->deadline_ms = socket_clock_ms() + server->options.linger_ms;
		wake(server);
	}
	unlock(server);
}

uint16_t stream_server_port(const stream_server *server)
{
	return server->port;
}

bool stream_server_set_identity(stream_server *server, const char *certificate, const char *key,
	char message[STREAM_SERVER_MESSAGE_SIZE])
{
	if (!server->identity) {
		snprintf(message, STREAM_SERVER_MESSAGE_SIZE, "this port speaks no TLS");
		return false;
	}
	tls_identity *identity = tls_identity_create(certificate, key, message, STREAM_SERVER_MESSAGE_SIZE);
	if (!identity) return false;
	lock(server);
	tls_identity *old = server->identity;
	server->identity = identity;
	bool last = --old->party.references == 0;
	unlock(server);
	if (last) tls_party_free(&old->party);
	return true;
}

bool stream_server_test(stream_server *server)
{
	lock(server);
	bool begun = server->identity && server->test == TEST_NONE;
	if (begun) {
		server->test = TEST_WANTED;
		wake(server);
	}
	unlock(server);
	return begun;
}

void stream_server_test_result(stream_server *server, char message[STREAM_SERVER_MESSAGE_SIZE])
{
	lock(server);
	memcpy(message, server->test_result, STREAM_SERVER_MESSAGE_SIZE);
	unlock(server);
}

/*
 * Called when this port may perform handshakes. The call comes from another party's thread, but never after
 * handshake_gate_leave.
 */
static void granted(void *context)
{
	stream_server *server = context;
	socket_wake(server->wake);
}

static void free_server(stream_server *server)
{
	if (server->listener >= 0) close(server->listener);
	admission_close(&server->queue);
	if (server->wake >= 0) close(server->wake);
	if (server->identity) tls_party_free(&server->identity->party);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

/* Opens the port. On failure *server contains what was opened. */
static bool open_parts(stream_server *server, const stream_server_options *options, char *message)
{
	if (options->certificate || options->key) {
		const char *certificate = options->certificate ? options->certificate : "";
		const char *key = options->key ? options->key : "";
		server->identity = tls_identity_create(certificate, key, message, STREAM_SERVER_MESSAGE_SIZE);
		if (!server->identity) return false;
	}
	uint32_t seed = 0;
	(void)random_bytes(&seed, sizeof seed);
	admission_open(&server->queue, options->max_pending, server->identity, options->silence_ms, seed);
	server->listener = socket_listen(options->port, options->loopback_only, message);
	if (server->listener < 0) return false;
	server->port = socket_port(server->listener);
	server->wake = socket_open_wake();
	size_t stack_size = server->identity ? TLS_STACK_SIZE : PLAIN_STACK_SIZE;
	if (server->wake >= 0 && thread_start(&server->thread, stack_size, stream_thread_run, server)) return true;
	snprintf(message, STREAM_SERVER_MESSAGE_SIZE, "port %u can't be served: out of memory", server->port);
	return false;
}

stream_server *stream_server_open(const stream_server_options *options, char message[STREAM_SERVER_MESSAGE_SIZE])
{
	stream_server *server = calloc(1, sizeof(stream_server));
	if (!server) {
		snprintf(message, STREAM_SERVER_MESSAGE_SIZE, "out of memory");
		return NULL;
	}
	server->options = *options;
	server->options.certificate = server->options.key = NULL;
	server->listener = server->wake = -1;
	server->gate = (gate_party){ .granted = granted, .context = server };
	pthread_mutex_init(&server->lock, NULL);
	for (int i = 0; i < LINGER_LIMIT; i++) server->lingering[i].socket = -1;
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) {
		server->connections[i].lock = &server->lock;
		server->connections[i].socket = -1;
	}
	if (open_parts(server, options, message)) return server;
	free_server(server);
	return NULL;
}

void stream_server_stop(stream_server *server)
{
	lock(server);
	server->stopping = true;
	wake(server);
	unlock(server);
}

void stream_server_close(stream_server *server)
{
	lock(server);
	server->stopping = server->quitting = true;
	wake(server);
	unlock(server);
	pthread_join(server->thread, NULL);
	free_server(server);
}
