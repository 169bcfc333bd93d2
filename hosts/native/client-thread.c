#include "client-thread.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mbedtls/platform_util.h>

#include "memory-lock.h"
#include "stream-socket.h"

enum {
	/* Longest sleep of the thread. It is also the maximum delay if a wake-up could not be sent. */
	SLEEP_MS = 1000,
	/* Longest handshake while other parties wait for the gate (handshake-gate.h). */
	HANDSHAKE_MS = 10000,
	/* Longest silence of the server in a handshake while other parties wait for the gate. */
	PRESSED_SILENCE_MS = 2000,
	/* During a handshake with a silent server, the thread checks at this interval whether others wait for the gate. */
	CHECK_MS = 250,
	/* Number of sockets that are kept open only to wait for the peer's FIN. If there are more, the oldest is closed. */
	LINGER_LIMIT = 2,
	LINGER_MS = 1000,
	/*
	 * Number of sockets that poll() watches, including those of closed clients that still send. Further clients are
	 * served but not watched.
	 */
	WATCH_LIMIT = 1 + LINGER_LIMIT + 2 * CLIENT_LIMIT,
};

typedef struct {
	resolver *resolver;
	uint64_t now_ms;
	struct {
		int socket;
		uint64_t deadline_ms;
	} lingering[LINGER_LIMIT];
} client_loop;

static void lock(void)
{
	pthread_mutex_lock(&clients.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&clients.lock);
}

/* The gate calls this with its lock held, in any thread. The function must not take the clients' lock. */
void client_granted(void *context)
{
	(void)context;
	socket_wake(clients.wake);
}

/* The resolver calls this in any thread. */
static void name_resolved(void *context)
{
	(void)context;
	socket_wake(clients.wake);
}

/*
 * Keeps the socket open until the server has ended. An immediate close would reset the connection if more data arrived,
 * and the server would lose data that it has not read.
 */
static void linger(client_loop *self, int socket)
{
	if (socket < 0) return;
	int oldest = 0;
	for (int i = 1; i < LINGER_LIMIT; i++)
		if (self->lingering[i].socket < 0 || self->lingering[i].deadline_ms < self->lingering[oldest].deadline_ms) oldest = i;
	if (self->lingering[oldest].socket >= 0) close(self->lingering[oldest].socket);
	self->lingering[oldest].socket = socket;
	self->lingering[oldest].deadline_ms = self->now_ms + LINGER_MS;
}

static bool serve_lingering(client_loop *self)
{
	bool left = false;
	for (int i = 0; i < LINGER_LIMIT; i++) {
		int socket = self->lingering[i].socket;
		if (socket < 0) continue;
		bool over = self->now_ms >= self->lingering[i].deadline_ms || socket_discard(socket) != SOCKET_AGAIN;
		if (over) {
			close(socket);
			self->lingering[i].socket = -1;
			self->lingering[i].deadline_ms = 0;
		} else left = true;
	}
	return left;
}

static void release_all(client_loop *self, stream_client *client)
{
	handshake_gate_leave(&client->gate);
	if (client->trust && !client->is_trust_passed_on) tls_party_free(tls_trust_party(client->trust));
	client->trust = NULL;
	if (client->socket >= 0) close(client->socket);
	client->socket = -1;
	int socket = connection_detach(&client->connection);
	if (socket < 0) return;
	shutdown(socket, SHUT_WR);
	linger(self, socket);
}

static void set_state(stream_client *client, client_state state)
{
	lock();
	client->state = state;
	unlock();
}

static void fail(client_loop *self, stream_client *client, client_code code)
{
	release_all(self, client);
	connection_release(&client->connection);
	lock();
	client->code = code;
	client->state = CLIENT_STATE_FAILED;
	unlock();
}

static void free_client(client_loop *self, stream_client *client)
{
	release_all(self, client);
	connection_release(&client->connection);
	lock();
	stream_client **place = &clients.first;
	while (*place != client) place = &(*place)->next;
	*place = client->next;
	unlock();
	if (client->session) mbedtls_platform_zeroize(client->session, client->session_size);
	free(client->session);
	free(client);
}

static client_code failure_of(const stream_client *client)
{
	int error = client->connection.handshake_error;
	int alert = connection_alert(&client->connection);
	switch (tls_trust_verdict(client->trust, &client->connection.tls, error, alert)) {
	case TRUST_UNTRUSTED: return CLIENT_UNTRUSTED;
	case TRUST_WRONG_NAME: return CLIENT_WRONG_NAME;
	case TRUST_EXPIRED: return CLIENT_EXPIRED;
	case TRUST_CLIENT_REFUSED: return CLIENT_REFUSED;
	case TRUST_NO_VERDICT: break;
	}
	return error == 0 || tls_trust_is_memory_error(error) ? CLIENT_OUT_OF_MEMORY : CLIENT_HANDSHAKE;
}

