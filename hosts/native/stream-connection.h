/*
 * One connection, of the stream server (stream-server.h) or of a client (stream-client.h): two rings of plaintext between
 * the owner's thread and the one that alone touches the socket, and the plain or TLS transport behind them. The rings and
 * what is told of them are guarded by a lock, which is never held while Mbed TLS computes.
 *
 *   FREE -> HANDSHAKING -> WAITING -> OPEN -> CLOSING -> FREE      (a plain connection begins as WAITING)
 *                                take     close
 */
#ifndef STREAM_CONNECTION_H
#define STREAM_CONNECTION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream-server.h"
#include "tls-party.h"

typedef struct {
	size_t start;
	size_t used;
	uint8_t bytes[STREAM_RING_SIZE];
} byte_ring;

typedef struct {
	byte_ring received;
	byte_ring sent;
} stream_rings;

typedef enum {
	CONNECTION_FREE = 0,
	CONNECTION_HANDSHAKING,
	CONNECTION_WAITING,
	CONNECTION_OPEN,
	CONNECTION_CLOSING,
} connection_state;

typedef struct {
	pthread_mutex_t *lock;

	/* Used by both threads, under the lock. */
	connection_state state;
	/* Counts how often the place was taken: part of the id. */
	unsigned generation;
	/* In WAITING, OPEN and CLOSING. */
	stream_rings *rings;
	/* The other side will send nothing more. */
	bool ended;
	/* The socket failed: `socket` is -1, and nothing can be sent. */
	bool broken;
	/* Bytes arrived that STREAM_READABLE has not reported. */
	bool fresh;
	bool ended_told;
	/* Unused part of the room that was reported last. */
	size_t promised;
	uint64_t accepted;
	uint64_t deadline_ms;
	char address[STREAM_ADDRESS_SIZE];
	bool via_access_point;
	/* A valid token was shown on it; the queue does not know yet. */
	bool known;

	/* The socket's thread alone. */
	int socket;
	/* Set for TLS, else NULL. */
	tls_party *party;
	mbedtls_ssl_context tls;
	/* Mbed TLS is waiting to send a record of so many bytes of the ring: the same must be passed to it again. */
	size_t unsent_record;
	/* Error of Mbed TLS: why the handshake failed; 0: there was no memory for the rings. */
	int handshake_error;
	/* TLS, and the other side has ended without saying so (RFC 5246, 7.2.1): maybe it was cut off. */
	bool truncated;
	/* Events that poll() must wait for during the handshake. */
	short handshake_wants;
	/* In a handshake: since when no message of it has come whole. A byte now and then is silence too. */
	uint64_t silent_since_ms;
	/* Bytes that may still be taken from the network in this pass. */
	size_t budget;
	/* The next record of TLS waits for room of the socket, or a part of one. Nothing is read before. */
	bool blocked;
	/* There is no memory to send now (memory-lock.h): it asks again soon. */
	bool refused;
} stream_connection;

typedef enum { STEP_DONE, STEP_AGAIN, STEP_FAILED } connection_step;

/* The next four are for the owner's thread, with the lock. */

/* Next event of an OPEN connection, without its id; false without one. */
bool connection_event(const stream_connection *connection, stream_event *event);
/* Marks the event as reported. */
void connection_told(stream_connection *connection, const stream_event *event);
/* As stream_read and stream_write; *wake: there is something to do for the thread. */
size_t connection_read(stream_connection *connection, void *into, size_t size, bool *wake);
size_t connection_write(stream_connection *connection, const void *bytes, size_t size, bool *wake);

/* The rest is for the thread, without the lock. */

/* Takes the socket and the reference to `party` (NULL: plain) in any case; false: out of memory, all is undone. */
bool connection_begin(stream_connection *connection, int socket, tls_party *party);

/* STEP_DONE: it is WAITING now. */
connection_step connection_handshake(stream_connection *connection);

/* Moves bytes between rings and network as far as it goes without waiting. STEP_FAILED: the connection broke. */
connection_step connection_transfer(stream_connection *connection);

/* Sends what is left, close_notify and FIN. STEP_DONE: only the other side's FIN is missing. */
connection_step connection_finish(stream_connection *connection);

/* Events that poll() must wait for; lowers *limit_ms if it must return sooner. */
short connection_wants(stream_connection *connection, uint32_t *limit_ms);

/* Gives the transport up, and the socket to the caller: -1 when it is gone before. Rings and state stay. */
int connection_detach(stream_connection *connection);

/* Makes the place free; the transport is detached before. */
void connection_release(stream_connection *connection);

#endif
