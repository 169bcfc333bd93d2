/*
 * State shared by stream-client.c, which other code calls, and client-thread.c, the thread. Only the thread uses
 * sockets and Mbed TLS. The lock is held only while data are copied.
 *
 *   RESOLVING -> CONNECTING -> QUEUED -> SHAKING -> OPEN        (a plain TCP client: CONNECTING -> OPEN)
 *   any state but OPEN -> FAILED
 *
 * A closed client is freed at once; in the state OPEN, only after everything was sent.
 */
#ifndef CLIENT_THREAD_H
#define CLIENT_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "handshake-gate.h"
#include "resolver.h"
#include "stream-client.h"
#include "stream-connection.h"

typedef enum {
	CLIENT_STATE_RESOLVING = 0,
	CLIENT_STATE_CONNECTING,
	CLIENT_STATE_QUEUED,
	CLIENT_STATE_SHAKING,
	CLIENT_STATE_OPEN,
	CLIENT_STATE_FAILED,
} client_state;

struct stream_client {
	/* Owners insert at the front, the thread removes. */
	struct stream_client *next;
	void (*notify)(void *context);
	void *context;

	/* Both threads use the members from here on, under the lock. */
	client_state state;
	client_code code;
	bool is_code_reported;
	/* The listener has not taken all events yet. */
	bool notified;
	bool closed;
	/* Rings of an OPEN client. The thread uses its part of them from SHAKING on. */
	stream_connection connection;
	char address[IPV4_TEXT_SIZE];
	bool resumed;
	uint8_t *session;
	size_t session_size;

	/* Only the thread uses the members from here on. */
	uint64_t deadline_ms;
	/* Request to the resolver, or -1. */
	int request;
	/* The socket until SHAKING; afterwards the connection owns it. */
	int socket;
	/* NULL: plain TCP. A reference until the connection takes it over. */
	tls_trust *trust;
	bool is_trust_passed_on;
	gate_party gate;
	/* Inside the gate, but the handshake waits until the data of other connections have arrived. */
	bool settling;
	uint64_t shaking_since_ms;
	uint16_t port;
	char host[CLIENT_HOST_LIMIT + 1];
};

typedef struct {
	pthread_mutex_t lock;
	/* All members need the lock, except `wake`. */
	stream_client *first;
	bool running;
	bool woken;
	/* Socket that wakes the thread; used while the thread runs. */
	int wake;
} client_list;

extern client_list clients;

/* Ends when there are no clients. */
void *client_thread_run(void *context);

/* The caller must hold the lock. */
bool client_event(const stream_client *client, stream_event *event);

/* The caller must hold the lock. */
void client_wake(void);

void client_granted(void *context);

#endif
