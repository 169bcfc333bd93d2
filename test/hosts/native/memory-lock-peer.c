/*
 * Tests of the memory lock (memory-lock.h), for memory-lock.test.ts. Exits with 0, or prints the failed line. Each
 * call gets the time as an argument.
 *
 *   memory-lock-peer sending      permissions to send
 *   memory-lock-peer shaking      handshakes while connections send
 *   memory-lock-peer receiving    records while connections send
 *   memory-lock-peer threads      many threads that enter, send and leave
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "../../../hosts/native/free-heap.h"
#include "../../../hosts/native/handshake-gate.h"
#include "../../../hosts/native/memory-lock.h"
#include "../must.h"

enum {
	THREADS = 4,
	PIECES = 400,
	LITTLE = HEAP_FLOOR + SENDING_MEMORY - 1,
	RECORD = 16 * 1024,
	/* A piece of an upload (hosts/browser/kit/upload.ts). */
	UPLOAD_RECORD = 4000 + 24,
	ROOM_TO_RECEIVE = RECORD + RECORD_EXTRA + LEAST_HEAP,
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
	/* With little heap, no connection may send before the bytes of the others have arrived. */
	heap = LITTLE;
	MUST(!sends(&c) && !sends(&a) && !sends(&b));
	now_ms += SETTLED_MS - 1;
	MUST(!sends(&c));
	memory_lock_leave(&c);
	now_ms++;
	/* Then one connection holds the lock and sends, and no other for a while. */
	MUST(sends(&a));
	uint64_t begin_ms = now_ms;
	for (; now_ms < begin_ms + LOCK_MS; now_ms += 10) MUST(sends(&a) && !sends(&b) && !sends(&c));
	/* Then neither may send, until the first one's bytes have arrived and the second gets the lock. */
	begin_ms = now_ms;
	for (; now_ms < begin_ms + SETTLED_MS - 10; now_ms += 10) MUST(!sends(&b) && !sends(&a) && !sends(&c));
	now_ms = begin_ms + SETTLED_MS;
	MUST(!sends(&a) && sends(&b) && !sends(&a) && !sends(&c) && sends(&b));
	/* A connection that sends nothing loses the lock sooner. */
	now_ms += SETTLED_MS;
	MUST(sends(&b));
	now_ms += SETTLED_MS - 1;
	MUST(!sends(&c));
	now_ms += 1;
	MUST(sends(&c) && !sends(&b));
	/* A connection ends at once; a single connection never waits. */
	memory_lock_leave(&a);
	MUST(sends(&c) && !sends(&b));
	memory_lock_leave(&c);
	MUST(!sends(&b));
	now_ms += SETTLED_MS;
	for (int i = 0; i < 3 * LOCK_MS; i++, now_ms++) MUST(sends(&b));
	/* A connection that sends a little now and then, as an event stream does, delays the others only while it sends. */
	for (int i = 0; i < 3; i++) {
		now_ms += 15000;
		MUST(sends(&a));
		now_ms += SETTLED_MS;
		MUST(!sends(&b));
		now_ms += SETTLED_MS;
		for (int j = 0; j < 3 * LOCK_MS; j++, now_ms++) MUST(sends(&b));
	}
	/* With nearly no heap, the holder's own bytes must have arrived too. */
	heap = LEAST_HEAP + PIECE_MEMORY - 1;
	now_ms += SETTLED_MS;
	unsigned pieces = 0;
	for (uint64_t last_ms = 0, end_ms = now_ms + 10000; now_ms < end_ms; now_ms++) {
		if (!sends(&b)) continue;
		MUST(now_ms - last_ms >= SETTLED_MS);
		last_ms = now_ms;
		pieces++;
	}
	MUST(pieces >= 10000 / SETTLED_MS / 4);
	/* With plenty of heap again, all may send. */
	heap = ROOM_TO_SEND;
	MUST(sends(&a) && sends(&b) && sends(&c));
}

static void granted(void *context)
{
	(void)context;
}

