/*
 * hosts/esp32/machine-post.c with a queue that has room for one message and refuses a second one at once, like the real
 * queue without a waiting time. Usage: machine-post-peer order|threads|full
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../../../hosts/native/machine-post.h"
#include "../must.h"
#include "xsHost.h"

enum { POSTERS = 8, ROUNDS = 20000, RING = 32 };

struct machine {
	pthread_mutex_t lock;
	modMessageDeliver deliver;
};

static struct machine machine = { .lock = PTHREAD_MUTEX_INITIALIZER };

int modMessagePostToMachine(xsMachine *the, uint8_t *message, uint16_t length, modMessageDeliver deliver, void *refcon)
{
	MUST(the == &machine && message == NULL && length == 0 && refcon == NULL);
	pthread_mutex_lock(&machine.lock);
	bool full = machine.deliver != NULL;
	if (!full) machine.deliver = deliver;
	pthread_mutex_unlock(&machine.lock);
	return full ? -2 : 0;
}

/* One pass of the machine's task. Returns false if the queue was empty. */
static bool turn(void)
{
	pthread_mutex_lock(&machine.lock);
	modMessageDeliver deliver = machine.deliver;
	machine.deliver = NULL;
	pthread_mutex_unlock(&machine.lock);
	if (deliver == NULL) return false;
	deliver(&machine, NULL, NULL, 0);
	return true;
}

static int delivered[200], delivered_count;

static void note(void *context)
{
	delivered[delivered_count++] = *(int *)context;
}

static int numbers[200];

/* Posts the next number during a delivery: 1 posts 2, 2 posts 3 and so on. */
static void chain(void *context)
{
	note(context);
	int number = *(int *)context;
	if (number < 50) machine_post(&machine, chain, &numbers[number + 1]);
}

static void check_order(void)
{
	for (int i = 0; i < 200; i++) numbers[i] = i;
	MUST(!turn());
	for (int round = 0; round < 5; round++) {
		delivered_count = 0;
		for (int i = 0; i < RING; i++) machine_post(&machine, note, &numbers[i]);
		MUST(turn() && !turn() && delivered_count == RING);
		for (int i = 0; i < RING; i++) MUST(delivered[i] == i);
	}
	delivered_count = 0;
	machine_post(&machine, chain, &numbers[1]);
	machine_post(&machine, note, &numbers[100]);
	int turns = 0;
	while (turn()) turns++;
	MUST(turns == 50 && delivered_count == 51);
	MUST(delivered[0] == 1 && delivered[1] == 100 && delivered[2] == 2 && delivered[50] == 50);
}

/* At most one post is pending, as in the parts of hosts/. */
typedef struct {
	pthread_mutex_t lock;
	bool is_pending;
	int posted, received;
} poster;

static poster posters[POSTERS];

static void receive(void *context)
{
	poster *self = context;
	pthread_mutex_lock(&self->lock);
	self->is_pending = false;
	self->received += self->posted;
	self->posted = 0;
	pthread_mutex_unlock(&self->lock);
}

static void *run(void *context)
{
	poster *self = context;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&self->lock);
		self->posted++;
		bool first = !self->is_pending;
		self->is_pending = true;
		pthread_mutex_unlock(&self->lock);
		if (first) machine_post(&machine, receive, self);
	}
	return NULL;
}

static void check_threads(void)
{
	pthread_t threads[POSTERS];
	for (int i = 0; i < POSTERS; i++) {
		pthread_mutex_init(&posters[i].lock, NULL);
		MUST(pthread_create(&threads[i], NULL, run, &posters[i]) == 0);
	}
	for (int received = 0; received < POSTERS * ROUNDS;) {
		if (!turn()) sched_yield();
		received = 0;
		for (int i = 0; i < POSTERS; i++) received += posters[i].received;
	}
	for (int i = 0; i < POSTERS; i++) MUST(pthread_join(threads[i], NULL) == 0);
	MUST(!turn());
}

int main(int argc, char **argv)
{
	MUST(argc == 2);
	if (strcmp(argv[1], "order") == 0) check_order();
	if (strcmp(argv[1], "threads") == 0) check_threads();
	if (strcmp(argv[1], "full") == 0)
		for (int i = 0; i <= RING; i++) machine_post(&machine, note, &numbers[i]);
	return 0;
}
