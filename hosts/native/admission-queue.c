/* See admission-queue.h. */
#include "admission-queue.h"

#include <string.h>
#include <unistd.h>

#include "stream-socket.h"

enum {
	/* Longest wait of a ready connection for a place, longer than any handshake ahead of it. */
	PATIENCE_MS = 20000,
	/* Time allowed to a new connection for sending its first bytes before it may be evicted. */
	FIRST_WORD_MS = 300,
	/* Interval at which a connection with incomplete first bytes is checked. */
	LOOK_MS = 20,
	/* Head of a TLS record: type, version, length (RFC 5246, 6.2.1). */
	RECORD_HEAD_SIZE = 5,
	RECORD_HANDSHAKE = 22,
	/* Number of bytes that count as a ClientHello even if it is longer, because lwIP shows only the first segment. */
	HELLO_SIZE = 256,
};

static bool is_there(const pending_connection *caller)
{
	return caller->socket >= 0;
}

static void send_away(pending_connection *caller)
{
	close(caller->socket);
	caller->socket = -1;
}

void admission_open(admission_queue *queue, unsigned limit, bool secure, uint64_t silence_ms)
{
	*queue = (admission_queue){ .limit = limit, .secure = secure, .silence_ms = silence_ms };
	for (int i = 0; i < PENDING_CONNECTION_LIMIT; i++) queue->callers[i].socket = -1;
}

/* Returns the index of the address in the list of trusted ones; -1 if it is not trusted. */
static int trusted_at(const admission_queue *queue, const char *address)
{
	for (int i = 0; i < TRUSTED_LIMIT; i++)
		if (strcmp(queue->trusted[i].address, address) == 0) return i;
	return -1;
}

static bool is_trusted(const admission_queue *queue, const char *address)
{
	return trusted_at(queue, address) >= 0;
}

void admission_trust(admission_queue *queue, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms)
{
	int place = trusted_at(queue, address);
	if (place < 0) {
		place = 0;
		for (int i = 1; i < TRUSTED_LIMIT; i++)
			if (queue->trusted[i].known_ms < queue->trusted[place].known_ms) place = i;
		memcpy(queue->trusted[place].address, address, STREAM_ADDRESS_SIZE);
	}
	queue->trusted[place].known_ms = now_ms;
	queue->trusted[place].stalls = 0;
}

static void end_trust(admission_queue *queue, int place)
{
	memset(&queue->trusted[place], 0, sizeof(queue->trusted[place]));
}

void admission_stalled(admission_queue *queue, const char *address)
{
	int place = trusted_at(queue, address);
	if (place < 0 || ++queue->trusted[place].stalls < ADMISSION_STALLS) return;
	end_trust(queue, place);
	/* The places taken by this address no longer count as places for trusted addresses. */
	queue->trusted_in_a_row = 0;
}

void admission_forget_trusted(admission_queue *queue)
{
	for (int i = 0; i < TRUSTED_LIMIT; i++) end_trust(queue, i);
}

static void end_old_trust(admission_queue *queue, uint64_t now_ms)
{
	for (int i = 0; i < TRUSTED_LIMIT; i++)
		if (now_ms >= queue->trusted[i].known_ms + TRUST_MS) end_trust(queue, i);
}

static unsigned callers_from(const admission_queue *queue, const char *address)
{
	unsigned count = 0;
	for (unsigned i = 0; i < queue->limit; i++)
		if (is_there(&queue->callers[i]) && strcmp(queue->callers[i].address, address) == 0) count++;
	return count;
}

/*
 * Returns true if `caller` is dropped before `other` when their addresses have equally many connections. Of two ready
 * connections the younger one is dropped, of two others the older one.
 */
static bool goes_before(const admission_queue *queue, const pending_connection *caller, const pending_connection *other)
{
	bool trusted = is_trusted(queue, caller->address);
	if (trusted != is_trusted(queue, other->address)) return !trusted;
	if (caller->ready != other->ready) return !caller->ready;
	return caller->ready ? caller->number > other->number : caller->number < other->number;
}

/*
 * Returns the connection to drop for `newcomer`, possibly `newcomer` itself. The newcomer counts for its address, and
 * as ready.
 */
static pending_connection *surplus(admission_queue *queue, pending_connection *newcomer)
{
	pending_connection *first = newcomer;
	unsigned most = callers_from(queue, newcomer->address) + 1;
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->callers[i];
		unsigned own = strcmp(each->address, newcomer->address) == 0 ? 1 : 0;
		unsigned count = callers_from(queue, each->address) + own;
		if (count < most || (count == most && !goes_before(queue, each, first))) continue;
		most = count;
		first = each;
	}
	return first;
}

void admission_add(admission_queue *queue, int socket, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms)
{
	pending_connection newcomer = { .socket = socket, .ready = true, .since_ms = now_ms, .number = ++queue->numbers };
	memcpy(newcomer.address, address, STREAM_ADDRESS_SIZE);
	pending_connection *place = NULL;
	for (unsigned i = 0; i < queue->limit && !place; i++)
		if (!is_there(&queue->callers[i])) place = &queue->callers[i];
	if (!place) {
		place = surplus(queue, &newcomer);
		send_away(place);
		if (place == &newcomer) return;
	}
	*place = newcomer;
	place->ready = false;
}

