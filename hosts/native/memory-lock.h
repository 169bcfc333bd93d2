/* Decides which connection may take memory from the common heap, for a handshake or for another outgoing piece,
   which takes memory until the peer has acknowledged it. With enough free memory everyone may. Otherwise one
   connection at a time sends (it holds the lock briefly), and none sends while handshakes run or wait. Both
   restrictions are limited in time, so that a stalled peer cannot delay the others. */
#ifndef MEMORY_LOCK_H
#define MEMORY_LOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/*
	 * Peak heap of a handshake on a chip: an incoming record of 16 KB (any client may claim one), an outgoing one of 4
	 * KB, and 14 KB for chain and computation besides its connection's 5, measured for a client with Mbed TLS 2.28 as a
	 * 32-bit program with an RSA chain (10 KB with ECDSA). A port with ECDSA takes 14 KB in all, measured in an
	 * emulated ESP32-C3.
	 */
	HANDSHAKE_MEMORY = 36 * 1024,
	/* Its largest block: the incoming record. */
	HANDSHAKE_MEMORY_PIECE = 17 * 1024,
	/* Part of HANDSHAKE_MEMORY that comes from the heap even if Mbed TLS has its own memory: segments and frames. */
	HANDSHAKE_HEAP = 12 * 1024,
	/* Free heap that senders must leave. */
	HEAP_FLOOR = 40 * 1024,
	/*
	 * Memory of a piece being sent: a TLS record (4.5 KB), two segments of lwIP and two frames of the radio (1.5 KB
	 * each), and one of each for handshake messages, which need no lock.
	 */
	SENDING_MEMORY = 14 * 1024,
	/* Usual memory of a port's handshake. */
	USUAL_HANDSHAKE_MEMORY = 16 * 1024,
	/* Longest time that a connection holds the lock while others want it. */
	LOCK_MS = 250,
	/* Silence after which earlier data has arrived and takes no memory any more. */
	SETTLED_MS = 50,
	/* Longest continuous delay of senders by handshakes; at most half of the time in total. */
	HOLD_UP_MS = 2000,
	/* Time after which a refused caller asks again. */
	ASK_AGAIN_MS = 20,
};

/*
 * Ask before each piece of at most 2 KB; returns true if `who` may send it now. `now_ms`: socket_clock_ms(). Any
 * thread.
 */
bool memory_lock_send(const void *who, uint64_t now_ms);

/* Forgets `who` when it is closed. */
void memory_lock_leave(const void *who);

typedef enum { HANDSHAKE_NOW, HANDSHAKE_SOON, HANDSHAKE_NO_MEMORY } handshake_verdict;

/* Called by the party inside the gate (handshake-gate.h). HANDSHAKE_SOON: ask again after ASK_AGAIN_MS. */
handshake_verdict memory_lock_handshake(uint64_t now_ms);

#endif
