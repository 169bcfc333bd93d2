/*
 * One listening port with its connections, plain TCP or TLS 1.2 (RFC 5246), for modules/io/host.ts. The server's own
 * thread does all input, output and cryptography.
 *
 * Limits: max_connections connections at a time, with STREAM_RING_SIZE bytes per direction. At most max_pending
 * connections wait in the admission queue (admission-queue.h).
 */
#ifndef STREAM_SERVER_H
#define STREAM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
#if defined(ESP_PLATFORM)
	/* Greatest number of connections of a port. Their memory is reserved. */
	STREAM_CONNECTION_LIMIT = 4,
	PENDING_CONNECTION_LIMIT = 8,
#else
	STREAM_CONNECTION_LIMIT = 8,
	PENDING_CONNECTION_LIMIT = 64,
#endif
	/* Size of a ring buffer: bytes of plain text per direction. */
	STREAM_RING_SIZE = 2048,
	STREAM_SERVER_MESSAGE_SIZE = 128,
	/* Size of an address as text, equal to INET_ADDRSTRLEN of POSIX. */
	STREAM_ADDRESS_SIZE = 16,
};

typedef struct stream_server stream_server;

typedef struct {
	/* Port to listen on; 0 for any free port. */
	uint16_t port;
	/* True if the port serves only 127.0.0.1, for tests. */
	bool loopback_only;
	/*
	 * Certificate chain, beginning with the own certificate, and key of the own certificate, as NUL-terminated PEM. Both
	 * are NULL for plain TCP.
	 */
	const char *certificate;
	const char *key;
	/*
	 * Number of simultaneous connections, 1 to STREAM_CONNECTION_LIMIT. A connection counts from the handshake until its
	 * last byte is sent.
	 */
	unsigned max_connections;
	/* Number of simultaneous handshakes, 1 to max_connections. */
	unsigned max_handshakes;
	/* Size of the admission queue, 1 to PENDING_CONNECTION_LIMIT. */
	unsigned max_pending;
	/* Longest time from the arrival of a connection to its first bytes, with TLS to its ClientHello. */
	uint32_t silence_ms;
	uint32_t handshake_timeout_ms;
	/* Longest time between two handshake messages while other connections wait. */
	uint32_t pressed_silence_ms;
	/* Time for unsent data after stream_close. */
	uint32_t linger_ms;
	/*
	 * Called in the server's thread when stream_server_next has an event. It is not called again until stream_server_next
	 * has returned false. It must not call the server.
	 */
	void (*notify)(void *context);
	void *context;
} stream_server_options;

typedef enum {
	/* `count` connections wait for stream_server_take. */
	STREAM_PENDING = 1,
	/* `count` bytes wait for stream_read. This event is repeated only when more bytes arrive. */
	STREAM_READABLE = 2,
	/* `count` bytes may be written. This is the first event of a connection. It is repeated when room has become free. */
	STREAM_WRITABLE = 3,
	/*
	 * The peer has ended its direction (close_notify or FIN), or the connection broke. All earlier bytes were read. If
	 * the peer has only ended its direction, bytes can still be written; otherwise written bytes are dropped.
	 */
	STREAM_ENDED = 4,
	/* The port has failed permanently. Open connections continue. This event is reported once. */
	STREAM_FAILED = 5,
	/* The self-test of stream_server_test has ended. */
	STREAM_TESTED = 6,
	/*
	 * A connection that has sent its first bytes waits until the owner closes another connection. This event is reported
	 * once, and again if another connection took the freed place.
	 */
	STREAM_PRESSED = 7,
} stream_event_kind;

typedef struct {
	stream_event_kind kind;
	/* Id of the connection, or -1 for an event of the server. Ids are unique, so a stale id is harmless. */
	int connection;
	size_t count;
} stream_event;

/* Returns NULL on failure, with `message` for the user. Certificate and key are copied. */
stream_server *stream_server_open(const stream_server_options *options, char message[STREAM_SERVER_MESSAGE_SIZE]);

uint16_t stream_server_port(const stream_server *server);

/*
 * Replaces certificate and key. New connections use the new pair; open connections keep the old one. TLS sessions of
 * the old pair cannot be resumed. On failure nothing changes, and `message` has a text for the user.
 */
bool stream_server_set_identity(stream_server *server, const char *certificate, const char *key,
	char message[STREAM_SERVER_MESSAGE_SIZE]);

/*
 * Tests the certificate and key of new connections by a handshake of the port with itself (tls-self-test.h).
 * STREAM_TESTED follows. The test waits for handshakes under way, and no connection is admitted until the test ends,
 * because memory may not suffice for both. Returns false if a test is already running or the port is plain.
 */
bool stream_server_test(stream_server *server);

/* Writes the result of the test: "", or a message for the user. */
void stream_server_test_result(stream_server *server, char message[STREAM_SERVER_MESSAGE_SIZE]);

/* Closes the listening socket and drops connections that were not taken. Other connections continue. */
void stream_server_stop(stream_server *server);

/* Closes all connections, after up to 200 ms for unsent data. `notify` is not called afterwards. */
void stream_server_close(stream_server *server);

/* Gets the next event. The connections are served in turn. Returns false if there is no event. */
bool stream_server_next(stream_server *server, stream_event *event);

typedef struct {
	/* IPv4 address of the peer, dotted decimal. */
	char address[STREAM_ADDRESS_SIZE];
	/* True if the connection came in over the access point (access-point.h). */
	bool via_access_point;
} stream_origin;

/* Takes the connection that has waited longest. Returns its id, or -1 if none waits. */
int stream_server_take(stream_server *server, stream_origin *origin);

size_t stream_read(stream_server *server, int connection, void *into, size_t size);

/*
 * Returns the room left. If the connection is closed, or if `size` exceeds the room that STREAM_WRITABLE or the
 * previous call announced last, copies nothing and returns SIZE_MAX.
 */
size_t stream_write(stream_server *server, int connection, const void *bytes, size_t size);

/* Reports that the connection has shown a valid token. The admission queue then trusts its address for half an hour. */
void stream_know(stream_server *server, int connection);

/* Reports that a token was revoked. No address is trusted until the next stream_know. */
void stream_server_forget(stream_server *server);

/* Sends the written bytes, close_notify and FIN. Received bytes are dropped. */
void stream_close(stream_server *server, int connection);

#endif
