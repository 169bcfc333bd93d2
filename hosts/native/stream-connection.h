/*
 * One connection of the stream server (stream-server.h) or of a client (stream-client.h): two rings of plain text
 * between the owner's thread and the only thread that uses the socket, and the transport, plain TCP or TLS. A lock
 * guards the rings and their state; it is never held while Mbed TLS computes.
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

	/* Both threads use the members from here on, under the lock. */
	connection_state state;
	/* Part of the connection's id. */
	unsigned generation;
	stream_rings *rings;
	bool ended;
	/* The socket has failed: `socket` is -1, and nothing can be sent. */
	bool broken;
	/* STREAM_READABLE has not reported all bytes. */
	bool fresh;
	bool ended_reported;
	/* Unused part of the last reported room. */
	size_t promised;
	uint64_t accepted;
	uint64_t deadline_ms;
	char address[STREAM_ADDRESS_SIZE];
	bool via_access_point;
	/* The owner may take the connection, which is WAITING. */
	bool ready;
	/* The admission queue does not know yet about a valid token. */
	bool known;

	/* Only the socket's thread uses the members from here on. */
	int socket;
	/* NULL for plain TCP. */
	tls_party *party;
	mbedtls_ssl_context tls;
	/* Length; the same bytes must be passed again. */
	size_t unsent_record;
	/* Error that ended the handshake; 0: no memory for the rings. */
	int handshake_error;
	/* No close_notify (RFC 5246, 7.2.1), so that data may be missing. */
	bool truncated;
	short handshake_wants;
	/* Time of the last complete handshake message; single bytes do not count. */
	uint64_t silent_since_ms;
	/* Bytes to read in this pass of the loop, at most. */
	size_t budget;
	/* A TLS record waits for room in the socket. Nothing is read until then. */
	bool blocked;
	/* memory-lock.h did not permit to send, or to receive a record; tried again soon. */
	bool refused, record_refused;
	uint64_t record_since_ms;
	/* Bytes of the record still to arrive; too many if only part of its header was there first. */
	size_t record_left;
	bool has_record;
	/* End of the handshake; until ready_ms a connection without a request is not reported to the owner. */
	uint64_t established_ms, ready_ms;
} stream_connection;

typedef enum { STEP_DONE, STEP_AGAIN, STEP_FAILED } connection_step;

/* The next four functions are called in the owner's thread, with the lock held. */

/* The connection is OPEN; the event lacks its id. False if no event follows. */
bool connection_event(const stream_connection *connection, stream_event *event);
void connection_reported(stream_connection *connection, const stream_event *event);
/* Like stream_read and stream_write. *wake is set to whether the thread has work to do. */
size_t connection_read(stream_connection *connection, void *into, size_t size, bool *wake);
size_t connection_write(stream_connection *connection, const void *bytes, size_t size, bool *wake);

/* All other functions are called in the socket's thread, without the lock. */

/*
 * Takes over the socket and the reference to `party` (NULL: plain TCP). False if memory is short; both are then
 * released.
 */
bool connection_begin(stream_connection *connection, int socket, tls_party *party);

/* After STEP_DONE the state is WAITING. */
connection_step connection_handshake(stream_connection *connection);

/* Moves bytes as far as possible without waiting. STEP_FAILED: the connection has broken. */
connection_step connection_transfer(stream_connection *connection);

/* Sends the remaining bytes, close_notify and FIN. STEP_DONE: only the peer's FIN is missing. */
connection_step connection_finish(stream_connection *connection);

/* Events for poll(). Lowers *limit_ms if poll() must return sooner. */
short connection_wants(stream_connection *connection, uint32_t *limit_ms);

/* Keeps rings and state; returns the socket or -1. */
int connection_detach(stream_connection *connection);

/* Call it after connection_detach. */
void connection_release(stream_connection *connection);

#endif
