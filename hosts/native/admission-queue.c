#include "admission-queue.h"

#include <stdlib.h>
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

/* FNV-1a */
enum { HASH_START = 0x811c9dc5, HASH_FACTOR = 0x01000193 };

void admission_open(admission_queue *queue, unsigned limit, bool secure, uint64_t silence_ms, uint32_t seed)
{
	*queue = (admission_queue){
		.limit = limit,
		.secure = secure,
		.silence_ms = silence_ms,
		.key = seed,
		/* Must not be 0. */
		.random = seed | 1,
	};
	for (int i = 0; i < PENDING_CONNECTION_LIMIT; i++) queue->pending[i].socket = -1;
}

/* Returns a random number below `limit` (xorshift32). */
static unsigned random_below(admission_queue *queue, unsigned limit)
{
	uint32_t x = queue->random;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	queue->random = x;
	return x % limit;
}

static unsigned counter_of(const admission_queue *queue, const char *address)
{
	const char *point = strrchr(address, '.');
	const char *end = point ? point : address + strlen(address);
	uint32_t hash = queue->key ^ HASH_START;
	for (const char *at = address; at < end; at++) hash = (hash ^ (uint8_t)*at) * HASH_FACTOR;
	return (hash + (point ? (unsigned)atoi(point + 1) : 0)) % TURNS_COUNTERS;
}

/* Returns the number of turns that the address has had in vain. */
static unsigned turns_of(const admission_queue *queue, const char *address)
{
	unsigned counter = counter_of(queue, address);
	return queue->turns[counter / 2] >> counter % 2 * 4 & TURNS_LIMIT;
}

static void set_turns(admission_queue *queue, const char *address, unsigned turns)
{
	unsigned counter = counter_of(queue, address), shift = counter % 2 * 4;
	uint8_t *pair = &queue->turns[counter / 2];
	*pair = (uint8_t)((*pair & ~(TURNS_LIMIT << shift)) | turns << shift);
}

/* Halves all counters once for each full FORGET_MS that has passed. */
static void forget_turns(admission_queue *queue, uint64_t now_ms)
{
	uint64_t period = now_ms / FORGET_MS;
	uint64_t passed = period - queue->period;
	queue->period = period;
	for (int i = 0; i < TURNS_COUNTERS / 2 && passed > 0; i++)
		for (uint64_t halved = 0; halved < passed && queue->turns[i] > 0; halved++)
			queue->turns[i] = queue->turns[i] >> 1 & 0x77;
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
	set_turns(queue, address, 0);
}

static void count_turn(admission_queue *queue, const char *address)
{
	unsigned turns = turns_of(queue, address);
	if (turns < TURNS_LIMIT && !is_trusted(queue, address)) set_turns(queue, address, turns + 1);
}

void admission_answered(admission_queue *queue, const char *address)
{
	unsigned turns = turns_of(queue, address);
	if (turns > 0) set_turns(queue, address, turns - 1);
}

/* Drops a connection that has used the queue in vain. */
static void drop_silent(admission_queue *queue, pending_connection *pending)
{
	count_turn(queue, pending->address);
	drop(pending);
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

static bool is_silent(const pending_connection *pending, uint64_t now_ms)
{
	return !pending->ready && now_ms >= pending->since_ms + GRACE_MS;
}

/* Returns a number that is higher for a connection that is dropped before another one. */
static unsigned rank_of(
	const admission_queue *queue, const pending_connection *pending, const pending_connection *newcomer, uint64_t now_ms)
{
	unsigned connections = count_from(queue, pending->address);
	if (strcmp(pending->address, newcomer->address) == 0) connections++;
	unsigned turns = is_trusted(queue, pending->address) ? 0 : 1 + turns_of(queue, pending->address);
	return (connections * (TURNS_LIMIT + 2) + turns) * 2 + (is_silent(pending, now_ms) ? 1 : 0);
}

/* Returns the connection to drop, which may be `newcomer`. */
static pending_connection *surplus(admission_queue *queue, pending_connection *newcomer, uint64_t now_ms)
{
	pending_connection *first = newcomer;
	unsigned highest = rank_of(queue, newcomer, newcomer, now_ms), equals = 1;
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->pending[i];
		unsigned rank = rank_of(queue, each, newcomer, now_ms);
		if (!is_used(each) || rank < highest) continue;
		if (rank == highest && strcmp(each->address, first->address) == 0) {
			if (each->number > first->number) first = each;
			continue;
		}
		equals = rank > highest ? 1 : equals + 1;
		highest = rank;
		if (random_below(queue, equals) == 0) first = each;
	}
	return first;
}

void admission_add(admission_queue *queue, int socket, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms)
{
	forget_turns(queue, now_ms);
	pending_connection newcomer = { .socket = socket, .since_ms = now_ms, .number = ++queue->arrivals };
	memcpy(newcomer.address, address, STREAM_ADDRESS_SIZE);
	pending_connection *place = NULL;
	for (unsigned i = 0; i < queue->limit && !place; i++)
		if (!is_used(&queue->pending[i])) place = &queue->pending[i];
	if (!place) {
		place = surplus(queue, &newcomer, now_ms);
		if (is_silent(place, now_ms)) drop_silent(queue, place);
		else drop(place);
		if (place == &newcomer) return;
	}
	*place = newcomer;
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
	forget_turns(queue, now_ms);
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->pending[i];
		if (!is_used(each)) continue;
		bool late = now_ms >= deadline_of(queue, each);
		int result = each->ready ? SOCKET_AGAIN : check_first_bytes(queue, each, late);
		if (result == 0) {
			each->ready = true;
			each->since_ms = now_ms;
		} else if (late && !each->ready) drop_silent(queue, each);
		else if (late || result == SOCKET_BROKEN) drop(each);
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
	unsigned turns = turns_of(queue, pending->address), other_turns = turns_of(queue, other->address);
	if (turns != other_turns) return turns < other_turns;
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
	count_turn(queue, address);
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

uint32_t admission_patience(
	const admission_queue *queue, const char *address, const pending_connection *next, uint32_t longest_ms)
{
	/* The handshake itself has been counted as a turn. */
	unsigned own = turns_of(queue, address), others = turns_of(queue, next->address) + 1;
	if (own == 0 || others > own || is_trusted(queue, next->address)) return longest_ms;
	return others == own ? longest_ms / 2 : longest_ms / 4;
}

bool admission_evict(admission_queue *queue, uint64_t now_ms)
{
	pending_connection *oldest = NULL;
	for (unsigned i = 0; i < queue->limit; i++) {
		pending_connection *each = &queue->pending[i];
		if (is_used(each) && !each->ready && (!oldest || each->number < oldest->number)) oldest = each;
	}
	if (!oldest || !is_silent(oldest, now_ms)) return false;
	drop_silent(queue, oldest);
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
