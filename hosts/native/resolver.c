/* The owner and the threads share the resolver. The last of them to release it frees it. */
#include "resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "thread-start.h"

/*
 * STACK_SIZE: stack of a thread on ESP-IDF, bytes. It can be small, because lwIP's own thread does the work of
 * getaddrinfo(): at most 964 were used on an emulated ESP32. REST_S: idle time before a thread ends. Several names are
 * often resolved one after the other. On a busy chip the stack of an ended thread is freed late, so that without this
 * time three successive threads took 10 KB.
 */
enum { STACK_SIZE = 2048, REST_S = 2 };

typedef enum { REQUEST_FREE = 0, REQUEST_PENDING, REQUEST_ANSWERED } request_state;

typedef struct request {
	resolver *owner;
	/* Access needs the queue's lock. */
	struct request *next;
	/* Access needs the lock of the resolver. */
	request_state state;
	/* "" if the name was not found. */
	char address[IPV4_TEXT_SIZE];
	/* Not changed while the name is being resolved. */
	char name[RESOLVER_NAME_LIMIT + 1];
} request;

/* Queue of all resolvers in the program. A thread that holds this lock never takes the lock of a resolver. */
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_changed = PTHREAD_COND_INITIALIZER;
static request *queue;
static unsigned queued, threads, resting;

struct resolver {
	pthread_mutex_t lock;
	void (*notify)(void *context);
	void *context;
	/* Number of references, which the owner and each thread hold. Access needs the lock. */
	unsigned references;
	bool closed;
	request requests[RESOLVER_LIMIT];
};

static void release(resolver *self)
{
	pthread_mutex_lock(&self->lock);
	bool last = --self->references == 0;
	pthread_mutex_unlock(&self->lock);
	if (!last) return;
	pthread_mutex_destroy(&self->lock);
	free(self);
}

static void look_up(const char *name, char address[IPV4_TEXT_SIZE])
{
	struct addrinfo hints, *found = NULL;
	memset(&hints, 0, sizeof(hints));
	hints.ai_family = AF_INET;
	hints.ai_socktype = SOCK_DGRAM;
	address[0] = 0;
	if (getaddrinfo(name, NULL, &hints, &found) != 0 || !found) return;
	ipv4_write(((const struct sockaddr_in *)(const void *)found->ai_addr)->sin_addr.s_addr, address);
	freeaddrinfo(found);
}

static void answer(request *entry, const char *address)
{
	resolver *self = entry->owner;
	pthread_mutex_lock(&self->lock);
	memcpy(entry->address, address, IPV4_TEXT_SIZE);
	entry->state = REQUEST_ANSWERED;
	if (!self->closed) self->notify(self->context);
	pthread_mutex_unlock(&self->lock);
}

/* Returns the next request from the queue, or NULL when the thread must end. */
static request *next_request(void)
{
	struct timespec end;
	bool late = false;
	/*
	 * ESP-IDF ignores pthread_condattr_setclock(), but computes the wait once, so that a change of the clock during it
	 * has no effect. On a PC a clock that is set back keeps an idle thread for longer, which costs nothing else.
	 */
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += REST_S;
	pthread_mutex_lock(&queue_lock);
	resting++;
	while (!queue && !late) late = pthread_cond_timedwait(&queue_changed, &queue_lock, &end) != 0;
	resting--;
	request *entry = queue;
	if (entry) {
		queue = entry->next;
		queued--;
	} else threads--;
	pthread_mutex_unlock(&queue_lock);
	return entry;
}

static void *run(void *context)
{
	char address[IPV4_TEXT_SIZE];
	(void)context;
	for (request *entry; (entry = next_request());) {
		resolver *self = entry->owner;
		look_up(entry->name, address);
		answer(entry, address);
		release(self);
	}
	return NULL;
}

/* Wakes or starts a thread. Returns false if no thread runs and none can be started. The queue's lock must be held. */
static bool has_thread(void)
{
	pthread_t thread;
	if (resting >= queued) pthread_cond_signal(&queue_changed);
	else if (threads < RESOLVER_THREADS && thread_start(&thread, STACK_SIZE, run, NULL)) {
		pthread_detach(thread);
		threads++;
	}
	return threads > 0;
}

/* Puts the request into the queue. Returns false if there is no thread for it. */
static bool enqueue(request *entry)
{
	pthread_mutex_lock(&queue_lock);
	request **last = &queue;
	while (*last) last = &(*last)->next;
	entry->next = NULL;
	*last = entry;
	queued++;
	bool taken = has_thread();
	if (!taken) {
		*last = NULL;
		queued--;
	}
	pthread_mutex_unlock(&queue_lock);
	return taken;
}

static unsigned dequeue(const resolver *self)
{
	unsigned count = 0;
	pthread_mutex_lock(&queue_lock);
	for (request **place = &queue; *place;) {
		if ((*place)->owner == self) {
			*place = (*place)->next;
			count++;
		} else place = &(*place)->next;
	}
	queued -= count;
	pthread_mutex_unlock(&queue_lock);
	return count;
}

resolver *resolver_open(void (*notify)(void *context), void *context)
{
	resolver *self = calloc(1, sizeof(resolver));
	if (!self) return NULL;
	pthread_mutex_init(&self->lock, NULL);
	self->notify = notify;
	self->context = context;
	self->references = 1;
	for (int i = 0; i < RESOLVER_LIMIT; i++) self->requests[i].owner = self;
	return self;
}

static request *take(resolver *self)
{
	request *found = NULL;
	pthread_mutex_lock(&self->lock);
	for (int i = 0; i < RESOLVER_LIMIT && !found; i++)
		if (self->requests[i].state == REQUEST_FREE) found = &self->requests[i];
	if (found) {
		found->state = REQUEST_PENDING;
		self->references++;
	}
	pthread_mutex_unlock(&self->lock);
	return found;
}

int resolver_ask(resolver *self, const char *name)
{
	size_t length = strlen(name);
	char address[IPV4_TEXT_SIZE] = "";
	uint32_t literal;
	if (length == 0 || length > RESOLVER_NAME_LIMIT) return -1;
	request *entry = take(self);
	if (!entry) return -1;
	int number = (int)(entry - self->requests);
	memcpy(entry->name, name, length + 1);
	if (ipv4_parse(name, &literal)) ipv4_write(literal, address);
	else if (enqueue(entry)) return number;
	answer(entry, address);
	release(self);
	return number;
}

int resolver_next(resolver *self, char address[IPV4_TEXT_SIZE])
{
	int number = -1;
	pthread_mutex_lock(&self->lock);
	for (int i = 0; i < RESOLVER_LIMIT && number < 0; i++) {
		request *each = &self->requests[i];
		if (each->state != REQUEST_ANSWERED) continue;
		each->state = REQUEST_FREE;
		memcpy(address, each->address, IPV4_TEXT_SIZE);
		number = i;
	}
	pthread_mutex_unlock(&self->lock);
	return number;
}

void resolver_close(resolver *self)
{
	pthread_mutex_lock(&self->lock);
	self->closed = true;
	pthread_mutex_unlock(&self->lock);
	for (unsigned count = dequeue(self); count > 0; count--) release(self);
	release(self);
}
