/*
 * State shared by stream-client.c, which other code calls, and client-thread.c, the thread. Only this thread uses
 * sockets and Mbed TLS. The lock is held only while data are copied.
 *
 *   RESOLVING -> CONNECTING -> QUEUED -> SHAKING -> OPEN        (a plain TCP client: CONNECTING -> OPEN)
 *   any state but OPEN -> FAILED
 *
 * A closed client is freed immediately, but in the state OPEN only after everything was sent.
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
	/* Next client in the list. The clients' owners insert at the front; the thread removes. */
	struct stream_client *next;
	void (*notify)(void *context);
	void *context;

	/* Both threads use the members from here on, under the lock. */
	client_state state;
	client_code code;
	bool is_code_reported;
	/* True while the listener has been notified and has not read all events yet. */
	bool notified;
	bool closed;
	/* Ring buffers of an OPEN client. From SHAKING on, the thread uses its side of the connection. */
	stream_connection connection;
	char address[IPV4_TEXT_SIZE];
	bool resumed;
	uint8_t *session;
	size_t session_size;

	/* Only the thread uses the members from here on. */
	uint64_t deadline_ms;
	/* Number of the request to the resolver, or -1. */
	int request;
	/* Socket of the client until SHAKING. Afterwards the connection owns the socket. */
	int socket;
	/* NULL for plain TCP. Otherwise a reference, which the connection takes over later. */
	tls_trust *trust;
	bool is_trust_passed_on;
	gate_party gate;
	/*
	 * True while the client is inside the gate but the handshake still waits for the data of other connections to arrive.
	 */
	bool settling;
	uint64_t shaking_since_ms;
	uint16_t port;
	char host[CLIENT_HOST_LIMIT + 1];
};

typedef struct {
	pthread_mutex_t lock;
	/* All members except `wake` need the lock. */
	stream_client *first;
	bool running;
	bool woken;
	/* Socket that wakes the thread. It is valid while the thread runs. */
	int wake;
} client_list;

extern client_list clients;

/* The thread's function. It returns when there are no clients. */
void *client_thread_run(void *context);

/* Returns true if the client has an event to report. The caller must hold the lock. */
bool client_event(const stream_client *client, stream_event *event);

/* Wakes the thread. The caller must hold the lock. */
void client_wake(void);

void client_granted(void *context);

#endif
