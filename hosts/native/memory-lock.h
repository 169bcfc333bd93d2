/*
 * Decides which connection may take memory from the common heap: for a handshake, for receiving a TLS record, or for
 * sending another piece, which takes memory until the peer has acknowledged it. If memory is short, only one connection
 * at a time sends; it holds the lock for a short time. While handshakes run or wait, or while nearly no heap is free,
 * no connection sends. All restrictions are limited in time, so that a stalled peer cannot delay the others.
 */
#ifndef MEMORY_LOCK_H
#define MEMORY_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/*
	 * Peak heap of a handshake on a chip: an incoming record of 16 KB (any client may claim that much), an outgoing one
	 * of 4 KB, and 14 KB for the certificate chain and the computation. The connection itself takes another 5 KB. The 14
	 * KB were measured for a client with an RSA chain, in a 32-bit program with Mbed TLS 2.28.
	 */
	HANDSHAKE_MEMORY = 36 * 1024,
	/* Size of the largest memory block in HANDSHAKE_MEMORY, which is the incoming record. */
	HANDSHAKE_MEMORY_PIECE = 17 * 1024,
	/*
	 * Part of HANDSHAKE_MEMORY that comes from the heap even if Mbed TLS has its own memory. It is used for TCP segments
	 * and frames.
	 */
	HANDSHAKE_HEAP = 12 * 1024,
	/* Amount of heap that must stay free when a connection sends. */
	HEAP_FLOOR = 40 * 1024,
	/*
	 * Amount of heap that must stay free while records are received: 20 KB, and 4 KB for frames that arrive in the
	 * meantime.
	 */
	LEAST_HEAP = 24 * 1024,
	/* Memory that a record takes beyond its length, for header, authentication tag and alignment. */
	RECORD_EXTRA = 512,
	/*
	 * Memory that a piece takes while it is sent: a TLS record (4.5 KB), two segments of lwIP and two frames of the radio
	 * (1.5 KB each), and another segment and frame for handshake messages, which are sent without the lock.
	 */
	SENDING_MEMORY = 14 * 1024,
	/* Part of SENDING_MEMORY for the piece alone: its record and two segments. */
	PIECE_MEMORY = 7 * 1024,
	USUAL_HANDSHAKE_MEMORY = 16 * 1024,
	/* Longest time that a connection holds the lock while others want it. */
	LOCK_MS = 250,
	/* After this silence, the data that a connection sent no longer take memory. */
	SETTLED_MS = 50,
	/*
	 * Longest uninterrupted delay of senders by handshakes. In total, handshakes delay senders at most half of the time.
	 */
	HOLD_UP_MS = 2000,
	/* Records up to this size are received as soon as there is a free block for them. A piece of an upload is larger. */
	SMALL_RECORD = 2048,
	/*
	 * Longest time that a larger record waits until a handshake has ended and other connections have stopped sending. A
	 * client is disconnected after 30 s if its body makes no progress (slowMs of modules/http/limits.ts).
	 */
	RECORD_WAIT_MS = 4000,
	/* Longest delay of handshakes and senders by a received record. */
	RECORD_HOLD_MS = 2000,
	ASK_AGAIN_MS = 20,
};

/*
 * Returns true if the connection may send. Ask before each piece of at most 2 KB. `now_ms` is socket_clock_ms(). May be
 * called in any thread.
 */
bool memory_lock_send(const void *who, uint64_t now_ms);

/*
 * Returns true if Mbed TLS may receive a record of `size` bytes, for which it needs one block of memory. If the result
 * is false, ask again in ASK_AGAIN_MS. `since_ms` is the time of the first request, `now_ms` is socket_clock_ms(). May
 * be called in any thread.
 */
bool memory_lock_receive(const void *who, size_t size, uint64_t since_ms, uint64_t now_ms);

/* Call it when Mbed TLS has freed the record. Has no effect without a record. */
void memory_lock_received(const void *who);

void memory_lock_leave(const void *who);

typedef enum { HANDSHAKE_NOW, HANDSHAKE_SOON, HANDSHAKE_NO_MEMORY } handshake_verdict;

/*
 * Tells whether there is memory for a handshake. The party inside the gate (handshake-gate.h) asks. After
 * HANDSHAKE_SOON it asks again in ASK_AGAIN_MS.
 */
handshake_verdict memory_lock_handshake(uint64_t now_ms);

#endif
