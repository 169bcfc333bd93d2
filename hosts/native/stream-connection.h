/*
 * One connection of the stream server (stream-server.h) or of a client (stream-client.h): two rings of plain text
 * between the owner's thread and the thread that alone uses the socket, and the plain or TLS transport. A lock guards
 * the rings and their state; it is never held while Mbed TLS computes.
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
	/* Number of times that the place was taken; part of the id. */
	unsigned generation;
	/* Set in WAITING, OPEN and CLOSING. */
	stream_rings *rings;
	/* The peer will send nothing more. */
	bool ended;
	/* The socket failed: `socket` is -1, and nothing can be sent. */
	bool broken;
	/* Bytes arrived that STREAM_READABLE has not reported. */
	bool fresh;
	bool ended_told;
	/* Unused part of the last reported room. */
	size_t promised;
	uint64_t accepted;
	uint64_t deadline_ms;
	char address[STREAM_ADDRESS_SIZE];
	bool via_access_point;
	/* A valid token was shown, which the queue does not know yet. */
	bool known;

	/* This and the following members are used by the socket's thread only. */
	int socket;
	/* NULL without TLS. */
	tls_party *party;
	mbedtls_ssl_context tls;
	/* Length of the record that Mbed TLS is waiting to send; the same bytes of the ring must be passed again. */
	size_t unsent_record;
	/* Error of Mbed TLS that ended the handshake; 0: no memory for the rings. */
	int handshake_error;
	/* The TLS peer has ended without close_notify (RFC 5246, 7.2.1), so data may be missing. */
	bool truncated;
	/* Events that poll() must wait for during the handshake. */
	short handshake_wants;
	/* Time since which no handshake message was completed. Single bytes count as silence. */
	uint64_t silent_since_ms;
	/* Bytes that may still be read from the network in this pass. */
	size_t budget;
	/* A TLS record waits for room in the socket. Nothing is read before. */
	bool blocked;
	/* Sending was refused for lack of memory (memory-lock.h); it asks again soon. */
	bool refused;
} stream_connection;

typedef enum { STEP_DONE, STEP_AGAIN, STEP_FAILED } connection_step;

/* The next four functions are for the owner's thread and need the lock. */

/* Next event of an OPEN connection, without its id; false without one. */
bool connection_event(const stream_connection *connection, stream_event *event);
/* Marks the event as reported. */
void connection_told(stream_connection *connection, const stream_event *event);
/* Like stream_read and stream_write; *wake: the thread has work to do. */
size_t connection_read(stream_connection *connection, void *into, size_t size, bool *wake);
size_t connection_write(stream_connection *connection, const void *bytes, size_t size, bool *wake);

/* All others are for the thread, without the lock. */

/*
 * Takes the socket and the reference to `party` (NULL: plain) in any case; returns false if memory is short, with
 * everything released.
 */
bool connection_begin(stream_connection *connection, int socket, tls_party *party);

/* STEP_DONE: the state is WAITING. */
connection_step connection_handshake(stream_connection *connection);

/* Moves bytes between rings and network as far as possible without waiting. STEP_FAILED: the connection broke. */
connection_step connection_transfer(stream_connection *connection);

/* Sends the rest, close_notify and FIN. STEP_DONE: only the peer's FIN is missing. */
connection_step connection_finish(stream_connection *connection);

/* Events that poll() must wait for; lowers *limit_ms if it must return sooner. */
short connection_wants(stream_connection *connection, uint32_t *limit_ms);

/* Releases the transport and returns the socket, or -1 if there is none. Rings and state stay. */
int connection_detach(stream_connection *connection);

/* Frees the place; call it after connection_detach. */
void connection_release(stream_connection *connection);

#endif
