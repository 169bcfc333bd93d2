/*
 * One connection of the stream server (stream-server.h) or of a client (stream-client.h): two ring buffers of plain
 * text, and the transport, plain TCP or TLS. The rings are between the owner's thread and the only thread that uses the
 * socket. A lock guards the rings and their state; it is never held while Mbed TLS computes.
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
	/* True if the socket has failed. `socket` is -1 then, and nothing can be sent. */
	bool broken;
	/* True if there are received bytes that STREAM_READABLE has not reported. */
	bool fresh;
	bool ended_reported;
	/* Part of the last reported room that is still unused. */
	size_t promised;
	uint64_t accepted;
	uint64_t deadline_ms;
	char address[STREAM_ADDRESS_SIZE];
	bool via_access_point;
	/* True if the connection is WAITING and the owner may take it. */
	bool ready;
	/* True if the connection has shown a valid token, and the admission queue does not know it yet. */
	bool known;
	/* Progress of the first reply: none yet, begun, counted by the admission queue. */
	enum { REPLY_NONE = 0, REPLY_BEGUN, REPLY_COUNTED } reply;

	/* Only the socket's thread uses the members from here on. */
	int socket;
	/* NULL for plain TCP. */
	tls_party *party;
	mbedtls_ssl_context tls;
	/* Length of a record that was not completely sent. The same bytes must be passed to Mbed TLS again. */
	size_t unsent_record;
	/* Error that ended the handshake; 0 if there was no memory for the rings. */
	int handshake_error;
	/* True if the peer has sent no close_notify (RFC 5246, 7.2.1), so that data may be missing. */
	bool truncated;
	short handshake_wants;
	/* Time of the last complete handshake message; single bytes do not count. */
	uint64_t silent_since_ms;
	/* Number of bytes that may still be read in this pass of the loop. */
	size_t budget;
	/* True if a TLS record waits for room in the socket. Nothing is read until then. */
	bool blocked;
	/* True if memory-lock.h did not permit to send, or to receive a record. The thread soon tries again. */
	bool refused, record_refused;
	uint64_t record_since_ms;
	/*
	 * Number of bytes of the record that have not arrived yet. The number is too high if only part of the record's header
	 * had arrived.
	 */
	size_t record_left;
	bool has_record;
	/* End of the handshake. Until ready_ms, a connection without a request is not reported to the owner. */
	uint64_t established_ms, ready_ms;
} stream_connection;

typedef enum { STEP_DONE, STEP_AGAIN, STEP_FAILED } connection_step;

/* The next four functions are called in the owner's thread, with the lock held. */

/* Gets the next event of an OPEN connection, without the connection's id. Returns false if there is no event. */
bool connection_event(const stream_connection *connection, stream_event *event);
void connection_reported(stream_connection *connection, const stream_event *event);
/* These work like stream_read and stream_write. *wake is set to true if the thread has work to do. */
size_t connection_read(stream_connection *connection, void *into, size_t size, bool *wake);
size_t connection_write(stream_connection *connection, const void *bytes, size_t size, bool *wake);

/* All other functions are called in the socket's thread, without the lock. */

/*
 * Takes over the socket and the reference to `party` (NULL for plain TCP). Returns false if memory is short; both are
 * released then.
 */
bool connection_begin(stream_connection *connection, int socket, tls_party *party);

/* After STEP_DONE the state is WAITING. */
connection_step connection_handshake(stream_connection *connection);

/*
 * Returns the peer's fatal alert (RFC 5246, 7.2) that ended the handshake, or TLS_NO_ALERT. Call it before
 * connection_detach.
 */
int connection_alert(const stream_connection *connection);

/* Moves as many bytes as possible without waiting. Returns STEP_FAILED if the connection has broken. */
connection_step connection_transfer(stream_connection *connection);

/* Sends the remaining bytes, close_notify and FIN. Returns STEP_DONE if only the peer's FIN is missing. */
connection_step connection_finish(stream_connection *connection);

/* Returns the events that poll() must watch. Lowers *limit_ms if poll() must return sooner. */
short connection_wants(stream_connection *connection, uint32_t *limit_ms);

/* Ends the transport, but keeps the rings and the state. Returns the socket, or -1. */
int connection_detach(stream_connection *connection);

/* Frees the rings and makes the place FREE. Call it after connection_detach. */
void connection_release(stream_connection *connection);

#endif
