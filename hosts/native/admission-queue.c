#include "admission-queue.h"

#include <string.h>
#include <unistd.h>

#include "stream-socket.h"

enum {
	/* Longest time that a ready connection waits for a place. It is longer than any handshake. */
	READY_WAIT_MS = 20000,
	/* Time that a new connection has for its first bytes. Afterwards it may be evicted. */
	GRACE_MS = 300,
	CHECK_MS = 20,
	/* Header of a TLS record: type, version, length (RFC 5246, 6.2.1). */
	RECORD_HEAD_SIZE = 5,
	RECORD_HANDSHAKE = 22,
	/* Number of bytes that count as a ClientHello even if it is longer, because lwIP shows only the first segment. */
	HELLO_SIZE = 256,
};

static bool is_used(const pending_connection *pending)
{
	return pending->socket >= 0;
}

static void drop(pending_connection *pending)
{
	close(pending->socket);
	pending->socket = -1;
}

void admission_open(admission_queue *queue, unsigned limit, bool secure, uint64_t silence_ms)
{
	*queue = (admission_queue){ .limit = limit, .secure = secure, .silence_ms = silence_ms };
	for (int i = 0; i < PENDING_CONNECTION_LIMIT; i++) queue->pending[i].socket = -1;
}

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
	queue->trusted_in_a_row = 0;
}

void admission_forget_trusted(admission_queue *queue)
{
	for (int i = 0; i < TRUSTED_LIMIT; i++) end_trust(queue, i);
}

static void end_expired_trust(admission_queue *queue, uint64_t now_ms)
{
	for (int i = 0; i < TRUSTED_LIMIT; i++)
		if (now_ms >= queue->trusted[i].known_ms + TRUST_MS) end_trust(queue, i);
}

static unsigned count_from(const admission_queue *queue, const char *address)
{
	unsigned count = 0;
	for (unsigned i = 0; i < queue->limit; i++)
		if (is_used(&queue->pending[i]) && strcmp(queue->pending[i].address, address) == 0) count++;
	return count;
}

static bool is_dropped_before(
	const admission_queue *queue, const pending_connection *pending, const pending_connection *other)
{
	bool trusted = is_trusted(queue, pending->address);
	if (trusted != is_trusted(queue, other->address)) return !trusted;
	if (pending->ready != other->ready) return !pending->ready;
	return pending->ready ? pending->number > other->number : pending->number < other->number;
}

/* Returns the connection to drop, which may be `newcomer`. */
static pending_connection *surplus(admission_queue *queue, pending_connection *newcomer)
{
	pending_connection *first = newcomer;
	unsigned most = count_from(queue, newcomer->address) + 1;
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->pending[i];
		unsigned own = strcmp(each->address, newcomer->address) == 0 ? 1 : 0;
		unsigned count = count_from(queue, each->address) + own;
		if (count < most || (count == most && !is_dropped_before(queue, each, first))) continue;
		most = count;
		first = each;
	}
	return first;
}

void admission_add(admission_queue *queue, int socket, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms)
{
	pending_connection newcomer = { .socket = socket, .ready = true, .since_ms = now_ms, .number = ++queue->arrivals };
	memcpy(newcomer.address, address, STREAM_ADDRESS_SIZE);
	pending_connection *place = NULL;
	for (unsigned i = 0; i < queue->limit && !place; i++)
		if (!is_used(&queue->pending[i])) place = &queue->pending[i];
	if (!place) {
		place = surplus(queue, &newcomer);
		drop(place);
		if (place == &newcomer) return;
	}
	*place = newcomer;
	place->ready = false;
}

/* Returns 0 if enough bytes have arrived, SOCKET_AGAIN if more may arrive, or SOCKET_BROKEN if nothing will arrive. */
static int check_first_bytes(const admission_queue *queue, pending_connection *pending, bool last_chance)
{
	uint8_t bytes[HELLO_SIZE];
	int count = socket_peek(pending->socket, bytes, queue->secure ? sizeof(bytes) : 1);
	if (count < 0) return count;
	if (count == 0) return SOCKET_BROKEN;
	if (!queue->secure) return 0;
	pending->has_first_byte = true;
	if (count < RECORD_HEAD_SIZE) return SOCKET_AGAIN;
	/*
	 * Bytes of another protocol count as enough, because Mbed TLS rejects them immediately. A record header alone is not
	 * enough, because a peer may send it in a separate segment.
	 */
	if (bytes[0] != RECORD_HANDSHAKE || last_chance) return 0;
	size_t record_size = RECORD_HEAD_SIZE + ((size_t)bytes[3] << 8 | bytes[4]);
	return (size_t)count >= sizeof(bytes) || (size_t)count >= record_size ? 0 : SOCKET_AGAIN;
}

