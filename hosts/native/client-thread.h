/*
 * State shared by both parts of the clients: stream-client.c has the functions for users, client-thread.c the thread,
 * which alone uses sockets and Mbed TLS. The common lock is held for copies only.
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
	/* List of all clients: owners insert at the front, the thread removes. */
	struct stream_client *next;
	void (*notify)(void *context);
	void *context;

	/* Used by both threads, under the lock. */
	client_state state;
	/* Code of the failure in the state FAILED. */
	client_code code;
	bool code_told;
	/* The listener was notified but has not taken all events. */
	bool notified;
	/* True once the owner has closed it. */
	bool closed;
	/* Rings of a client in STANDS; the thread's part is also used in SHAKING. */
	stream_connection connection;
	char address[IPV4_TEXT_SIZE];
	bool resumed;
	uint8_t *session;
	size_t session_size;

	/* This and the following members are used by the thread only. */
	uint64_t deadline_ms;
	/* Number of the resolver's question, or -1. */
	int question;
	/* Socket until SHAKING; then the connection has it. */
	int socket;
	/* NULL: plain TCP. Holds a reference until the connection takes it over. */
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
	/* All members need the lock. */
	stream_client *first;
	bool running;
	/* A wake-up is under way. */
	bool woken;
	/* Used by the thread while it runs. */
	int wake;
} client_hall;

extern client_hall clients;

/* The thread; it ends without clients. */
void *client_thread_run(void *context);

/* Returns true if stream_client_next has an event; with the lock. */
bool client_event(const stream_client *client, stream_event *event);

/* Needs the lock. */
void client_wake(void);

/* Called in any thread when a client may begin its handshake. */
void client_granted(void *context);

#endif
