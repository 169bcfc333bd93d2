/*
 * Connections to servers, plain TCP or TLS 1.2 (RFC 5246), for modules/io/client.ts. One thread serves all clients and
 * exists only while there is a client; a second thread would cost another stack of 10 KB. The owner of the clients, one
 * other thread, never waits. Limits: CLIENT_LIMIT at once, not counting closed clients that still send;
 * STREAM_RING_SIZE bytes per direction; one handshake at a time (handshake-gate.h).
 */
#ifndef STREAM_CLIENT_H
#define STREAM_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipv4.h"
#include "stream-server.h"
#include "tls-trust.h"

enum {
	/* One for the hub, one for the broker, and a temporary one. */
	CLIENT_LIMIT = 3,
	CLIENT_HOST_LIMIT = 253,
};

/* Results of a connection, as in modules/io/client.ts. */
typedef enum {
	CLIENT_ENDED = 1,
	CLIENT_BROKEN = 2,
	CLIENT_NO_ADDRESS = 3,
	CLIENT_UNREACHABLE = 4,
	CLIENT_TIMEOUT = 5,
	CLIENT_OUT_OF_MEMORY = 6,
	CLIENT_HANDSHAKE = 7,
	CLIENT_UNTRUSTED = 8,
	CLIENT_WRONG_NAME = 9,
	CLIENT_EXPIRED = 10,
	CLIENT_REFUSED = 11,
} client_code;

typedef struct stream_client stream_client;

typedef struct {
	/* A DNS name, or an IPv4 address in dotted decimal: 1 to CLIENT_HOST_LIMIT bytes. */
	const char *host;
	uint16_t port;
	/* Longest time for opening the connection. */
	uint32_t timeout_ms;
	/* NULL for plain TCP. */
	const tls_trust_options *tls;
	/*
	 * Called in the clients' thread when stream_client_next has an event; not again until that has returned false. Must
	 * neither wait nor call the client.
	 */
	void (*notify)(void *context);
	void *context;
} stream_client_options;

/*
 * NULL on failure, with `message` for the user, "" if memory or a place is missing now. Keeps no pointer of the
 * options.
 */
stream_client *stream_client_open(const stream_client_options *options, char message[TRUST_MESSAGE_SIZE]);

/*
 * STREAM_WRITABLE and STREAM_READABLE are as for a server's connection; the first STREAM_WRITABLE means connected.
 * STREAM_ENDED is the last event, after all received bytes were read, with the client_code as `count`. False without an
 * event.
 */
bool stream_client_next(stream_client *client, stream_event *event);

/* Like stream_read and stream_write. A client that is not connected reads nothing and accepts nothing. */
size_t stream_client_read(stream_client *client, void *into, size_t size);
size_t stream_client_write(stream_client *client, const void *bytes, size_t size);

/* The server's address; "" while unknown. */
void stream_client_address(stream_client *client, char address[IPV4_TEXT_SIZE]);

/* Valid for TLS, once connected. */
bool stream_client_resumed(stream_client *client);

/* Copies the session, for the next connection. Returns its size, 0 without a session. `into` may be NULL. */
size_t stream_client_session(stream_client *client, uint8_t into[TRUST_SESSION_LIMIT]);

/*
 * Closes an open connection properly, or aborts the opening. notify is not called afterwards. Unsent bytes are sent for
 * up to three seconds.
 */
void stream_client_close(stream_client *client);

/*
 * Number of clients, for tests. Closed connections that still send count too; -1 if there is neither client nor thread.
 */
int stream_client_count(void);

#endif
