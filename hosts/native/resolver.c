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

typedef enum { QUESTION_FREE = 0, QUESTION_ASKED, QUESTION_ANSWERED } question_state;

typedef struct {
	resolver *owner;
	/* Needs the lock. */
	question_state state;
	/* "" if the name was not found. */
	char address[IPV4_TEXT_SIZE];
	/* Not changed while the name is being resolved. */
	char name[RESOLVER_NAME_LIMIT + 1];
} question;

/*
 * Number of threads in the whole program. It has its own lock, because a thread of a closed resolver lives on until its
 * name is resolved.
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
	question questions[RESOLVER_LIMIT];
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

static void answer(question *asked, const char *address)
{
	resolver *self = asked->owner;
	pthread_mutex_lock(&self->lock);
	memcpy(asked->address, address, IPV4_TEXT_SIZE);
	asked->state = QUESTION_ANSWERED;
	if (!self->closed) self->notify(self->context);
	pthread_mutex_unlock(&self->lock);
}

/* Counts another thread; returns false if there are too many. */
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
	question *asked = context;
	resolver *self = asked->owner;
	char address[IPV4_TEXT_SIZE];
	look_up(asked->name, address);
	end_thread();
	answer(asked, address);
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
	for (int i = 0; i < RESOLVER_LIMIT; i++) self->questions[i].owner = self;
	return self;
}

static question *take(resolver *self)
{
	question *found = NULL;
	pthread_mutex_lock(&self->lock);
	for (int i = 0; i < RESOLVER_LIMIT && !found; i++)
		if (self->questions[i].state == QUESTION_FREE) found = &self->questions[i];
	if (found) {
		found->state = QUESTION_ASKED;
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
	question *asked = take(self);
	if (!asked) {
		if (!known) end_thread();
		return -1;
	}
	memcpy(asked->name, name, length + 1);
	if (known) ipv4_write(literal, address);
	else if (thread_start(&thread, STACK_SIZE, run, asked)) {
		pthread_detach(thread);
		return (int)(asked - self->questions);
	} else end_thread();
	answer(asked, address);
	release(self);
	return (int)(asked - self->questions);
}

int resolver_next(resolver *self, char address[IPV4_TEXT_SIZE])
{
	int number = -1;
	pthread_mutex_lock(&self->lock);
	for (int i = 0; i < RESOLVER_LIMIT && number < 0; i++) {
		question *each = &self->questions[i];
		if (each->state != QUESTION_ANSWERED) continue;
		each->state = QUESTION_FREE;
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
