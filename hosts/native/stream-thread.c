#include "stream-thread.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "access-point.h"
#include "memory-lock.h"
#include "stream-socket.h"
#include "tls-self-test.h"

enum {
	/* Time for unsent data after stream_server_close was called. */
	FAREWELL_MS = 200,
	/* Pause after sockets or memory were short. */
	SCARCE_MS = 100,
	/* Longest sleep of the thread. It is also the maximum delay if a wake-up could not be sent. */
	SLEEP_MS = 1000,
	/* Time for unsent data of a closing connection while other connections wait in the queue. */
	PRESSED_CLOSING_MS = 1000,
	/*
	 * Delay before a connection without a request is reported to the owner. Without the delay, the owner could close the
	 * connection as idle (modules/http/limits.ts, graceMs) while the first request is on its way.
	 */
	FIRST_REQUEST_MS = 250,
	ACCEPTS_A_PASS = 16,
	WATCH_LIMIT = 2 + STREAM_CONNECTION_LIMIT + LINGER_LIMIT + PENDING_CONNECTION_LIMIT,
};

static void lock(stream_server *server)
{
	pthread_mutex_lock(&server->lock);
}

static void unlock(stream_server *server)
{
	pthread_mutex_unlock(&server->lock);
}

static void end_lingering(lingering_socket *lingering)
{
	if (lingering->socket >= 0) close(lingering->socket);
	lingering->socket = -1;
}

static lingering_socket *oldest_lingering(stream_server *server)
{
	lingering_socket *oldest = NULL;
	for (int i = 0; i < LINGER_LIMIT; i++) {
		lingering_socket *each = &server->lingering[i];
		if (each->socket >= 0 && (!oldest || each->deadline_ms < oldest->deadline_ms)) oldest = each;
	}
	return oldest;
}

/*
 * Keeps the socket open for a while. An immediate close would reset the connection if more data arrived, and the peer
 * would lose data that it has not read.
 */
static void linger(stream_server *server, int socket, uint64_t deadline_ms)
{
	if (socket < 0) return;
	lingering_socket *place = NULL;
	for (int i = 0; i < LINGER_LIMIT && !place; i++)
		if (server->lingering[i].socket < 0) place = &server->lingering[i];
	if (!place) {
		place = oldest_lingering(server);
		end_lingering(place);
	}
	*place = (lingering_socket){ .socket = socket, .deadline_ms = deadline_ms };
}

static void serve_lingering(stream_server *server)
{
	for (int i = 0; i < LINGER_LIMIT; i++) {
		lingering_socket *each = &server->lingering[i];
		if (each->socket < 0) continue;
		if (server->now_ms >= each->deadline_ms || socket_discard(each->socket) != SOCKET_AGAIN) end_lingering(each);
	}
}

/*
 * Ends the transport of the connection, which keeps its place. The socket stays open until the peer has read the
 * reason.
 */
static void end_transport(stream_server *server, stream_connection *connection)
{
	int socket = connection_detach(connection);
	if (socket < 0) return;
	shutdown(socket, SHUT_WR);
	linger(server, socket, server->now_ms + server->options.linger_ms);
}

static void drop(stream_server *server, stream_connection *connection)
{
	end_transport(server, connection);
	connection_release(connection);
}

static uint64_t earlier(uint64_t a_ms, uint64_t b_ms)
{
	return a_ms < b_ms ? a_ms : b_ms;
}

/*
 * Returns the time at which a handshake or a closing must have ended. That time is earlier while another connection
 * waits for the place. For a handshake, it is also earlier while a client of this program waits for the gate.
 */
static uint64_t deadline_of(stream_server *server, const stream_connection *connection)
{
	uint64_t usual_ms = connection->deadline_ms;
	bool shaking = connection->state == CONNECTION_HANDSHAKING;
	const pending_connection *next = admission_first(&server->queue);
	if (!next && !(shaking && handshake_gate_is_wanted())) return usual_ms;
	if (shaking) {
		uint32_t longest_ms = server->options.pressed_silence_ms;
		uint32_t patience_ms = next ? admission_patience(&server->queue, connection->address, next, longest_ms) : longest_ms;
		return earlier(usual_ms, connection->silent_since_ms + patience_ms);
	}
	if (server->options.linger_ms <= PRESSED_CLOSING_MS) return usual_ms;
	return usual_ms - server->options.linger_ms + PRESSED_CLOSING_MS;
}

static void serve_closing(stream_server *server, stream_connection *connection)
{
	connection_step step = connection->broken ? STEP_FAILED : connection_finish(connection);
	if (step == STEP_AGAIN && server->now_ms < deadline_of(server, connection)) return;
	int socket = connection_detach(connection);
	if (step == STEP_DONE) linger(server, socket, connection->deadline_ms);
	else if (socket >= 0) close(socket);
	connection_release(connection);
}