/* Returns 0 if enough bytes have arrived, SOCKET_AGAIN if not yet, SOCKET_BROKEN if nothing will arrive. */
static int has_spoken(const admission_queue *queue, pending_connection *caller, bool last_chance)
{
	uint8_t bytes[HELLO_SIZE];
	int count = socket_peek(caller->socket, bytes, queue->secure ? sizeof(bytes) : 1);
	if (count < 0) return count;
	if (count == 0) return SOCKET_BROKEN;
	if (!queue->secure) return 0;
	caller->begun = true;
	if (count < RECORD_HEAD_SIZE) return SOCKET_AGAIN;
	/*
	 * Bytes of another protocol count as enough, because Mbed TLS rejects them at once. A record header alone does not:
	 * a peer may send it in a segment of its own.
	 */
	if (bytes[0] != RECORD_HANDSHAKE || last_chance) return 0;
	size_t whole = RECORD_HEAD_SIZE + ((size_t)bytes[3] << 8 | bytes[4]);
	return (size_t)count >= sizeof(bytes) || (size_t)count >= whole ? 0 : SOCKET_AGAIN;
}

static uint64_t deadline_of(const admission_queue *queue, const pending_connection *caller)
{
	return caller->since_ms + (caller->ready ? PATIENCE_MS : queue->silence_ms);
}

void admission_serve(admission_queue *queue, uint64_t now_ms)
{
	end_old_trust(queue, now_ms);
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->callers[i];
		if (!is_there(each)) continue;
		bool late = now_ms >= deadline_of(queue, each);
		int spoken = each->ready ? SOCKET_AGAIN : has_spoken(queue, each, late);
		if (spoken == 0) {
			each->ready = true;
			each->since_ms = now_ms;
		} else if (late || spoken == SOCKET_BROKEN) send_away(each);
	}
}

/* Returns the sequence number of the address's last place; 0: never had one, or forgotten. */
static uint64_t last_turn(const admission_queue *queue, const char *address)
{
	for (int i = 0; i < ADMISSION_MEMORY; i++)
		if (strcmp(queue->served[i].address, address) == 0) return queue->served[i].turn;
	return 0;
}

static bool comes_before(const admission_queue *queue, const pending_connection *caller, const pending_connection *other)
{
	bool trusted = is_trusted(queue, caller->address);
	if (trusted != is_trusted(queue, other->address)) return trusted == (queue->trusted_in_a_row < TRUSTED_IN_A_ROW);
	uint64_t turn = last_turn(queue, caller->address), other_turn = last_turn(queue, other->address);
	return turn != other_turn ? turn < other_turn : caller->number < other->number;
}

pending_connection *admission_first(admission_queue *queue)
{
	pending_connection *first = NULL;
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->callers[i];
		if (!is_there(each) || !each->ready) continue;
		if (!first || comes_before(queue, each, first)) first = each;
	}
	return first;
}

static void remember(admission_queue *queue, const char *address)
{
	int place = 0;
	for (int i = 0; i < ADMISSION_MEMORY; i++) {
		if (strcmp(queue->served[i].address, address) == 0) {
			place = i;
			break;
		}
		if (queue->served[i].turn < queue->served[place].turn) place = i;
	}
	memcpy(queue->served[place].address, address, STREAM_ADDRESS_SIZE);
	queue->served[place].turn = ++queue->turns;
	if (!is_trusted(queue, address)) queue->trusted_in_a_row = 0;
	else if (queue->trusted_in_a_row < TRUSTED_IN_A_ROW) queue->trusted_in_a_row++;
}

int admission_take(admission_queue *queue, pending_connection *caller)
{
	int socket = caller->socket;
	remember(queue, caller->address);
	caller->socket = -1;
	/* This connection may have got the place that was freed for another one; the listener is then notified again. */
	for (unsigned i = 0; i < queue->limit; i++) queue->callers[i].told = false;
	return socket;
}

bool admission_evict(admission_queue *queue, uint64_t now_ms)
{
	pending_connection *oldest = NULL;
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->callers[i];
		if (is_there(each) && !each->ready && (!oldest || each->number < oldest->number)) oldest = each;
	}
	if (!oldest || now_ms < oldest->since_ms + FIRST_WORD_MS) return false;
	send_away(oldest);
	return true;
}

bool admission_listens(const pending_connection *caller)
{
	return is_there(caller) && !caller->ready && !caller->begun;
}

uint64_t admission_deadline(const admission_queue *queue, uint64_t now_ms)
{
	uint64_t first_ms = UINT64_MAX;
	for (unsigned i = 0; i < queue->limit; i++) {
		if (!is_there(&queue->callers[i])) continue;
		const pending_connection *each = &queue->callers[i];
		uint64_t due_ms = deadline_of(queue, each);
		if (each->begun && !each->ready && now_ms + LOOK_MS < due_ms) due_ms = now_ms + LOOK_MS;
		if (due_ms < first_ms) first_ms = due_ms;
	}
	return first_ms;
}

void admission_close(admission_queue *queue)
{
	for (unsigned i = 0; i < queue->limit; i++)
		if (is_there(&queue->callers[i])) send_away(&queue->callers[i]);
}
