/* State shared by stream-server.c, which other code calls, and stream-thread.c, the thread. */
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

/* Number of sockets that are kept open only to wait for the peer's FIN. If there are more, the oldest is closed. */
enum { LINGER_LIMIT = 4 };

typedef struct {
	/* -1 if this entry is unused. */
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

	/* Both threads use the members from here on, under the lock. */
	stream_connection connections[STREAM_CONNECTION_LIMIT];
	/* NULL for plain TCP. */
	tls_identity *identity;
	/* True if a wake-up was sent that the thread has not seen yet. */
	bool woken;
	/* True while the listener has been notified and has not read all events yet. */
	bool notified;
	bool has_new_waiting;
	bool is_newly_pressed;
	bool failed;
	bool is_failure_reported;
	/* True if a token was revoked and the admission queue has not ended its trust yet. */
	bool forgetting;
	bool stopping;
	bool quitting;
	unsigned next_source;
	test_state test;
	char test_result[STREAM_SERVER_MESSAGE_SIZE];

	/* Only the thread uses the members from here on. */
	int listener;
	uint64_t now_ms;
	/* Earliest time at which the next connection may be accepted, or may begin, after sockets or memory were short. */
	uint64_t accept_after_ms, begin_after_ms;
	uint64_t accepted;
	lingering_socket lingering[LINGER_LIMIT];
	/* Party of the port at the handshake gate. The port's self-test uses it too. */
	gate_party gate;
	/*
	 * `is_waiting` is true while the port waits at the gate. `is_inside` is true while it is inside, as far as this
	 * thread knows.
	 */
	bool is_waiting, is_inside;
	/*
	 * True while the port is inside the gate but the handshake still waits for the data of other connections to arrive.
	 */
	bool settling;
	admission_queue queue;
};

/* The thread's function. It returns when `quitting` is set. */
void *stream_thread_run(void *server);

/* Returns true if stream_server_next has an event. The caller must hold the lock. */
bool stream_server_has_event(const stream_server *server);

#endif