/* Milliseconds of `ms` in which `who` may send, checked every ASK_AGAIN_MS. */
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
	/* If Mbed TLS has memory of its own, the heap covers only the rest. */
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
	/* A received record needs one piece of either memory. */
	tls_piece = HANDSHAKE_MEMORY_PIECE - 1;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NO_MEMORY);
	piece = HANDSHAKE_MEMORY_PIECE;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NOW);
	tls = tls_piece = 0;
	heap = HANDSHAKE_MEMORY;
	MUST(handshake_gate_enter(&party));
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NOW);
	/* With enough memory for all, no connection waits. */
	heap = ROOM_FOR_ALL;
	MUST(sends(&a) && memory_lock_handshake(now_ms) == HANDSHAKE_NOW && sends(&a));
	/* With less memory, sent bytes must arrive first, and no more are sent. */
	heap = ROOM_FOR_ALL - 1;
	for (int i = 0; i < SETTLED_MS; i += 10, now_ms += 10)
		MUST(memory_lock_handshake(now_ms) == HANDSHAKE_SOON && !sends(&a));
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NOW && !sends(&a));
	/* A stalled handshake delays the senders for at most HOLD_UP_MS; then they get their share. */
	unsigned sent = allowed(&a, HOLD_UP_MS);
	MUST(sent >= SETTLED_MS - 2 * ASK_AGAIN_MS && sent <= 10 * SETTLED_MS);
	sent = allowed(&a, HOLD_UP_MS / 3);
	MUST(sent > HOLD_UP_MS / 3 - 2 * ASK_AGAIN_MS);
	/* A handshake does not wait for the senders then. */
	MUST(sends(&a) && memory_lock_handshake(now_ms) == HANDSHAKE_NOW && sends(&a));
	/* Whatever happens at the gate, senders have half of the time. */
	sent = allowed(&a, 20 * HOLD_UP_MS);
	MUST(sent > 9 * HOLD_UP_MS && sent < 11 * HOLD_UP_MS);
	handshake_gate_leave(&party);
	sent = allowed(&a, HOLD_UP_MS);
	MUST(sent == HOLD_UP_MS);
	/* A thread that returns late from the handshake's work was not waiting. */
	MUST(handshake_gate_enter(&party) && !sends(&a));
	for (int i = 0; i < 20; i++, now_ms += HOLD_UP_MS / 4) MUST(!sends(&a));
	handshake_gate_leave(&party);
	MUST(sends(&a));
}

static uint64_t asked_ms;

/* Asks for one record of `c` until it may be received. It then stays in memory. */
static bool keeps(void)
{
	static bool waiting;
	if (!waiting) asked_ms = now_ms;
	waiting = !memory_lock_receive(&c, RECORD, asked_ms, now_ms);
	return !waiting;
}

static bool receives(void)
{
	bool may = keeps();
	memory_lock_received(&c);
	return may;
}

