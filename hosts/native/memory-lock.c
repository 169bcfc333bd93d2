/* See memory-lock.h. All state is guarded by a mutex, which is held only for a few comparisons. */
#include "memory-lock.h"

#include <pthread.h>

#include "free-heap.h"
#include "handshake-gate.h"

/* Free memory that suffices for a handshake and for a piece being sent. */
enum { ROOMY = HEAP_FLOOR + SENDING_MEMORY + USUAL_HANDSHAKE_MEMORY };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* NULL if no connection holds the lock. */
static const void *holder;
static uint64_t held_since_ms;
/* Last sender, the time at which it last sent, and the time at which any other connection last sent. */
static const void *sender;
static uint64_t sent_ms, other_sent_ms;
/* When a record was last refused. */
static uint64_t record_refused_ms;
/* Connection with a large record in memory, or NULL, and the time at which the record was permitted. */
static const void *receiver;
static uint64_t received_ms;
/* Time for which handshakes and records may still delay senders. It falls during a delay and recovers otherwise. */
static uint64_t patience_ms = HOLD_UP_MS, asked_ms;
static bool held_up;

static uint64_t since(uint64_t then_ms, uint64_t now_ms)
{
	/* The other thread may have read the clock slightly later. */
	return now_ms > then_ms ? now_ms - then_ms : 0;
}

/*
 * Senders wait for a limited time because memory is short (`short_of`) or a received record is in memory (`by_record`).
 * The mutex must be held.
 */
static bool is_held_up(bool short_of, bool by_record, uint64_t now_ms)
{
	uint64_t passed_ms = since(asked_ms, now_ms);
	asked_ms = now_ms;
	if (held_up || by_record) {
		/* A longer pause means that the asking thread has ended or was busy with its handshake. */
		if (passed_ms > 2 * ASK_AGAIN_MS) passed_ms = 2 * ASK_AGAIN_MS;
		patience_ms -= passed_ms < patience_ms ? passed_ms : patience_ms;
	} else patience_ms = passed_ms < HOLD_UP_MS - patience_ms ? patience_ms + passed_ms : HOLD_UP_MS;
	/* Once the time is used up, half of it must recover before the next delay. */
	held_up = short_of && (held_up ? patience_ms > 0 : patience_ms >= HOLD_UP_MS / 2);
	return held_up || by_record;
}

/* The mutex must be held. */
static bool takes_lock(const void *who, uint64_t now_ms)
{
	/* A new holder is not idle: it waits until the data of others have arrived. */
	bool idle = since(sent_ms, now_ms) >= SETTLED_MS && since(held_since_ms, now_ms) >= 2 * SETTLED_MS;
	if (who != holder) {
		if (holder && !idle && since(held_since_ms, now_ms) < LOCK_MS) return false;
		holder = who;
		held_since_ms = now_ms;
	}
	/* The other connections have stopped sending; their data must arrive first. */
	return since(who == sender ? other_sent_ms : sent_ms, now_ms) >= SETTLED_MS;
}

/* The mutex must be held. */
static bool record_delays(const void *who, uint64_t now_ms)
{
	return receiver && receiver != who && since(received_ms, now_ms) < RECORD_HOLD_MS;
}

bool memory_lock_send(const void *who, uint64_t now_ms)
{
	bool shaking = handshake_gate_is_taken();
	size_t heap = free_heap();
	pthread_mutex_lock(&lock);
	bool low = heap < LEAST_HEAP + SENDING_MEMORY;
	/* Nearly nothing is left: each piece waits until the previous piece has arrived. */
	bool waits = heap < LEAST_HEAP + PIECE_MEMORY && since(sent_ms, now_ms) < SETTLED_MS;
	bool short_of = low || (shaking && heap < ROOMY) || since(record_refused_ms, now_ms) <= 2 * ASK_AGAIN_MS;
	bool may = !is_held_up(short_of, low && record_delays(who, now_ms), now_ms) && !waits
		&& (heap >= HEAP_FLOOR + SENDING_MEMORY || takes_lock(who, now_ms));
	if (may) {
		if (who != sender) other_sent_ms = sent_ms;
		sender = who;
		sent_ms = now_ms;
	}
	pthread_mutex_unlock(&lock);
	return may;
}

/* True if other connections use memory that they will return soon. The mutex must be held. */
static bool others_use_memory(const void *who, bool shaking, uint64_t now_ms)
{
	return shaking || since(sent_ms, now_ms) < SETTLED_MS || record_delays(who, now_ms);
}

bool memory_lock_receive(const void *who, size_t size, uint64_t since_ms, uint64_t now_ms)
{
	size_t piece = size + RECORD_EXTRA, heap = free_heap();
	if (free_tls_piece() >= piece) return true;
	bool shaking = handshake_gate_is_taken(), may = free_heap_piece() >= piece;
	pthread_mutex_lock(&lock);
	if (size > SMALL_RECORD && heap < piece + LEAST_HEAP + (shaking ? USUAL_HANDSHAKE_MEMORY : 0))
		may = may && (!others_use_memory(who, shaking, now_ms) || since(since_ms, now_ms) >= RECORD_WAIT_MS);
	if (!may) {
		record_refused_ms = now_ms;
		(void)is_held_up(true, false, now_ms);
	} else if (size > SMALL_RECORD) {
		receiver = who;
		received_ms = now_ms;
	}
	pthread_mutex_unlock(&lock);
	return may;
}

void memory_lock_received(const void *who)
{
	pthread_mutex_lock(&lock);
	if (receiver == who) receiver = NULL;
	pthread_mutex_unlock(&lock);
}

void memory_lock_leave(const void *who)
{
	pthread_mutex_lock(&lock);
	if (holder == who) holder = NULL;
	if (sender == who) sender = NULL;
	if (receiver == who) receiver = NULL;
	pthread_mutex_unlock(&lock);
}

/* Mbed TLS uses the heap when its own memory is full. */
static bool has_handshake_memory(size_t heap)
{
	size_t own = free_tls_memory();
	if (own > HANDSHAKE_MEMORY - HANDSHAKE_HEAP) own = HANDSHAKE_MEMORY - HANDSHAKE_HEAP;
	if (heap < HANDSHAKE_MEMORY - own) return false;
	return free_tls_piece() >= HANDSHAKE_MEMORY_PIECE || free_heap_piece() >= HANDSHAKE_MEMORY_PIECE;
}

handshake_verdict memory_lock_handshake(uint64_t now_ms)
{
	size_t heap = free_heap();
	bool fits = has_handshake_memory(heap);
	pthread_mutex_lock(&lock);
	bool after_record = (!fits || heap < LEAST_HEAP + USUAL_HANDSHAKE_MEMORY) && record_delays(NULL, now_ms);
	bool waits = is_held_up(heap < ROOMY, after_record, now_ms) && since(sent_ms, now_ms) < SETTLED_MS;
	pthread_mutex_unlock(&lock);
	if (after_record || (fits && waits)) return HANDSHAKE_SOON;
	return fits ? HANDSHAKE_NOW : HANDSHAKE_NO_MEMORY;
}
