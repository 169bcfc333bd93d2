/*
 * Connections to servers, plain TCP or TLS 1.2 (RFC 5246), for modules/io/client.ts. One thread serves all clients and
 * exists only while there is a client; a second thread would cost another stack of 8 KB. The owner of the clients is
 * another thread and never waits. Limits: CLIENT_LIMIT clients at a time, not counting closed clients that still send;
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
	/* One client for the hub, one for the MQTT broker, and a temporary one. */
	CLIENT_LIMIT = 3,
	CLIENT_HOST_LIMIT = 253,
};

/* Results of a connection, numbered as in modules/io/client.ts. */
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
	/* Time limit for opening the connection. */
	uint32_t timeout_ms;
	/* NULL for plain TCP. */
	const tls_trust_options *tls;
	/*
	 * Called in the clients' thread when stream_client_next has an event. It is not called again until stream_client_next
	 * has returned false. It must neither wait nor call the client.
	 */
	void (*notify)(void *context);
	void *context;
} stream_client_options;

/*
 * Returns NULL on failure. `message` then has a text for the user, or "" if memory is short or all clients are in use.
 * No pointer from the options is kept.
 */
stream_client *stream_client_open(const stream_client_options *options, char message[TRUST_MESSAGE_SIZE]);

/*
 * Gets the next event. STREAM_WRITABLE and STREAM_READABLE have the same meaning as for a server's connection. The
 * first STREAM_WRITABLE means that the client is connected. STREAM_ENDED comes last, after all received bytes were
 * read, with the client_code as `count`. Returns false if there is no event.
 */
bool stream_client_next(stream_client *client, stream_event *event);

/* Like stream_read and stream_write. A client that is not connected reads nothing and accepts nothing. */
size_t stream_client_read(stream_client *client, void *into, size_t size);
size_t stream_client_write(stream_client *client, const void *bytes, size_t size);

/* Writes the server's address, or "" if it is unknown. */
void stream_client_address(stream_client *client, char address[IPV4_TEXT_SIZE]);

/* Returns true if the TLS session was resumed. Only valid after the connection was opened. */
bool stream_client_resumed(stream_client *client);

/*
 * Copies the TLS session for use by the next connection. Returns its size, or 0 if there is no session. `into` may be
 * NULL.
 */
size_t stream_client_session(stream_client *client, uint8_t into[TRUST_SESSION_LIMIT]);

/*
 * Closes an open connection properly, or aborts the opening. `notify` is not called afterwards. Unsent bytes are still
 * sent for up to three seconds.
 */
void stream_client_close(stream_client *client);

/*
 * Returns the number of clients, for tests. Closed clients that still send count too. Returns -1 if there is neither a
 * client nor the thread.
 */
int stream_client_count(void);

#endif
