/*
 * Decides which connection may take memory from the heap that all connections share: for a handshake, or for another
 * piece of outgoing data, which takes memory until the peer has acknowledged it. On a chip with one heap, two downloads
 * and a third handshake would leave nothing for the rest.
 *
 * While much memory is free, all may take it. Otherwise one connection at a time sends (it holds the lock for a
 * moment), and none sends while handshakes run or wait. Both apply for a short time only, so that a stalled peer cannot
 * hold up the others.
 */
#ifndef MEMORY_LOCK_H
#define MEMORY_LOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/*
	 * Heap that a handshake takes at its highest, on a chip: a record of 16 KB that comes (a stranger may claim as much), one
	 * of 4 KB that goes, and what chain and sums want: 14 KB beside its connection's own 5, measured for a client with
	 * Mbed TLS 2.28 as a 32-bit program, a chain of RSA (10 KB with ECDSA). A port's with ECDSA takes 14 KB in all, measured
	 * in an emulated ESP32-C3.
	 */
	HANDSHAKE_MEMORY = 36 * 1024,
	/* The largest piece of it: the record that comes. */
	HANDSHAKE_MEMORY_PIECE = 17 * 1024,
	/* The part of HANDSHAKE_MEMORY that comes from the heap even where Mbed TLS has memory of its own: segments and frames. */
	HANDSHAKE_HEAP = 12 * 1024,
	/* Free heap that senders must leave. */
	HEAP_FLOOR = 40 * 1024,
	/*
	 * Memory of a piece that is sent: a record of TLS in its buffer (4.5 KB), two segments of lwIP and two frames of the radio
	 * (1.5 KB each), and as much as one of each for what handshakes send, which ask for no turn.
	 */
	SENDING_MEMORY = 14 * 1024,
	/* Usual memory of a handshake with a port. */
	USUAL_HANDSHAKE_MEMORY = 16 * 1024,
	/* Longest time that a connection holds the lock while others want it. */
	LOCK_MS = 250,
	/* When nothing was sent for so long, what was sent before has arrived and takes no memory any more. */
	SETTLED_MS = 50,
	/* Longest time at a stretch for which handshakes hold up senders; half of the time in all. */
	HOLD_UP_MS = 2000,
	/* A caller that was refused asks again after so long. */
	ASK_AGAIN_MS = 20,
};

/*
 * Ask before each piece of at most 2 KB: returns true if `who` may send it now. The time is socket_clock_ms(). From any
 * thread.
 */
bool memory_lock_send(const void *who, uint64_t now_ms);

/* Forgets `who`, which is closed. */
void memory_lock_leave(const void *who);

typedef enum { HANDSHAKE_NOW, HANDSHAKE_SOON, HANDSHAKE_NO_MEMORY } handshake_verdict;

/* Asked by the party inside the gate (handshake-gate.h). HANDSHAKE_SOON: ask again after ASK_AGAIN_MS. */
handshake_verdict memory_lock_handshake(uint64_t now_ms);

#endif
