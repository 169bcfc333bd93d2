/* See resolver.h. The owner and the threads share the resolver, and the last of them frees it. */
#include "resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "thread-start.h"

/* Stack of a thread on ESP-IDF, bytes; getaddrinfo() leaves the work to lwIP's thread. */
enum { STACK_SIZE = 3072 };

typedef enum { REQUEST_FREE = 0, REQUEST_PENDING, REQUEST_ANSWERED } request_state;

typedef struct {
	resolver *owner;
	/* Needs the lock. */
	request_state state;
	/* "" if the name was not found. */
	char address[IPV4_TEXT_SIZE];
	/* Not changed while the name is being resolved. */
	char name[RESOLVER_NAME_LIMIT + 1];
} request;

/*
 * Threads in the whole program. They have their own lock, because a thread of a closed resolver lives on until its name
 * is resolved.
 */
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned threads;

struct resolver {
	pthread_mutex_t lock;
	void (*notify)(void *context);
	void *context;
	/* References of the owner and of each thread. Needs the lock. */
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

static bool begin_thread(void)
{
	pthread_mutex_lock(&threads_lock);
	bool allowed = threads < RESOLVER_THREADS;
	if (allowed) threads++;
	pthread_mutex_unlock(&threads_lock);
	return allowed;
}

static void end_thread(void)
{
	pthread_mutex_lock(&threads_lock);
	threads--;
	pthread_mutex_unlock(&threads_lock);
}

static void *run(void *context)
{
	request *entry = context;
	resolver *self = entry->owner;
	char address[IPV4_TEXT_SIZE];
	look_up(entry->name, address);
	end_thread();
	answer(entry, address);
	release(self);
	return NULL;
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
	pthread_t thread;
	if (length == 0 || length > RESOLVER_NAME_LIMIT) return -1;
	bool known = ipv4_parse(name, &literal);
	if (!known && !begin_thread()) return -1;
	request *entry = take(self);
	if (!entry) {
		if (!known) end_thread();
		return -1;
	}
	memcpy(entry->name, name, length + 1);
	if (known) ipv4_write(literal, address);
	else if (thread_start(&thread, STACK_SIZE, run, entry)) {
		pthread_detach(thread);
		return (int)(entry - self->requests);
	} else end_thread();
	answer(entry, address);
	release(self);
	return (int)(entry - self->requests);
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
	release(self);
}
