/* Replaces accept, close, send and poll for accepted sockets. */
#define _GNU_SOURCE
#include "chip-model.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../must.h"

enum {
	DESCRIPTORS = 1024,
	/* Free heap without connections, bytes. */
	IDLE = 75000,
	/* Heap for rings, session and socket of a connection. */
	PLACE = 5500,
	/* Heap for a handshake until its end, including the record that is being sent. */
	HANDSHAKE = 11000,
	/* Heap for a record that is being sent. */
	RECORD = 4608,
	/* CONFIG_LWIP_TCP_MSS with its header on the heap, and a radio frame for it. */
	SEGMENT = 1436,
	SEGMENT_MEMORY = 1536,
	/* CONFIG_ESP_WIFI_DYNAMIC_TX_BUFFER_NUM */
	FRAMES = 6,
	/* CONFIG_LWIP_TCP_SND_BUF_DEFAULT, and the room that poll() needs: TCP_SNDLOWAT of lwIP's opt.h. */
	SEND_BUFFER = 4308,
	SEND_LEAST = 2873,
	/* Bytes that arrive per millisecond, over all connections. */
	PACE = 300,
	POLL_MS = 2,
	/* RFC 5246, 6.2.1 */
	CHANGE_CIPHER_SPEC = 20,
	TLS_HANDSHAKE = 22,
};

typedef struct {
	bool accepted, has_sent;
	/* `shaking`: the handshake has begun; `shaken`: it is completed. */
	bool shaking, shaken;
	/* A record is partly sent. */
	bool pending;
	/* Bytes in transit. */
	size_t out;
} modelled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool begun, is_visible;
static modelled sockets[DESCRIPTORS];
static uint64_t arrived_ms;
static long lowest = IDLE;

static uint64_t clock_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The system's function, or the sanitizers', found at run time. */
#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	MUST(found);
	return found;
}

/* Delivers bytes that are due. The caller holds the lock. */
static void pass(void)
{
	uint64_t now_ms = clock_ms();
	for (; arrived_ms < now_ms; arrived_ms++) {
		unsigned senders = 0;
		for (int i = 0; i < DESCRIPTORS; i++) senders += sockets[i].out > 0;
		if (senders == 0) arrived_ms = now_ms - 1;
		for (int i = 0; i < DESCRIPTORS && senders > 0; i++) {
			size_t part = PACE / senders;
			sockets[i].out -= part < sockets[i].out ? part : sockets[i].out;
		}
	}
}

/* The caller holds the lock. */
static long count(void)
{
	long taken = 0, segments = 0;
	for (int i = 0; i < DESCRIPTORS; i++) {
		const modelled *each = &sockets[i];
		if (each->shaking) taken += HANDSHAKE;
		else if (each->has_sent) taken += each->pending ? PLACE + RECORD : PLACE;
		segments += (long)((each->out + SEGMENT - 1) / SEGMENT);
	}
	return IDLE - taken - (segments + (segments < FRAMES ? segments : FRAMES)) * SEGMENT_MEMORY;
}

int accept(int listener, struct sockaddr *restrict address, socklen_t *restrict size)
{
	int fd = REAL(accept)(listener, address, size);
	pthread_mutex_lock(&lock);
	if (fd >= 0 && fd < DESCRIPTORS) sockets[fd] = (modelled){ .accepted = begun };
	pthread_mutex_unlock(&lock);
	return fd;
}

int close(int fd)
{
	pthread_mutex_lock(&lock);
	if (fd >= 0 && fd < DESCRIPTORS) sockets[fd] = (modelled){ .accepted = false };
	pthread_mutex_unlock(&lock);
	return REAL(close)(fd);
}

static modelled *find(int fd)
{
	return fd >= 0 && fd < DESCRIPTORS && sockets[fd].accepted ? &sockets[fd] : NULL;
}

/* Number of bytes for which there is room, at most `size`. The caller holds the lock. */
static size_t begin_sending(modelled *self, const uint8_t *bytes, size_t size)
{
	pass();
	if (!self->pending) {
		if (bytes[0] == CHANGE_CIPHER_SPEC) self->shaken = true;
		self->shaking = bytes[0] == TLS_HANDSHAKE && !self->shaken;
	}
	self->has_sent = self->pending = true;
	size_t room = SEND_BUFFER - self->out;
	return size < room ? size : room;
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
	pthread_mutex_lock(&lock);
	modelled *self = size > 0 ? find(fd) : NULL;
	size_t part = self ? begin_sending(self, bytes, size) : size;
	ssize_t sent = -1;
	if (self && part == 0) errno = EAGAIN;
	else sent = REAL(send)(fd, bytes, part, flags);
	if (self) {
		if (sent > 0) self->out += (size_t)sent;
		long now = count();
		if (now < lowest) lowest = now;
		self->pending = sent != (ssize_t)size;
	}
	pthread_mutex_unlock(&lock);
	return sent;
}

int poll(struct pollfd *list, nfds_t length, int timeout_ms)
{
	nfds_t full = 0;
	pthread_mutex_lock(&lock);
	pass();
	for (nfds_t i = 0; i < length; i++) {
		modelled *self = list[i].events & POLLOUT ? find(list[i].fd) : NULL;
		if (!self || SEND_BUFFER - self->out >= SEND_LEAST) continue;
		list[i].events &= ~POLLOUT;
		full++;
	}
	pthread_mutex_unlock(&lock);
	/* A thread that waits for room may wake without cause. */
	if (full > 0 && (timeout_ms < 0 || timeout_ms > POLL_MS)) timeout_ms = POLL_MS;
	return REAL(poll)(list, length, timeout_ms);
}

void chip_begin(bool visible)
{
	begun = true;
	is_visible = visible;
	arrived_ms = clock_ms();
}

size_t chip_free_heap(void)
{
	pthread_mutex_lock(&lock);
	pass();
	long now = count();
	size_t heap = is_visible ? (size_t)(now > 0 ? now : 0) : SIZE_MAX;
	pthread_mutex_unlock(&lock);
	return heap;
}

long chip_lowest(void)
{
	pthread_mutex_lock(&lock);
	long least = lowest;
	pthread_mutex_unlock(&lock);
	return least;
}
