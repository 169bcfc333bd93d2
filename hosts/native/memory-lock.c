/* A mutex guards all state. It is held only for a few comparisons. */
#include "memory-lock.h"

#include <pthread.h>

#include "free-heap.h"
#include "handshake-gate.h"

/* Amount of free heap that suffices for a handshake and for a piece that is being sent. */
enum { ROOMY = HEAP_FLOOR + SENDING_MEMORY + USUAL_HANDSHAKE_MEMORY };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Connection that holds the lock, or NULL. */
static const void *holder;
static uint64_t held_since_ms;
/* Connection that sent last, the time at which it last sent, and the time at which any other connection last sent. */
static const void *sender;
static uint64_t sent_ms, other_sent_ms;
/* Time at which a record was last refused. */
static uint64_t record_refused_ms;
/* Connection with a large received record in memory, or NULL, and the time at which the record was permitted. */
static const void *receiver;
static uint64_t received_ms;
/*
 * Time for which handshakes and records may still delay senders. It decreases during a delay and increases otherwise.
 */
static uint64_t patience_ms = HOLD_UP_MS, asked_ms;
static bool held_up;

static uint64_t since(uint64_t then_ms, uint64_t now_ms)
{
	/* `then_ms` may be later than `now_ms`, because another thread may have read the clock slightly later. */
	return now_ms > then_ms ? now_ms - then_ms : 0;
}

/*
 * Returns true if senders must wait. The mutex must be held. How long they wait is limited by their patience:
 *
 *   memory               senders                               patience
 *   suffices             send                                  regained
 *   short (`short_of`)   wait, once half of it is regained,    spent
 *                        until it is spent
 *   with a received      wait                                  spent
 *   record (`by_record`)
 */
static bool is_held_up(bool short_of, bool by_record, uint64_t now_ms)
{
	uint64_t passed_ms = since(asked_ms, now_ms);
	asked_ms = now_ms;
	if (held_up || by_record) {
		/* A longer pause means that the thread that asks had ended or was busy with its handshake. */
		if (passed_ms > 2 * ASK_AGAIN_MS) passed_ms = 2 * ASK_AGAIN_MS;
		patience_ms -= passed_ms < patience_ms ? passed_ms : patience_ms;
	} else patience_ms = passed_ms < HOLD_UP_MS - patience_ms ? patience_ms + passed_ms : HOLD_UP_MS;
	/* When patience_ms has reached 0, half of HOLD_UP_MS must recover before the next delay. */
	held_up = short_of && (held_up ? patience_ms > 0 : patience_ms >= HOLD_UP_MS / 2);
	return held_up || by_record;
}

/* Returns true if `who` holds the lock and may send. The mutex must be held. */
static bool takes_lock(const void *who, uint64_t now_ms)
{
	/* A new holder does not count as idle, because it waits until the data of the other connections have arrived. */
	bool idle = since(sent_ms, now_ms) >= SETTLED_MS && since(held_since_ms, now_ms) >= 2 * SETTLED_MS;
	if (who != holder) {
		if (holder && !idle && since(held_since_ms, now_ms) < LOCK_MS) return false;
		holder = who;
		held_since_ms = now_ms;
	}
	/* The other connections have stopped sending, but their data must arrive before the holder sends. */
	return since(who == sender ? other_sent_ms : sent_ms, now_ms) >= SETTLED_MS;
}

/* Returns true if another connection has a received record in memory. The mutex must be held. */
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
	/* Nearly no memory is left, so each piece waits until the previous piece has arrived. */
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

/* Returns true if other connections use memory that they will free soon. The mutex must be held. */
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

/* Returns true if there is enough memory for a handshake. When Mbed TLS's own memory is full, it uses the heap. */
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
