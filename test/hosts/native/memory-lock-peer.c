/*
 * Tests of the memory lock (memory-lock.h), for memory-lock.test.ts. Ends with status 0, or names the line that failed.
 * Each call gets the time as an argument.
 *
 *   memory-lock-peer sending      permissions to send
 *   memory-lock-peer shaking      handshakes beside connections that send
 *   memory-lock-peer threads      many threads that come, send and leave
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "../../../hosts/native/free-heap.h"
#include "../../../hosts/native/handshake-gate.h"
#include "../../../hosts/native/memory-lock.h"
#include "must.h"

enum {
	THREADS = 4,
	PIECES = 400,
	LITTLE = HEAP_FLOOR + SENDING_MEMORY - 1,
	ROOM_TO_SEND = HEAP_FLOOR + SENDING_MEMORY,
	ROOM_FOR_ALL = ROOM_TO_SEND + USUAL_HANDSHAKE_MEMORY,
};

static _Atomic size_t heap = SIZE_MAX, piece = SIZE_MAX, tls, tls_piece;
static uint64_t now_ms = 1000000;
static const char a, b, c;

size_t free_heap(void)
{
	return heap;
}

size_t free_heap_piece(void)
{
	return piece;
}

size_t free_tls_memory(void)
{
	return tls;
}

size_t free_tls_piece(void)
{
	return tls_piece;
}

static bool sends(const char *who)
{
	return memory_lock_send(who, now_ms);
}

static void sending(void)
{
	heap = ROOM_TO_SEND;
	for (int i = 0; i < 10; i++) MUST(sends(&a) && sends(&b) && sends(&c));
	/* With little, nobody does before what the others have sent is there. */
	heap = LITTLE;
	MUST(!sends(&c) && !sends(&a) && !sends(&b));
	now_ms += SETTLED_MS - 1;
	MUST(!sends(&c));
	memory_lock_leave(&c);
	now_ms++;
	/* Then one has the turn and sends on, and no other before it has had it for a while. */
	MUST(sends(&a));
	uint64_t begin_ms = now_ms;
	for (; now_ms < begin_ms + LOCK_MS; now_ms += 10) MUST(sends(&a) && !sends(&b) && !sends(&c));
	/* Then neither, until what the first has sent is there, and the second holds it. */
	begin_ms = now_ms;
	for (; now_ms < begin_ms + SETTLED_MS - 10; now_ms += 10) MUST(!sends(&b) && !sends(&a) && !sends(&c));
	now_ms = begin_ms + SETTLED_MS;
	MUST(!sends(&a) && sends(&b) && !sends(&a) && !sends(&c) && sends(&b));
	/* A connection that sends nothing gives the lock away sooner. */
	now_ms += SETTLED_MS;
	MUST(sends(&b));
	now_ms += SETTLED_MS - 1;
	MUST(!sends(&c));
	now_ms += 1;
	MUST(sends(&c) && !sends(&b));
	/* A connection that ends at once; if it is the only one, nothing waits for it. */
	memory_lock_leave(&a);
	MUST(sends(&c) && !sends(&b));
	memory_lock_leave(&c);
	MUST(!sends(&b));
	now_ms += SETTLED_MS;
	for (int i = 0; i < 3 * LOCK_MS; i++, now_ms++) MUST(sends(&b));
	/* One that sends a little now and then, as a stream of events does, costs the others that moment. */
	for (int i = 0; i < 3; i++) {
		now_ms += 15000;
		MUST(sends(&a));
		now_ms += SETTLED_MS;
		MUST(!sends(&b));
		now_ms += SETTLED_MS;
		for (int j = 0; j < 3 * LOCK_MS; j++, now_ms++) MUST(sends(&b));
	}
	/* With much again, all of them. */
	heap = ROOM_TO_SEND;
	MUST(sends(&a) && sends(&b) && sends(&c));
}

static void granted(void *context)
{
	(void)context;
}

/* Milliseconds out of `ms` during which `who` may send, asked every ASK_AGAIN_MS. */
static unsigned allowed(const char *who, unsigned ms)
{
	unsigned count = 0;
	for (unsigned i = 0; i < ms; i += ASK_AGAIN_MS, now_ms += ASK_AGAIN_MS)
		if (sends(who)) count += ASK_AGAIN_MS;
	return count;
}