static connection_state state_of(stream_server *server, stream_connection *connection)
{
	lock(server);
	connection_state state = connection->state;
	unlock(server);
	return state;
}

static void report(stream_server *server, stream_connection *connection)
{
	lock(server);
	if (connection->state == CONNECTION_WAITING && !connection->ready) {
		/* The first request may still wait for memory. This wait prolongs the delay, by at most RECORD_WAIT_MS. */
		if (connection->record_refused)
			connection->ready_ms = earlier(server->now_ms, connection->established_ms + RECORD_WAIT_MS) + FIRST_REQUEST_MS;
		connection->ready = connection->rings->received.used > 0 || connection->ended
			|| server->now_ms >= connection->ready_ms;
		if (connection->ready) server->has_new_waiting = true;
	}
	unlock(server);
}

static void serve(stream_server *server, stream_connection *connection)
{
	switch (state_of(server, connection)) {
	case CONNECTION_FREE: break;
	case CONNECTION_HANDSHAKING:
		switch (connection_handshake(connection)) {
		case STEP_DONE:
			connection->established_ms = socket_clock_ms();
			connection->ready_ms = connection->established_ms + FIRST_REQUEST_MS;
			break;
		case STEP_AGAIN:
			if (server->now_ms < deadline_of(server, connection)) break;
			admission_stalled(&server->queue, connection->address);
			/* fall through */
		case STEP_FAILED: drop(server, connection);
		}
		break;
	case CONNECTION_WAITING:
	case CONNECTION_OPEN:
		if (connection->broken || connection_transfer(connection) != STEP_FAILED) {
			report(server, connection);
			break;
		}
		end_transport(server, connection);
		/* The owner may have taken the connection in the meantime and must close it then. */
		lock(server);
		bool is_untaken = connection->state == CONNECTION_WAITING;
		if (is_untaken) connection->state = CONNECTION_CLOSING;
		unlock(server);
		if (is_untaken) connection_release(connection);
		break;
	case CONNECTION_CLOSING: serve_closing(server, connection); break;
	}
}

static void fail(stream_server *server)
{
	close(server->listener);
	server->listener = -1;
	lock(server);
	server->failed = true;
	unlock(server);
}

/* Returns the number of handshakes under way. The caller must hold the lock. */
static unsigned handshakes(const stream_server *server)
{
	unsigned count = 0;
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++)
		if (server->connections[i].state == CONNECTION_HANDSHAKING) count++;
	return count;
}

/*
 * Returns a place for a connection, or NULL if none may begin now. *pressed is set if an open connection must be closed
 * first.
 */
static stream_connection *find_place(stream_server *server, bool *pressed)
{
	unsigned existing = 0;
	bool is_unreported = false;
	stream_connection *free_one = NULL;
	*pressed = false;
	if (server->listener < 0 || server->now_ms < server->begin_after_ms) return NULL;
	lock(server);
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) {
		stream_connection *each = &server->connections[i];
		if (each->state == CONNECTION_FREE) free_one = each;
		else existing++;
		if (each->state == CONNECTION_WAITING && !each->ready) is_unreported = true;
	}
	unsigned shaking = handshakes(server);
	bool allowed = existing < server->options.max_connections && shaking < server->options.max_handshakes
		&& (shaking == 0 || !handshake_gate_is_wanted()) && server->test != TEST_WANTED;
	/* The owner may have a free place for a connection that is not reported yet, and would then close none. */
	*pressed = existing >= server->options.max_connections && shaking == 0 && !is_unreported;
	unlock(server);
	return allowed ? free_one : NULL;
}

static bool may_admit(stream_server *server)
{
	bool pressed;
	return admission_first(&server->queue) && find_place(server, &pressed);
}

static bool enter_gate(stream_server *server)
{
	server->is_inside = handshake_gate_enter(&server->gate);
	server->is_waiting = !server->is_inside;
	return server->is_inside;
}

static void leave_gate(stream_server *server)
{
	if (server->is_inside || server->is_waiting) handshake_gate_leave(&server->gate);
	server->is_inside = server->is_waiting = server->settling = false;
}

static void leave_idle_gate(stream_server *server)
{
	if (!server->is_inside && !server->is_waiting) return;
	lock(server);
	bool shaking = handshakes(server) > 0, testing = server->test == TEST_WANTED;
	unlock(server);
	if (server->is_inside ? !shaking && !server->settling : !testing && !may_admit(server)) leave_gate(server);
}

