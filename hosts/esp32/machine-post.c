/*
 * machine-post.h on the ESP32: a ring of what is to be delivered, and one message in the queue of the JavaScript task
 * that empties it. Posters that used that queue themselves would wait while it is full, and the one that empties it may
 * be waiting for them; so nobody does but this file and the engine for its promises, and the queue is never full.
 * Every poster of hosts/ has one post under way at most, so the ring has room for all; where it hasn't, that is a mistake
 * of ours, and the abort restarts the chip: a post that is lost would leave its part of the firmware dead.
 */
#include "machine-post.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "xsHost.h"

enum { POST_LIMIT = 32 };

typedef struct {
	void (*deliver)(void *context);
	void *context;
} post;

static struct {
	pthread_mutex_t lock;
	post ring[POST_LIMIT];
	unsigned first, count;
	/* The message is in the queue. */
	bool under_way;
} posts = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void send(xsMachine *the);

/* In the machine's task. Posts that come meanwhile wait for the next message, so that timers have their turn. */
static void deliver(void *the, void *refcon, uint8_t *message, uint16_t length)
{
	(void)refcon;
	(void)message;
	(void)length;
	pthread_mutex_lock(&posts.lock);
	unsigned count = posts.count;
	pthread_mutex_unlock(&posts.lock);
	for (; count > 0; count--) {
		pthread_mutex_lock(&posts.lock);
		post next = posts.ring[posts.first];
		posts.first = (posts.first + 1) % POST_LIMIT;
		posts.count--;
		pthread_mutex_unlock(&posts.lock);
		next.deliver(next.context);
	}
	pthread_mutex_lock(&posts.lock);
	posts.under_way = posts.count > 0;
	bool again = posts.under_way;
	pthread_mutex_unlock(&posts.lock);
	if (again) send(the);
}

static void send(xsMachine *the)
{
	if (modMessagePostToMachine(the, NULL, 0, deliver, NULL) != 0) abort();
}

void machine_post(xsMachine *the, void (*run)(void *context), void *context)
{
	pthread_mutex_lock(&posts.lock);
	if (posts.count == POST_LIMIT) abort();
	posts.ring[(posts.first + posts.count++) % POST_LIMIT] = (post){ .deliver = run, .context = context };
	bool first = !posts.under_way;
	posts.under_way = true;
	pthread_mutex_unlock(&posts.lock);
	if (first) send(the);
}
