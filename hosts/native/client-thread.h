/*
 * State shared by the two halves of the clients: stream-client.c has the functions for their users, client-thread.c the
 * thread that alone touches sockets and Mbed TLS. The lock, one for all, is held for copies only.
 *
 *   RESOLVING -> CONNECTING -> QUEUED -> SHAKING -> STANDS        (a plain one stands when it is connected)
 *       each but STANDS -> FAILED; closed: gone at once, or once all is sent where it STANDS
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
	CLIENT_STATE_STANDS,
	CLIENT_STATE_FAILED,
} client_state;

struct stream_client {
	/* The list of all: owners put new ones at its beginning, the thread takes them out. */
	struct stream_client *next;
	void (*notify)(void *context);
	void *context;

	/* Used by both threads, under the lock. */
	client_state state;
	/* Code of the failure in the state FAILED. */
	client_code code;
	bool code_told;
	/* The listener was notified and has not taken all events yet. */
	bool notified;
	/* The owner knows it no more. */
	bool closed;
	/* Rings of one that STANDS; the thread's part is of SHAKING, too. */
	stream_connection connection;
	char address[IPV4_TEXT_SIZE];
	bool resumed;
	uint8_t *session;
	size_t session_size;

	/* The thread alone. */
	uint64_t deadline_ms;
	/* Number of the resolver's question; -1: not asked. */
	int question;
	/* On its way; the connection's from SHAKING on. */
	int socket;
	/* NULL: plain TCP. A reference is its own until the connection has one. */
	tls_trust *trust;
	bool trust_given;
	gate_party gate;
	/*
	 * The party is inside the gate and waits until data of other connections have arrived before its handshake begins.
	 */
	bool settling;
	uint64_t shaking_since_ms;
	uint16_t port;
	char host[CLIENT_HOST_LIMIT + 1];
};

typedef struct {
	pthread_mutex_t lock;
	/* All of this needs the lock. */
	stream_client *first;
	bool running;
	/* A wake-up is under way. */
	bool woken;
	/* For the thread while it runs. */
	int wake;
} client_hall;

extern client_hall clients;

/* The thread; ends when there is no client. */
void *client_thread_run(void *context);

/* Returns true if stream_client_next has an event; with the lock. */
bool client_event(const stream_client *client, stream_event *event);

/* Needs the lock. */
void client_wake(void);

/* In any thread: it is a client's turn to shake hands. */
void client_granted(void *context);

#endif