static void begin(stream_server *server, stream_connection *connection, pending_connection *pending)
{
	memcpy(connection->address, pending->address, STREAM_ADDRESS_SIZE);
	int socket = admission_take(&server->queue, pending);
	bool via_access_point = access_point_accepted(socket);
	lock(server);
	tls_identity *identity = server->identity;
	if (identity) identity->party.references++;
	unlock(server);
	if (!connection_begin(connection, socket, identity ? &identity->party : NULL)) {
		server->begin_after_ms = server->now_ms + SCARCE_MS;
		return;
	}
	lock(server);
	connection->via_access_point = via_access_point;
	connection->accepted = server->accepted++;
	connection->deadline_ms = server->now_ms + server->options.handshake_timeout_ms;
	connection->state = identity ? CONNECTION_HANDSHAKING : CONNECTION_WAITING;
	connection->ready = !identity;
	connection->reply = REPLY_NONE;
	if (!identity) connection->established_ms = server->now_ms;
	if (!identity) server->has_new_waiting = true;
	unlock(server);
}

static void update_trust(stream_server *server)
{
	lock(server);
	bool forgetting = server->forgetting;
	server->forgetting = false;
	unlock(server);
	if (forgetting) admission_forget_trusted(&server->queue);
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) {
		stream_connection *each = &server->connections[i];
		lock(server);
		bool known = each->known, replies = each->reply == REPLY_BEGUN;
		each->known = false;
		if (replies) each->reply = REPLY_COUNTED;
		unlock(server);
		if (known) admission_trust(&server->queue, each->address, server->now_ms);
		if (replies && server->now_ms < each->established_ms + PROMPT_REPLY_MS)
			admission_answered(&server->queue, each->address);
	}
}

static void accept_connections(stream_server *server)
{
	char address[STREAM_ADDRESS_SIZE];
	if (server->listener < 0 || server->now_ms < server->accept_after_ms) return;
	for (int i = 0; i < ACCEPTS_A_PASS; i++) {
		int socket = socket_accept(server->listener, address);
		if (socket == SOCKET_AGAIN) return;
		if (socket == SOCKET_BROKEN) {
			fail(server);
			return;
		}
		if (socket == SOCKET_SCARCE) {
			/*
			 * While a ready connection waits for a place, no lingering socket is closed here, because the connections being
			 * served will free some sockets.
			 */
			bool busy = admission_first(&server->queue);
			lingering_socket *oldest = busy ? NULL : oldest_lingering(server);
			if (oldest) end_lingering(oldest);
			else if (busy || !admission_evict(&server->queue, server->now_ms))
				server->accept_after_ms = server->now_ms + SCARCE_MS;
			return;
		}
		admission_add(&server->queue, socket, address, server->now_ms);
	}
}

static void admit_connections(stream_server *server)
{
	pending_connection *pending;
	bool pressed = false;
	lock(server);
	bool secure = server->identity;
	unlock(server);
	if (server->now_ms >= server->begin_after_ms) server->settling = false;
	while ((pending = admission_first(&server->queue))) {
		stream_connection *connection = find_place(server, &pressed);
		if (!connection || (secure && !enter_gate(server))) break;
		handshake_verdict verdict = secure ? memory_lock_handshake(server->now_ms) : HANDSHAKE_NOW;
		if (verdict != HANDSHAKE_NOW) {
			server->settling = verdict == HANDSHAKE_SOON;
			server->begin_after_ms = server->now_ms + (server->settling ? ASK_AGAIN_MS : SCARCE_MS);
			break;
		}
		begin(server, connection, pending);
	}
	if (!pending || !pressed || pending->notified) return;
	pending->notified = true;
	lock(server);
	server->is_newly_pressed = true;
	unlock(server);
}

static void test_identity(stream_server *server)
{
	char result[STREAM_SERVER_MESSAGE_SIZE] = "";
	lock(server);
	bool due = server->test == TEST_WANTED && !server->quitting && handshakes(server) == 0;
	unlock(server);
	if (!due || !enter_gate(server)) return;
	lock(server);
	tls_identity *identity = server->identity;
	identity->party.references++;
	unlock(server);
	tls_self_test(identity, result, sizeof(result));
	lock(server);
	memcpy(server->test_result, result, sizeof(result));
	server->test = TEST_OVER;
	bool last = --identity->party.references == 0;
	unlock(server);
	if (last) tls_party_free(&identity->party);
	leave_gate(server);
}

static void lower(uint64_t *wake_ms, uint64_t deadline_ms)
{
	*wake_ms = earlier(*wake_ms, deadline_ms);
}

typedef struct {
	struct pollfd sockets[WATCH_LIMIT];
	nfds_t count;
} watch_list;

/*
 * Adds a socket to the list. A socket without wanted events is not watched, because poll() would report its failure
 * repeatedly.
 */