static void end_handshake(client_loop *self, stream_client *client)
{
	uint8_t *session;
	size_t size = 0;
	bool resumed;
	if (!tls_trust_settle(client->trust, &client->connection.tls, &resumed, &session, &size)) {
		fail(self, client, CLIENT_UNTRUSTED);
		return;
	}
	handshake_gate_leave(&client->gate);
	lock();
	client->resumed = resumed;
	client->session = session;
	client->session_size = session ? size : 0;
	client->connection.state = client->closed ? CONNECTION_CLOSING : CONNECTION_OPEN;
	client->state = CLIENT_STATE_OPEN;
	unlock();
}

static uint64_t pressed_deadline_ms(const stream_client *client)
{
	uint64_t silent_ms = client->connection.silent_since_ms + PRESSED_SILENCE_MS;
	uint64_t late_ms = client->shaking_since_ms + HANDSHAKE_MS;
	return silent_ms < late_ms ? silent_ms : late_ms;
}

static void shake_hands(client_loop *self, stream_client *client)
{
	switch (connection_handshake(&client->connection)) {
	case STEP_DONE: end_handshake(self, client); break;
	case STEP_FAILED: fail(self, client, failure_of(client)); break;
	case STEP_AGAIN:
		if (self->now_ms >= pressed_deadline_ms(client) && handshake_gate_is_wanted())
			fail(self, client, CLIENT_TIMEOUT);
		break;
	}
}

static void begin_handshake(client_loop *self, stream_client *client)
{
	if (!handshake_gate_enter(&client->gate)) return;
	handshake_verdict verdict = memory_lock_handshake(self->now_ms);
	client->settling = verdict == HANDSHAKE_SOON;
	if (verdict == HANDSHAKE_NO_MEMORY) fail(self, client, CLIENT_OUT_OF_MEMORY);
	if (verdict != HANDSHAKE_NOW) return;
	int socket = client->socket;
	client->socket = -1;
	client->is_trust_passed_on = true;
	if (!connection_begin(&client->connection, socket, tls_trust_party(client->trust))
		|| tls_trust_begin(client->trust, &client->connection.tls) != 0) {
		fail(self, client, CLIENT_OUT_OF_MEMORY);
		return;
	}
	client->shaking_since_ms = self->now_ms;
	lock();
	client->connection.state = CONNECTION_HANDSHAKING;
	client->state = CLIENT_STATE_SHAKING;
	unlock();
	shake_hands(self, client);
}

static void start_connecting(client_loop *self, stream_client *client, const char *text)
{
	uint32_t address;
	if (!ipv4_parse(text, &address)) {
		fail(self, client, CLIENT_NO_ADDRESS);
		return;
	}
	lock();
	ipv4_write(address, client->address);
	unlock();
	client->socket = socket_connect(address, client->port);
	if (client->socket >= 0) {
		set_state(client, CLIENT_STATE_CONNECTING);
		return;
	}
	client_code code = client->socket == SOCKET_SCARCE ? CLIENT_OUT_OF_MEMORY : CLIENT_UNREACHABLE;
	client->socket = -1;
	fail(self, client, code);
}

/* Asks the resolver. If its queue is full, the next pass of the loop tries again. */
static void resolve(client_loop *self, stream_client *client)
{
	uint32_t address;
	if (client->request >= 0) return;
	if (ipv4_parse(client->host, &address)) {
		start_connecting(self, client, client->host);
		return;
	}
	if (!self->resolver) self->resolver = resolver_open(name_resolved, NULL);
	if (self->resolver) client->request = resolver_ask(self->resolver, client->host);
}

static void take_answers(client_loop *self)
{
	char address[IPV4_TEXT_SIZE];
	int number;
	while (self->resolver && (number = resolver_next(self->resolver, address)) >= 0) {
		lock();
		stream_client *client = clients.first;
		while (client && client->request != number) client = client->next;
		bool closed = client && client->closed;
		unlock();
		if (!client) continue;
		client->request = -1;
		if (!closed && client->state == CLIENT_STATE_RESOLVING) start_connecting(self, client, address);
	}
}

static void continue_connecting(client_loop *self, stream_client *client)
{
	int result = socket_connected(client->socket);
	if (result == SOCKET_AGAIN) return;
	if (result != 0) {
		fail(self, client, CLIENT_UNREACHABLE);
		return;
	}
	if (client->trust) {
		set_state(client, CLIENT_STATE_QUEUED);
		begin_handshake(self, client);
		return;
	}
	int socket = client->socket;
	client->socket = -1;
	if (!connection_begin(&client->connection, socket, NULL)) {
		fail(self, client, CLIENT_OUT_OF_MEMORY);
		return;
	}
	lock();
	client->connection.state = client->closed ? CONNECTION_CLOSING : CONNECTION_OPEN;
	client->state = CLIENT_STATE_OPEN;
	unlock();
}

static void transfer(client_loop *self, stream_client *client)
{
	stream_connection *connection = &client->connection;
	if (!connection->broken && connection_transfer(connection) == STEP_FAILED) release_all(self, client);
}

static void finish(client_loop *self, stream_client *client)
{
	stream_connection *connection = &client->connection;
	connection_step step = connection->broken ? STEP_FAILED : connection_finish(connection);
	if (step != STEP_AGAIN || self->now_ms >= client->deadline_ms) free_client(self, client);
}