static void shaking(void)
{
	gate_party party = { .granted = granted };
	/* Without memory for the worst case there is no handshake. */
	heap = HANDSHAKE_MEMORY - 1;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NO_MEMORY);
	heap = HANDSHAKE_MEMORY;
	piece = HANDSHAKE_MEMORY_PIECE - 1;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NO_MEMORY);
	/* Where Mbed TLS has memory of its own, the heap gives the rest, and what Mbed TLS does not take. */
	tls = tls_piece = HANDSHAKE_MEMORY;
	heap = HANDSHAKE_HEAP;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NOW);
	heap--;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NO_MEMORY);
	tls = HANDSHAKE_MEMORY - HANDSHAKE_HEAP - 1;
	heap = HANDSHAKE_HEAP;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NO_MEMORY);
	heap++;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NOW);
	/* The record that comes lies in one piece of either. */
	tls_piece = HANDSHAKE_MEMORY_PIECE - 1;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NO_MEMORY);
	piece = HANDSHAKE_MEMORY_PIECE;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NOW);
	tls = tls_piece = 0;
	heap = HANDSHAKE_MEMORY;
	MUST(handshake_gate_enter(&party));
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NOW);
	/* With room for all nobody waits for anybody. */
	heap = ROOM_FOR_ALL;
	MUST(sends(&a) && memory_lock_handshake(now_ms) == HANDSHAKE_NOW && sends(&a));
	/* With less, what was sent arrives first, and nothing follows. */
	heap = ROOM_FOR_ALL - 1;
	for (int i = 0; i < SETTLED_MS; i += 10, now_ms += 10)
		MUST(memory_lock_handshake(now_ms) == HANDSHAKE_SOON && !sends(&a));
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NOW && !sends(&a));
	/* One that stalls holds up the others no longer than that, and a stretch of theirs follows. */
	unsigned sent = allowed(&a, HOLD_UP_MS);
	MUST(sent >= SETTLED_MS - 2 * ASK_AGAIN_MS && sent <= 10 * SETTLED_MS);
	sent = allowed(&a, HOLD_UP_MS / 3);
	MUST(sent > HOLD_UP_MS / 3 - 2 * ASK_AGAIN_MS);
	/* A handshake does not wait for them then. */
	MUST(sends(&a) && memory_lock_handshake(now_ms) == HANDSHAKE_NOW && sends(&a));
	/* Whatever happens at the gate, they have half of the time. */
	sent = allowed(&a, 20 * HOLD_UP_MS);
	MUST(sent > 9 * HOLD_UP_MS && sent < 11 * HOLD_UP_MS);
	handshake_gate_leave(&party);
	sent = allowed(&a, HOLD_UP_MS);
	MUST(sent == HOLD_UP_MS);
	/* A thread that has worked for the handshake comes back late: that was no waiting. */
	MUST(handshake_gate_enter(&party) && !sends(&a));
	for (int i = 0; i < 20; i++, now_ms += HOLD_UP_MS / 4) MUST(!sends(&a));
	handshake_gate_leave(&party);
	MUST(sends(&a));
}

static atomic_bool over;

/* Each connection gets to send all its bytes, whatever the others do and whatever is free. */
static void *compete(void *context)
{
	static atomic_uint clock_ms = 1;
	gate_party party = { .granted = granted };
	unsigned seed = *(unsigned *)context;
	for (int left = PIECES; left > 0;) {
		uint64_t time_ms = 2000000 + atomic_fetch_add(&clock_ms, 5);
		seed = seed * 1103515245 + 12345;
		if ((seed >> 16) % 64 == 0) heap = (seed >> 8) % ROOM_FOR_ALL;
		if ((seed >> 16) % 50 == 1 && handshake_gate_enter(&party)) (void)memory_lock_handshake(time_ms);
		if ((seed >> 16) % 50 >= 40) handshake_gate_leave(&party);
		if (memory_lock_send(context, time_ms)) left--;
		MUST(!over);
	}
	handshake_gate_leave(&party);
	memory_lock_leave(context);
	return NULL;
}

static void threads(void)
{
	pthread_t all[THREADS];
	unsigned seeds[THREADS];
	for (unsigned i = 0; i < THREADS; i++) {
		seeds[i] = i + 1;
		MUST(pthread_create(&all[i], NULL, compete, &seeds[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++) pthread_join(all[i], NULL);
	over = true;
}

int main(int count, char **arguments)
{
	MUST(count == 2);
	/* Comes from must.h and is not needed here. */
	(void)ring;
	(void)hear_ring;
	(void)read_order;
	if (strcmp(arguments[1], "sending") == 0) sending();
	else if (strcmp(arguments[1], "shaking") == 0) shaking();
	else threads();
	return 0;
}