static void watch(watch_list *list, int socket, short wants)
{
	if (socket >= 0 && wants) list->sockets[list->count++] = (struct pollfd){ .fd = socket, .events = wants };
}

static void wait_for_work(stream_server *server)
{
	watch_list list = { .count = 0 };
	uint32_t limit_ms = SLEEP_MS;
	uint64_t now_ms = socket_clock_ms(), wake_ms = now_ms + SLEEP_MS;
	server->now_ms = now_ms;
	watch(&list, server->wake, POLLIN);
	if (server->begin_after_ms > now_ms) lower(&wake_ms, server->begin_after_ms);
	if (server->accept_after_ms > now_ms) lower(&wake_ms, server->accept_after_ms);
	else watch(&list, server->listener, POLLIN);
	for (int i = 0; i < PENDING_CONNECTION_LIMIT; i++) {
		pending_connection *each = &server->queue.pending[i];
		watch(&list, each->socket, admission_listens(each) ? POLLIN : 0);
	}
	lower(&wake_ms, admission_deadline(&server->queue, now_ms));
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) {
		stream_connection *each = &server->connections[i];
		connection_state state = state_of(server, each);
		watch(&list, each->socket, connection_wants(each, &limit_ms));
		if (state == CONNECTION_HANDSHAKING || state == CONNECTION_CLOSING) lower(&wake_ms, deadline_of(server, each));
		if (state == CONNECTION_WAITING && !each->ready) lower(&wake_ms, each->ready_ms);
	}
	for (int i = 0; i < LINGER_LIMIT; i++) {
		lingering_socket *each = &server->lingering[i];
		watch(&list, each->socket, POLLIN);
		if (each->socket >= 0) lower(&wake_ms, each->deadline_ms);
	}
	lower(&wake_ms, now_ms + limit_ms);
	int timeout_ms = wake_ms <= now_ms ? 0 : (int)(wake_ms - now_ms);
	/* If poll() fails, sleep a little. ESP-IDF has no nanosleep(). */
	if (poll(list.sockets, list.count, timeout_ms) < 0) usleep(1000);
	server->now_ms = socket_clock_ms();
}

static void notify_listener(stream_server *server)
{
	lock(server);
	bool has_event = !server->notified && !server->quitting && stream_server_has_event(server);
	if (has_event) server->notified = true;
	unlock(server);
	if (has_event) server->options.notify(server->options.context);
}

static void stop(stream_server *server)
{
	if (server->listener >= 0) close(server->listener);
	server->listener = -1;
	admission_close(&server->queue);
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) {
		stream_connection *each = &server->connections[i];
		lock(server);
		bool is_untaken = each->state == CONNECTION_HANDSHAKING || each->state == CONNECTION_WAITING;
		if (is_untaken) each->state = CONNECTION_CLOSING;
		unlock(server);
		if (is_untaken) drop(server, each);
	}
}

static bool close_connections(stream_server *server, uint64_t deadline_ms)
{
	bool left = false;
	lock(server);
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) {
		stream_connection *each = &server->connections[i];
		if (each->state == CONNECTION_FREE) continue;
		left = true;
		each->state = CONNECTION_CLOSING;
		each->deadline_ms = deadline_ms;
	}
	unlock(server);
	for (int i = 0; i < LINGER_LIMIT; i++) {
		lingering_socket *each = &server->lingering[i];
		if (each->socket >= 0) left = true;
		if (each->deadline_ms > deadline_ms) each->deadline_ms = deadline_ms;
	}
	return left && server->now_ms < deadline_ms;
}

static void end_all(stream_server *server)
{
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) {
		stream_connection *each = &server->connections[i];
		if (state_of(server, each) != CONNECTION_FREE) drop(server, each);
	}
	for (int i = 0; i < LINGER_LIMIT; i++) end_lingering(&server->lingering[i]);
	leave_gate(server);
}

void *stream_thread_run(void *context)
{
	stream_server *server = context;
	uint64_t farewell_ms = 0;
	for (;;) {
		wait_for_work(server);
		socket_discard(server->wake);
		lock(server);
		server->woken = false;
		bool stopping = server->stopping, quitting = server->quitting;
		unlock(server);
		if (stopping) stop(server);
		for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) serve(server, &server->connections[i]);
		serve_lingering(server);
		leave_idle_gate(server);
		test_identity(server);
		update_trust(server);
		accept_connections(server);
		admission_serve(&server->queue, server->now_ms);
		admit_connections(server);
		leave_idle_gate(server);
		if (quitting && farewell_ms == 0) farewell_ms = server->now_ms + FAREWELL_MS;
		if (quitting && !close_connections(server, farewell_ms)) break;
		notify_listener(server);
	}
	end_all(server);
	return NULL;
}