static uint64_t deadline_of(const admission_queue *queue, const pending_connection *pending)
{
	return pending->since_ms + (pending->ready ? READY_WAIT_MS : queue->silence_ms);
}

void admission_serve(admission_queue *queue, uint64_t now_ms)
{
	end_expired_trust(queue, now_ms);
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->pending[i];
		if (!is_used(each)) continue;
		bool late = now_ms >= deadline_of(queue, each);
		int result = each->ready ? SOCKET_AGAIN : check_first_bytes(queue, each, late);
		if (result == 0) {
			each->ready = true;
			each->since_ms = now_ms;
		} else if (late || result == SOCKET_BROKEN) drop(each);
	}
}

static uint64_t last_place(const admission_queue *queue, const char *address)
{
	for (int i = 0; i < ADMISSION_MEMORY; i++)
		if (strcmp(queue->served[i].address, address) == 0) return queue->served[i].place;
	return 0;
}

static bool is_admitted_before(
	const admission_queue *queue, const pending_connection *pending, const pending_connection *other)
{
	bool trusted = is_trusted(queue, pending->address);
	if (trusted != is_trusted(queue, other->address)) return trusted == (queue->trusted_in_a_row < TRUSTED_IN_A_ROW);
	uint64_t last = last_place(queue, pending->address), other_last = last_place(queue, other->address);
	return last != other_last ? last < other_last : pending->number < other->number;
}

pending_connection *admission_first(admission_queue *queue)
{
	pending_connection *first = NULL;
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->pending[i];
		if (!is_used(each) || !each->ready) continue;
		if (!first || is_admitted_before(queue, each, first)) first = each;
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
		if (queue->served[i].place < queue->served[place].place) place = i;
	}
	memcpy(queue->served[place].address, address, STREAM_ADDRESS_SIZE);
	queue->served[place].place = ++queue->places;
	if (!is_trusted(queue, address)) queue->trusted_in_a_row = 0;
	else if (queue->trusted_in_a_row < TRUSTED_IN_A_ROW) queue->trusted_in_a_row++;
}

int admission_take(admission_queue *queue, pending_connection *pending)
{
	int socket = pending->socket;
	remember(queue, pending->address);
	pending->socket = -1;
	/* The place may have been freed for another connection, about which the listener must be notified again. */
	for (unsigned i = 0; i < queue->limit; i++) queue->pending[i].notified = false;
	return socket;
}

bool admission_evict(admission_queue *queue, uint64_t now_ms)
{
	pending_connection *oldest = NULL;
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->pending[i];
		if (is_used(each) && !each->ready && (!oldest || each->number < oldest->number)) oldest = each;
	}
	if (!oldest || now_ms < oldest->since_ms + GRACE_MS) return false;
	drop(oldest);
	return true;
}

bool admission_listens(const pending_connection *pending)
{
	return is_used(pending) && !pending->ready && !pending->has_first_byte;
}

uint64_t admission_deadline(const admission_queue *queue, uint64_t now_ms)
{
	uint64_t first_ms = UINT64_MAX;
	for (unsigned i = 0; i < queue->limit; i++) {
		if (!is_used(&queue->pending[i])) continue;
		const pending_connection *each = &queue->pending[i];
		uint64_t due_ms = deadline_of(queue, each);
		if (each->has_first_byte && !each->ready && now_ms + CHECK_MS < due_ms) due_ms = now_ms + CHECK_MS;
		if (due_ms < first_ms) first_ms = due_ms;
	}
	return first_ms;
}

void admission_close(admission_queue *queue)
{
	for (unsigned i = 0; i < queue->limit; i++)
		if (is_used(&queue->pending[i])) drop(&queue->pending[i]);
}
