/*
 * State shared by the two halves of the stream server: stream-server.c has the functions for its user, stream-thread.c
 * the thread that alone touches sockets and Mbed TLS. The lock is held for copies only; the user wakes the thread by a
 * datagram.
 */
#ifndef STREAM_THREAD_H
#define STREAM_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "handshake-gate.h"
#include "stream-connection.h"
#include "admission-queue.h"
#include "stream-server.h"
#include "tls-identity.h"

/* Sockets that wait for nothing but the other side's FIN; when there are more, the oldest is closed. */
enum { LINGER_LIMIT = 4 };

typedef struct {
	/* -1: none. */
	int socket;
	uint64_t deadline_ms;
} lingering_socket;

typedef enum { TEST_NONE = 0, TEST_WANTED, TEST_OVER } test_state;

struct stream_server {
	stream_server_options options;
	uint16_t port;
	pthread_t thread;
	int wake;
	pthread_mutex_t lock;

	/* Used by both threads, under the lock. */
	stream_connection connections[STREAM_CONNECTION_LIMIT];
	/* Identity for new connections; NULL for plain. */
	tls_identity *identity;
	/* A wake-up is under way. */
	bool woken;
	/* The listener was notified and has not taken all events yet. */
	bool notified;
	bool pending_fresh;
	bool pressed_fresh;
	bool failed;
	bool failed_told;
	/* All trust has ended, and the queue is still to be told. */
	bool forgetting;
	bool stopping;
	bool quitting;
	unsigned next_source;
	test_state test;
	char test_result[STREAM_SERVER_MESSAGE_SIZE];

	/* The thread alone. */
	int listener;
	uint64_t now_ms;
	/* Times before which no connection is accepted or begun, since a socket or memory was missing. */
	uint64_t accept_after_ms, begin_after_ms;
	uint64_t accepted;
	lingering_socket lingering[LINGER_LIMIT];
	/*
	 * Place in the gate that allows one handshake in the program at a time, including the one of the server's own test.
	 */
	gate_party gate;
	/* Whether the port waits in the gate's queue, or is inside as far as this thread knows. */
	bool waits, inside;
	/* The port is inside and waits until data of other connections have arrived before a handshake begins. */
	bool settling;
	admission_queue queue;
};

/* The thread; ends when `quitting` is set. */
void *stream_thread_run(void *server);

/* Returns true if stream_server_next has an event; with the lock. */
bool stream_server_has_news(const stream_server *server);

#endif