static void receiving(void)
{
	gate_party party = { .granted = granted };
	/* With enough memory a record is received even while others send. */
	heap = ROOM_TO_RECEIVE;
	MUST(sends(&a) && receives());
	/* With less, it waits until the sent bytes have arrived; no more are sent meanwhile. */
	heap = ROOM_TO_RECEIVE - 1;
	for (int i = 0; i < SETTLED_MS; i += 10, now_ms += 10) MUST(!receives() && !sends(&a) && !sends(&b));
	MUST(receives());
	/* If nobody sends, waiting would not help. */
	now_ms += HOLD_UP_MS;
	heap = RECORD + RECORD_EXTRA;
	MUST(receives());
	/* A record needs one block, of either memory. Senders are delayed for its sake, but at most half of the time. */
	heap = ROOM_FOR_ALL;
	piece = RECORD + RECORD_EXTRA - 1;
	now_ms += HOLD_UP_MS;
	MUST(!receives() && !sends(&a));
	unsigned sent = 0;
	for (unsigned i = 0; i < 20 * HOLD_UP_MS; i += ASK_AGAIN_MS, now_ms += ASK_AGAIN_MS) {
		/* The two requests come in either order. */
		bool first = i / ASK_AGAIN_MS % 2 == 0 && sends(&a);
		MUST(!receives());
		if (first || (i / ASK_AGAIN_MS % 2 == 1 && sends(&a))) sent += ASK_AGAIN_MS;
	}
	MUST(sent > 9 * HOLD_UP_MS && sent < 11 * HOLD_UP_MS);
	tls_piece = RECORD + RECORD_EXTRA;
	MUST(receives());
	tls_piece = 0;
	piece++;
	MUST(receives());
	/* The refused record is forgotten soon. */
	now_ms += HOLD_UP_MS;
	MUST(sends(&a));
	/* Beside a handshake a record needs the memory of both, but waits only for a limited time. */
	MUST(handshake_gate_enter(&party));
	now_ms += SETTLED_MS;
	heap = ROOM_TO_RECEIVE + USUAL_HANDSHAKE_MEMORY;
	MUST(receives());
	heap--;
	unsigned waited = 0;
	MUST(!receives() && memory_lock_receive(&c, SMALL_RECORD, now_ms, now_ms));
	heap = UPLOAD_RECORD + RECORD_EXTRA + LEAST_HEAP + USUAL_HANDSHAKE_MEMORY - 1;
	MUST(!memory_lock_receive(&c, UPLOAD_RECORD, now_ms, now_ms));
	heap = ROOM_TO_RECEIVE + USUAL_HANDSHAKE_MEMORY - 1;
	for (; !receives(); now_ms += ASK_AGAIN_MS) waited += ASK_AGAIN_MS;
	MUST(waited == RECORD_WAIT_MS);
	handshake_gate_leave(&party);
	MUST(receives());
	/* While a large record is in memory, nobody else sends and no handshake begins, unless there is memory for them. */
	now_ms += HOLD_UP_MS;
	heap = ROOM_FOR_ALL;
	piece = SIZE_MAX;
	MUST(keeps() && sends(&a) && memory_lock_handshake(now_ms) == HANDSHAKE_NOW);
	heap = LEAST_HEAP + SENDING_MEMORY - 1;
	unsigned delay = 0;
	for (; !sends(&a); now_ms += ASK_AGAIN_MS, delay += ASK_AGAIN_MS) {
		MUST(!sends(&b));
		MUST(delay < SETTLED_MS || memory_lock_handshake(now_ms) == HANDSHAKE_SOON);
	}
	MUST(delay == RECORD_HOLD_MS);
	/* The senders then have as much time, in which the next record waits. */
	memory_lock_received(&c);
	MUST(!keeps());
	sent = 0;
	for (; !keeps(); now_ms += ASK_AGAIN_MS)
		if (sends(&a)) sent += ASK_AGAIN_MS;
	MUST(sent >= HOLD_UP_MS / 2 - SETTLED_MS && sent < 2 * HOLD_UP_MS);
	/* The end of the record, or of its connection, ends the delay. */
	heap = LEAST_HEAP + USUAL_HANDSHAKE_MEMORY;
	now_ms += SETTLED_MS;
	heap--;
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_SOON);
	memory_lock_leave(&c);
	MUST(memory_lock_handshake(now_ms) == HANDSHAKE_NOW);
	/* Nobody sends while the heap is nearly used up, but at most half of the time. */
	now_ms += HOLD_UP_MS;
	heap = LEAST_HEAP + SENDING_MEMORY - 1;
	sent = allowed(&a, 20 * HOLD_UP_MS);
	MUST(sent > 9 * HOLD_UP_MS && sent < 11 * HOLD_UP_MS);
	heap++;
	now_ms += HOLD_UP_MS;
	MUST(sends(&a));
}

static atomic_bool over;

/* Each connection can send all its bytes, with any load and any free heap. */
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
	if (strcmp(arguments[1], "sending") == 0) sending();
	else if (strcmp(arguments[1], "shaking") == 0) shaking();
	else if (strcmp(arguments[1], "receiving") == 0) receiving();
	else threads();
	return 0;
}
