/*
 * Posts calls to the JavaScript task. They wait in a ring of deliveries; one message in the task's queue makes the task
 * empty the ring. A poster that used the queue directly would block while the queue is full. It might then hold a lock
 * that the JavaScript task waits for. Only this file and the engine (for promises) use the queue, so it is never full.
 * Each poster in hosts/ has at most one delivery under way, so the ring has room for all. A full ring is a programming
 * error and restarts the chip.
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
	/* True while the message is in the queue. */
	bool under_way;
} posts = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void send(xsMachine *the);

/*
 * Runs in the machine's task. Deliveries posted during this run wait for the next message, so that timers can run in
 * between.
 */
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
