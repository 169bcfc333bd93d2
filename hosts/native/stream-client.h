/*
 * Connections to servers, plain TCP or TLS 1.2 (RFC 5246), for the clients of the host contract (modules/io/client.ts).
 * Network and cryptography run in one thread for all of them, which is there only while there is a client: two would cost
 * a chip two stacks of 10 KB. Their owner, one other thread, never waits. Plain C on BSD sockets, pthreads and Mbed TLS:
 * nothing of XS or of FreeRTOS.
 *
 * Limits: CLIENT_LIMIT at once, without those that are closed and still send; STREAM_RING_SIZE bytes in each direction of
 * each. One handshake at a time (handshake-gate.h); while it computes, the others wait.
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
	/* The hub, the broker, and one that comes and goes. */
	CLIENT_LIMIT = 3,
	CLIENT_HOST_LIMIT = 253,
};

/* Ends of a connection, as in modules/io/client.ts. */
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
} client_code;

typedef struct stream_client stream_client;

typedef struct {
	/* A DNS name, or an IPv4 address in dotted decimal: 1 to CLIENT_HOST_LIMIT bytes. */
	const char *host;
	uint16_t port;
	/* Limit for opening the connection. */
	uint32_t timeout_ms;
	/* NULL: plain TCP. */
	const tls_trust_options *tls;
	/*
	 * Called in the clients' thread when stream_client_next has an event, and not again until that has returned false.
	 * Must neither wait nor call the client.
	 */
	void (*notify)(void *context);
	void *context;
} stream_client_options;

/* NULL: it can't be used, `message` is a sentence; "": there is no memory or place for it now. Nothing is kept. */
stream_client *stream_client_open(const stream_client_options *options, char message[TRUST_MESSAGE_SIZE]);

/*
 * The next event: STREAM_WRITABLE (the first one means connected), STREAM_READABLE, as for a server's connection; and
 * STREAM_ENDED, once and last, after all received bytes were read: `count` is the client_code. Returns false if there
 * is none.
 */
bool stream_client_next(stream_client *client, stream_event *event);

/* As stream_read and stream_write. A client that is not connected reads nothing and accepts nothing. */
size_t stream_client_read(stream_client *client, void *into, size_t size);
size_t stream_client_write(stream_client *client, const void *bytes, size_t size);

/* The server's address, "" while it is not known. */
void stream_client_address(stream_client *client, char address[IPV4_TEXT_SIZE]);

/* For TLS, after connecting: returns true if the session was resumed. */
bool stream_client_resumed(stream_client *client);

/*
 * Copies the session for the next connection and returns its size; 0 without one. With NULL it returns the size
 * only.
 */
size_t stream_client_session(stream_client *client, uint8_t into[TRUST_SESSION_LIMIT]);

/*
 * Closes an open connection in order, and gives up one that is being opened. The client must not be used afterwards,
 * and notify is not called any more. Written bytes have three seconds to leave.
 */
void stream_client_close(stream_client *client);

/* For tests: how many clients there are, with those that still send; -1: neither one, nor the thread. */
int stream_client_count(void);

#endif
