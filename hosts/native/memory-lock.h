/*
 * Decides which connection may take memory from the common heap: for a handshake, for receiving a TLS record, or for
 * sending another piece, which takes memory until the peer has acknowledged it. If memory is short, one connection at a
 * time sends (it holds the lock briefly), and none sends while handshakes run or wait, or while the heap is nearly used
 * up. All restrictions are limited in time, so that a stalled peer cannot delay the others.
 */
#ifndef MEMORY_LOCK_H
#define MEMORY_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/*
	 * Peak heap of a handshake on a chip: an incoming record of 16 KB (any client may claim that much), an outgoing one
	 * of 4 KB, and 14 KB for the certificate chain and the computation. The 5 KB of the connection itself are not
	 * included. The 14 KB were measured for a client with Mbed TLS 2.28 as a 32-bit program with an RSA chain.
	 */
	HANDSHAKE_MEMORY = 36 * 1024,
	/* Largest block of HANDSHAKE_MEMORY: the incoming record. */
	HANDSHAKE_MEMORY_PIECE = 17 * 1024,
	/*
	 * Part of HANDSHAKE_MEMORY that comes from the heap even if Mbed TLS has its own memory: TCP segments and frames.
	 */
	HANDSHAKE_HEAP = 12 * 1024,
	/* Free heap that a sender must leave. */
	HEAP_FLOOR = 40 * 1024,
	/* Free heap to leave while records are received: 20 KB, and 4 KB for frames that arrive meanwhile. */
	LEAST_HEAP = 24 * 1024,
	/* Memory of a record beyond its length: header, authentication tag, alignment. */
	RECORD_EXTRA = 512,
	/*
	 * Memory of a piece being sent: a TLS record (4.5 KB), two segments of lwIP and two frames of the radio (1.5 KB
	 * each), and another segment and frame for handshake messages, which are sent without the lock.
	 */
	SENDING_MEMORY = 14 * 1024,
	/* Part of SENDING_MEMORY for a piece alone: its record and two segments. */
	PIECE_MEMORY = 7 * 1024,
	USUAL_HANDSHAKE_MEMORY = 16 * 1024,
	/* Longest hold of the lock while others want it. */
	LOCK_MS = 250,
	/* Silence after which earlier data no longer takes memory. */
	SETTLED_MS = 50,
	/*
	 * Longest uninterrupted delay of senders by handshakes. In total, handshakes may delay them at most half of the
	 * time.
	 */
	HOLD_UP_MS = 2000,
	/* Limit of records that are received as soon as there is a block for them. A piece of an upload is larger. */
	SMALL_RECORD = 2048,
	/*
	 * Longest wait of a larger record for the end of a handshake and of other connections' sending. A client is
	 * disconnected after 30 s if its body makes no progress (slowMs of modules/http/limits.ts).
	 */
	RECORD_WAIT_MS = 4000,
	/* Longest time for which a received record delays handshakes and senders. */
	RECORD_HOLD_MS = 2000,
	ASK_AGAIN_MS = 20,
};

/* Ask before each piece of at most 2 KB. `now_ms` is socket_clock_ms(). Any thread may call. */
bool memory_lock_send(const void *who, uint64_t now_ms);

/*
 * Ask before Mbed TLS receives a record of `size` bytes in one block of memory. If false, ask again in ASK_AGAIN_MS.
 * `since_ms`: time of the first request; `now_ms`: socket_clock_ms(). Any thread may call.
 */
bool memory_lock_receive(const void *who, size_t size, uint64_t since_ms, uint64_t now_ms);

/* Mbed TLS has freed the record. No effect without one. */
void memory_lock_received(const void *who);

void memory_lock_leave(const void *who);

typedef enum { HANDSHAKE_NOW, HANDSHAKE_SOON, HANDSHAKE_NO_MEMORY } handshake_verdict;

/* The party inside the gate (handshake-gate.h) asks, and after HANDSHAKE_SOON again in ASK_AGAIN_MS. */
handshake_verdict memory_lock_handshake(uint64_t now_ms);

#endif
