/*
 * One listening port with its connections, plain TCP or TLS 1.2 (RFC 5246) alike, for the listeners of the host
 * contract (modules/io/host.ts). Network and cryptography run in a thread of the server's own; its user, one other
 * thread, never waits. Plain C on BSD sockets, pthreads and Mbed TLS: nothing of XS or of FreeRTOS.
 *
 * Limits: max_connections at once, each with STREAM_RING_SIZE bytes in each direction. A full ring takes nothing more
 * from the network, so that the peer waits. Connections without a place, or without first bytes, wait in the admission
 * queue (admission-queue.h), max_callers at once.
 */
#ifndef STREAM_SERVER_H
#define STREAM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
#if defined(ESP_PLATFORM)
	/* A port takes the memory of all whether they are there or not. */
	STREAM_CONNECTION_LIMIT = 4,
	PENDING_CONNECTION_LIMIT = 8,
#else
	STREAM_CONNECTION_LIMIT = 8,
	PENDING_CONNECTION_LIMIT = 64,
#endif
	/* Bytes of plaintext that wait in one direction of a connection. */
	STREAM_RING_SIZE = 2048,
	STREAM_SERVER_MESSAGE_SIZE = 128,
	/* INET_ADDRSTRLEN of POSIX. */
	STREAM_ADDRESS_SIZE = 16,
};

typedef struct stream_server stream_server;

typedef struct {
	/* 0: any free one. */
	uint16_t port;
	/* Only 127.0.0.1 is served, for tests. */
	bool loopback_only;
	/* PEM with a NUL at its end: the chain from the server's own certificate on, its key. Both NULL: plain TCP. */
	const char *certificate;
	const char *key;
	/* Existing at once, from the handshake to the last byte that was written: 1 to STREAM_CONNECTION_LIMIT. */
	unsigned max_connections;
	/* The most of these in their TLS handshake: 1 to max_connections. */
	unsigned max_handshakes;
	/* Length of the admission queue: 1 to PENDING_CONNECTION_LIMIT. */
	unsigned max_callers;
	/* Longest time from the connection to its first bytes; for TLS, to its ClientHello. */
	uint32_t silence_ms;
	uint32_t handshake_timeout_ms;
	/* Longest time for a message of the handshake while others wait. */
	uint32_t pressed_silence_ms;
	/* After stream_close: how long the other side may take for what was written. */
	uint32_t linger_ms;
	/*
	 * Called in the server's thread when stream_server_next has an event, and not again until that has returned false.
	 * Must not call the server.
	 */
	void (*notify)(void *context);
	void *context;
} stream_server_options;

typedef enum {
	/* Connections wait for stream_server_take: `count`. */
	STREAM_PENDING = 1,
	/* Bytes have arrived: `count` wait for stream_read. Not repeated before more arrive. */
	STREAM_READABLE = 2,
	/* `count` bytes may be written. The first event of a connection; then whenever room has been made. */
	STREAM_WRITABLE = 3,
	/*
	 * The peer has ended its direction (close_notify or FIN), or the connection broke; all earlier bytes were read.
	 * Bytes written now reach a peer that has only ended its direction; otherwise they are dropped.
	 */
	STREAM_ENDED = 4,
	/* The port is closed, for good; reported once. Open connections continue. */
	STREAM_FAILED = 5,
	/* The test begun by stream_server_test is over: see stream_server_test_result. */
	STREAM_TESTED = 6,
	/*
	 * All places are taken, and a connection with first bytes waits in the queue. Reported once, and again when another
	 * connection took the freed place. Close one connection to admit it.
	 */
	STREAM_PRESSED = 7,
} stream_event_kind;

typedef struct {
	stream_event_kind kind;
	/* Never given twice, so that one that is closed is harmless everywhere; -1 where the event is of none. */
	int connection;
	size_t count;
} stream_event;

/* NULL when it can't be opened: `message` is a sentence for the user then. The texts are copied. */
stream_server *stream_server_open(const stream_server_options *options, char message[STREAM_SERVER_MESSAGE_SIZE]);

uint16_t stream_server_port(const stream_server *server);

/*
 * New connections get this pair; open ones keep theirs. Sessions of the old pair cannot be resumed. On failure nothing
 * changes, and `message` is a sentence for the user.
 */
bool stream_server_set_identity(stream_server *server, const char *certificate, const char *key,
	char message[STREAM_SERVER_MESSAGE_SIZE]);

/*
 * Begins a handshake of the port with itself (tls-self-test.h), in the server's thread, with the pair that new
 * connections get at that moment; STREAM_TESTED follows. It waits for handshakes under way, and no connection is
 * accepted before it is over, because memory may not suffice for both. Returns false if a test is running or the port
 * is plain.
 */
bool stream_server_test(stream_server *server);

/* Result of the last reported test: "" for success, else a sentence for the user. */
void stream_server_test_result(stream_server *server, char message[STREAM_SERVER_MESSAGE_SIZE]);

/* Frees the port soon, and drops the connections that were not taken; those taken live on. */
void stream_server_stop(stream_server *server);

/* Ends everything, with a fifth of a second for what was written, and frees the server. notify is called no more. */
void stream_server_close(stream_server *server);

/* The next event, connection after connection, as of this moment; false without one. */
bool stream_server_next(stream_server *server, stream_event *event);

typedef struct {
	/* Address of the peer, an IPv4 one in its own form. */
	char address[STREAM_ADDRESS_SIZE];
	/* The connection came in over the gateway's own access point (access-point.h). */
	bool via_access_point;
} stream_origin;

/* The connection that has waited longest, or -1. */
int stream_server_take(stream_server *server, stream_origin *origin);

/* Returns the number of bytes copied, at most `size`; 0: none available. */
size_t stream_read(stream_server *server, int connection, void *into, size_t size);

/*
 * Copies all the bytes and gives how many more may be written. More than was announced last (by STREAM_WRITABLE or by
 * the last call): SIZE_MAX, and nothing was written; also for a connection that is closed.
 */
size_t stream_write(stream_server *server, int connection, const void *bytes, size_t size);

/* A valid token was shown on the connection: its address is a trusted at the queue (admission-queue.h) for half an hour. */
void stream_know(stream_server *server, int connection);

/* A token was revoked: no address is a trusted any more until stream_know says so again. */
void stream_server_forget(stream_server *server);

/* Closes in order: written bytes are sent, then close_notify and FIN. Received bytes are dropped. */
void stream_close(stream_server *server, int connection);

#endif