static void serve(client_loop *self, stream_client *client)
{
	lock();
	client_state state = client->state;
	bool closed = client->closed;
	bool late = self->now_ms >= client->deadline_ms;
	unlock();
	if (closed) {
		if (state == CLIENT_STATE_OPEN) finish(self, client);
		else free_client(self, client);
		return;
	}
	if (late && state < CLIENT_STATE_OPEN) {
		fail(self, client, CLIENT_TIMEOUT);
		return;
	}
	switch (state) {
	case CLIENT_STATE_RESOLVING: resolve(self, client); break;
	case CLIENT_STATE_CONNECTING: continue_connecting(self, client); break;
	case CLIENT_STATE_QUEUED: begin_handshake(self, client); break;
	case CLIENT_STATE_SHAKING: shake_hands(self, client); break;
	case CLIENT_STATE_OPEN: transfer(self, client); break;
	case CLIENT_STATE_FAILED: break;
	}
}

static void lower(uint64_t *wake_ms, uint64_t deadline_ms)
{
	if (deadline_ms < *wake_ms) *wake_ms = deadline_ms;
}

static struct pollfd watch_of(stream_client *client, client_state state, uint32_t *limit_ms)
{
	switch (state) {
	case CLIENT_STATE_CONNECTING: return (struct pollfd){ .fd = client->socket, .events = POLLOUT };
	case CLIENT_STATE_SHAKING:
	case CLIENT_STATE_OPEN: {
		short wants = connection_wants(&client->connection, limit_ms);
		return (struct pollfd){ .fd = client->connection.socket, .events = wants };
	}
	case CLIENT_STATE_QUEUED:
		if (client->settling && *limit_ms > ASK_AGAIN_MS) *limit_ms = ASK_AGAIN_MS;
		/* fall through */
	default: return (struct pollfd){ .fd = -1 };
	}
}

static void wait_for_work(client_loop *self)
{
	struct pollfd list[WATCH_LIMIT] = { { .fd = clients.wake, .events = POLLIN } };
	nfds_t count = 1;
	uint32_t limit_ms = SLEEP_MS;
	uint64_t now_ms = socket_clock_ms(), wake_ms = now_ms + SLEEP_MS;
	lock();
	stream_client *each = clients.first;
	unlock();
	for (; each; each = each->next) {
		lock();
		client_state state = each->state;
		bool closed = each->closed;
		uint64_t deadline_ms = each->deadline_ms;
		unlock();
		struct pollfd wanted = watch_of(each, state, &limit_ms);
		if (wanted.fd >= 0 && wanted.events && count < WATCH_LIMIT - LINGER_LIMIT) list[count++] = wanted;
		if (state < CLIENT_STATE_OPEN || closed) lower(&wake_ms, deadline_ms);
		if (state == CLIENT_STATE_SHAKING) {
			uint64_t due_ms = pressed_deadline_ms(each);
			lower(&wake_ms, due_ms > now_ms ? due_ms : now_ms + CHECK_MS);
		}
	}
	for (int i = 0; i < LINGER_LIMIT; i++) {
		if (self->lingering[i].socket < 0) continue;
		list[count++] = (struct pollfd){ .fd = self->lingering[i].socket, .events = POLLIN };
		lower(&wake_ms, self->lingering[i].deadline_ms);
	}
	lower(&wake_ms, now_ms + limit_ms);
	int timeout_ms = wake_ms <= now_ms ? 0 : (int)(wake_ms - now_ms);
	/* If poll() fails, sleep a little. ESP-IDF has no nanosleep(). */
	if (poll(list, count, timeout_ms) < 0) usleep(1000);
	self->now_ms = socket_clock_ms();
}

/*
 * Reports new events. The `notify` of a listener may only post to the listener's own thread. The caller must hold the
 * lock.
 */
static void notify_listeners(void)
{
	stream_event event;
	for (stream_client *each = clients.first; each; each = each->next) {
		if (each->closed || each->notified || !client_event(each, &event)) continue;
		each->notified = true;
		each->notify(each->context);
	}
}

/* Ends the thread. The next client starts a new one. The caller must hold the lock. */
static void end_thread(client_loop *self)
{
	if (self->resolver) resolver_close(self->resolver);
	close(clients.wake);
	clients.wake = -1;
	clients.running = clients.woken = false;
}

void *client_thread_run(void *context)
{
	client_loop self = { .resolver = NULL };
	(void)context;
	for (int i = 0; i < LINGER_LIMIT; i++) self.lingering[i].socket = -1;
	for (;;) {
		wait_for_work(&self);
		lock();
		socket_discard(clients.wake);
		clients.woken = false;
		stream_client *next = clients.first;
		unlock();
		while (next) {
			stream_client *each = next;
			next = each->next;
			serve(&self, each);
		}
		take_answers(&self);
		bool lingers = serve_lingering(&self);
		lock();
		notify_listeners();
		bool over = !clients.first && !lingers;
		if (over) end_thread(&self);
		unlock();
		if (over) return NULL;
	}
}
