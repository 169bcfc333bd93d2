/*
 * One listening port with its connections, plain TCP or TLS 1.2 (RFC 5246), for modules/io/host.ts. The server's own
 * thread does network and cryptography.
 *
 * Limits: max_connections at once, with STREAM_RING_SIZE bytes per direction. At most max_pending connections wait in
 * the admission queue (admission-queue.h).
 */
#ifndef STREAM_SERVER_H
#define STREAM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
#if defined(ESP_PLATFORM)
	/* Connections of a port, which reserves their memory. */
	STREAM_CONNECTION_LIMIT = 4,
	PENDING_CONNECTION_LIMIT = 8,
#else
	STREAM_CONNECTION_LIMIT = 8,
	PENDING_CONNECTION_LIMIT = 64,
#endif
	/* Bytes of plain text per direction. */
	STREAM_RING_SIZE = 2048,
	STREAM_SERVER_MESSAGE_SIZE = 128,
	/* INET_ADDRSTRLEN of POSIX. */
	STREAM_ADDRESS_SIZE = 16,
};

typedef struct stream_server stream_server;

typedef struct {
	/* 0: any free port. */
	uint16_t port;
	/* Serves 127.0.0.1 only, for tests. */
	bool loopback_only;
	/* NUL-terminated PEM: the chain, own certificate first, and its key. Both NULL: plain TCP. */
	const char *certificate;
	const char *key;
	/* Connections at once, from the handshake to the last byte sent: 1 to STREAM_CONNECTION_LIMIT. */
	unsigned max_connections;
	/* 1 to max_connections. */
	unsigned max_handshakes;
	/* 1 to PENDING_CONNECTION_LIMIT. */
	unsigned max_pending;
	/* Longest time from the connection to its first bytes, with TLS to its ClientHello. */
	uint32_t silence_ms;
	uint32_t handshake_timeout_ms;
	/* Longest time between two handshake messages while other connections wait. */
	uint32_t pressed_silence_ms;
	/* Time for unsent data after stream_close. */
	uint32_t linger_ms;
	/*
	 * Called in the server's thread when stream_server_next has an event; not again until that has returned false. Must
	 * not call the server.
	 */
	void (*notify)(void *context);
	void *context;
} stream_server_options;

typedef enum {
	/* `count` connections wait for stream_server_take. */
	STREAM_PENDING = 1,
	/* `count` bytes wait for stream_read. Reported again only when more arrive. */
	STREAM_READABLE = 2,
	/* `count` bytes may be written. A connection's first event, repeated when room has become free. */
	STREAM_WRITABLE = 3,
	/*
	 * The peer has ended its direction (close_notify or FIN), or the connection broke; all earlier bytes were read. Bytes
	 * can still be written if the peer has only ended its direction; otherwise they are dropped.
	 */
	STREAM_ENDED = 4,
	/* The port has failed permanently; open connections continue. Reported once. */
	STREAM_FAILED = 5,
	/* The test of stream_server_test is over. */
	STREAM_TESTED = 6,
	/*
	 * A connection with first bytes waits until the owner closes another. Reported once, and again if another connection
	 * took the freed place.
	 */
	STREAM_PRESSED = 7,
} stream_event_kind;

typedef struct {
	stream_event_kind kind;
	/* Unique, so that a stale id is harmless; -1 for an event of the server. */
	int connection;
	size_t count;
} stream_event;

/* NULL on failure, with `message` for the user. Certificate and key are copied. */
stream_server *stream_server_open(const stream_server_options *options, char message[STREAM_SERVER_MESSAGE_SIZE]);

uint16_t stream_server_port(const stream_server *server);

/*
 * New connections use the pair; open ones keep theirs. Sessions of the old pair cannot be resumed. On failure nothing
 * changes, and `message` is for the user.
 */
bool stream_server_set_identity(stream_server *server, const char *certificate, const char *key,
	char message[STREAM_SERVER_MESSAGE_SIZE]);

/*
 * Handshake of the port with itself (tls-self-test.h), with the certificate and key of new connections; STREAM_TESTED
 * follows. It waits for handshakes under way, and no connection is admitted until it ends, because memory may not
 * suffice for both. False if a test is running or the port is plain.
 */
bool stream_server_test(stream_server *server);

/* "" or a message for the user. */
void stream_server_test_result(stream_server *server, char message[STREAM_SERVER_MESSAGE_SIZE]);

/* Drops connections that were not taken; others continue. */
void stream_server_stop(stream_server *server);

/* Leaves 200 ms for unsent data. notify is not called afterwards. */
void stream_server_close(stream_server *server);

/* Events come from the connections in turn; false if none waits. */
bool stream_server_next(stream_server *server, stream_event *event);

typedef struct {
	/* IPv4 address of the peer, dotted decimal. */
	char address[STREAM_ADDRESS_SIZE];
	/* See access-point.h. */
	bool via_access_point;
} stream_origin;

/* Takes the connection that has waited longest. Returns its id, or -1 if none waits. */
int stream_server_take(stream_server *server, stream_origin *origin);

size_t stream_read(stream_server *server, int connection, void *into, size_t size);

/*
 * Returns the room left; SIZE_MAX, with nothing copied, if the connection is closed, or if `size` exceeds the room last
 * announced by STREAM_WRITABLE or the previous call.
 */
size_t stream_write(stream_server *server, int connection, const void *bytes, size_t size);

/* A valid token was shown: the admission queue trusts the address for half an hour. */
void stream_know(stream_server *server, int connection);

/* A token was revoked: nothing is trusted until the next stream_know. */
void stream_server_forget(stream_server *server);

/* Sends written bytes, close_notify and FIN; drops received bytes. */
void stream_close(stream_server *server, int connection);

#endif
