/*
 * UDP ports. The thread polls the socket only while the listener wants to be notified. datagram_listen sends the thread
 * a datagram to wake it.
 */
#include "datagram.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "access-point.h"
#include "ipv4.h"
#include "stream-socket.h"
#include "thread-start.h"

enum {
	/* Stack of the thread on ESP-IDF, bytes. poll() and the callback used at most 1472 on an emulated ESP32. */
	STACK_SIZE = 2560,
	/* Longest sleep of the thread. It is also the maximum delay if a wake-up could not be sent. */
	SLEEP_MS = 1000,
	ERROR_MS = 10,
	RECEIVE_SIZE = 8 * DATAGRAM_LIMIT,
	/* Number of datagrams that one call of datagram_read may discard. A flood therefore does not block the owner. */
	DISCARD_LIMIT = 16,
	/* TTL of multicast (RFC 6762, 11). */
	GROUP_TTL = 255,
};

struct datagram_socket {
	datagram_options options;
	uint16_t port;
	int socket;
	int wake;
	pthread_t thread;
	pthread_mutex_t lock;

	bool listening;
	bool failed;
	bool quitting;
};

static void pause_ms(useconds_t ms)
{
	/* This is usleep(), because ESP-IDF has no nanosleep(). */
	usleep(ms * 1000);
}

static bool handle_events(datagram_socket *self, short found)
{
	int error = 0;
	socklen_t size = sizeof(error);
	bool dead = found & (POLLHUP | POLLNVAL);
	/* Reading the error also clears it. */
	if (found & POLLERR) dead |= getsockopt(self->socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0;
	if (!dead && !(found & POLLIN)) {
		pause_ms(ERROR_MS);
		return false;
	}
	pthread_mutex_lock(&self->lock);
	self->listening = false;
	if (dead) self->failed = true;
	bool must_notify = !self->quitting;
	pthread_mutex_unlock(&self->lock);
	return must_notify;
}

static void *run(void *context)
{
	datagram_socket *self = context;
	for (;;) {
		pthread_mutex_lock(&self->lock);
		bool quitting = self->quitting, listening = self->listening && !self->failed;
		pthread_mutex_unlock(&self->lock);
		if (quitting) return NULL;
		struct pollfd watched[] = {
			{ .fd = self->wake, .events = POLLIN },
			{ .fd = self->socket, .events = POLLIN },
		};
		if (poll(watched, listening ? 2 : 1, SLEEP_MS) < 0) {
			pause_ms(ERROR_MS);
			continue;
		}
		if (watched[0].revents) socket_discard(self->wake);
		if (listening && watched[1].revents && handle_events(self, watched[1].revents))
			self->options.notify(self->options.context);
	}
}

static bool bind_to(datagram_socket *self)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(self->options.port) };
	socklen_t size = sizeof(own);
	/* A multicast datagram is not addressed to the port's own address. */
	own.sin_addr.s_addr = self->options.group ? htonl(INADDR_ANY) : self->options.address;
	if (self->options.address && !access_point_bind(self->socket)) return false;
	if (bind(self->socket, (const struct sockaddr *)&own, size) != 0) return false;
	if (getsockname(self->socket, (struct sockaddr *)&own, &size) != 0) return false;
	self->port = ntohs(own.sin_port);
	return true;
}

static void share_port(int socket)
{
	setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
#if defined(SO_REUSEPORT)
	setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &(int){ 1 }, sizeof(int));
#endif
}

static bool join_group(int socket, const datagram_options *options)
{
	struct ip_mreq membership;
	membership.imr_multiaddr.s_addr = options->group;
	membership.imr_interface.s_addr = options->address;
	uint8_t ttl = GROUP_TTL, loop = 1;
#if defined(IP_MULTICAST_ALL)
	/* On Linux, this option excludes groups that only other programs have joined. */
	setsockopt(socket, IPPROTO_IP, IP_MULTICAST_ALL, &(int){ 0 }, sizeof(int));
#endif
	setsockopt(socket, IPPROTO_IP, IP_TTL, &(int){ GROUP_TTL }, sizeof(int));
	if (options->address
		&& setsockopt(socket, IPPROTO_IP, IP_MULTICAST_IF, &membership.imr_interface, sizeof(struct in_addr)) != 0)
		return false;
	return setsockopt(socket, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof(ttl)) == 0
		&& setsockopt(socket, IPPROTO_IP, IP_MULTICAST_LOOP, &loop, sizeof(loop)) == 0
		&& setsockopt(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof(membership)) == 0;
}

static void explain(const datagram_socket *self, bool bound, char *message)
{
	int error = errno;
	unsigned port = self->options.port;
	char group[IPV4_TEXT_SIZE];
	ipv4_write(self->options.group, group);
	if (bound)
		snprintf(message, DATAGRAM_MESSAGE_SIZE, "no network for the group %s: %s", group, strerror(error));
	else if (error == EADDRINUSE)
		snprintf(message, DATAGRAM_MESSAGE_SIZE, "UDP port %u is used by another program", port);
	else if (error == EACCES)
		snprintf(message, DATAGRAM_MESSAGE_SIZE,
			"UDP port %u needs more rights (ports below 1024 are for root)", port);
	else snprintf(message, DATAGRAM_MESSAGE_SIZE, "UDP port %u can't be opened: %s", port, strerror(error));
}

/* Opens sockets and thread. On failure *self contains what was opened. */
static bool open_parts(datagram_socket *self, char *message)
{
	self->socket = socket(AF_INET, SOCK_DGRAM, 0);
	if (self->socket < 0 || !socket_prepare(self->socket)) {
		explain(self, false, message);
		return false;
	}
	/* The result is not checked. lwIP limits the number of datagrams instead of bytes, and may refuse this option. */
	setsockopt(self->socket, SOL_SOCKET, SO_RCVBUF, &(int){ RECEIVE_SIZE }, sizeof(int));
	if (self->options.group) share_port(self->socket);
	bool bound = bind_to(self);
	if (!bound || (self->options.group && !join_group(self->socket, &self->options))) {
		explain(self, bound, message);
		return false;
	}
	self->listening = true;
	self->wake = socket_open_wake();
	if (self->wake >= 0 && thread_start(&self->thread, STACK_SIZE, run, self)) return true;
	snprintf(message, DATAGRAM_MESSAGE_SIZE, "UDP port %u can't be served: out of memory", self->port);
	return false;
}

static void free_socket(datagram_socket *self)
{
	if (self->socket >= 0) close(self->socket);
	if (self->wake >= 0) close(self->wake);
	pthread_mutex_destroy(&self->lock);
	free(self);
}

datagram_socket *datagram_open(const datagram_options *options, char message[DATAGRAM_MESSAGE_SIZE])
{
	datagram_socket *self = calloc(1, sizeof(datagram_socket));
	if (!self) {
		snprintf(message, DATAGRAM_MESSAGE_SIZE, "out of memory");
		return NULL;
	}
	self->options = *options;
	self->socket = self->wake = -1;
	pthread_mutex_init(&self->lock, NULL);
	if (open_parts(self, message)) return self;
	free_socket(self);
	return NULL;
}

uint16_t datagram_port(const datagram_socket *socket)
{
	return socket->port;
}

static bool allowed(const datagram_socket *self, uint32_t address)
{
	uint32_t own = self->options.address;
	return own == 0 || address == self->options.group || ((own ^ address) & htonl(0xffffff00)) == 0;
}

int datagram_read(datagram_socket *socket, uint8_t into[DATAGRAM_LIMIT], datagram_peer *from)
{
	for (int i = 0; i < DISCARD_LIMIT; i++) {
		struct sockaddr_in peer;
		struct iovec space = { .iov_base = into, .iov_len = DATAGRAM_LIMIT };
		struct msghdr message;
		memset(&message, 0, sizeof(message));
		message.msg_name = &peer;
		message.msg_namelen = sizeof(peer);
		message.msg_iov = &space;
		message.msg_iovlen = 1;
		ssize_t count = recvmsg(socket->socket, &message, 0);
		if (count < 0) return -1;
		if ((message.msg_flags & MSG_TRUNC) || !allowed(socket, peer.sin_addr.s_addr)) continue;
		*from = (datagram_peer){ .address = peer.sin_addr.s_addr, .port = ntohs(peer.sin_port) };
		return (int)count;
	}
	return -1;
}

void datagram_write(datagram_socket *socket, const void *bytes, size_t size, datagram_peer to)
{
	struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = htons(to.port) };
	peer.sin_addr.s_addr = to.address;
	if (size > DATAGRAM_LIMIT || !allowed(socket, to.address)) return;
	sendto(socket->socket, bytes, size, MSG_NOSIGNAL, (const struct sockaddr *)&peer, sizeof(peer));
}

void datagram_listen(datagram_socket *socket)
{
	pthread_mutex_lock(&socket->lock);
	if (!socket->listening) {
		socket->listening = true;
		socket_wake(socket->wake);
	}
	pthread_mutex_unlock(&socket->lock);
}

bool datagram_failed(datagram_socket *socket)
{
	pthread_mutex_lock(&socket->lock);
	bool failed = socket->failed;
	pthread_mutex_unlock(&socket->lock);
	return failed;
}

void datagram_close(datagram_socket *socket)
{
	pthread_mutex_lock(&socket->lock);
	socket->quitting = true;
	socket_wake(socket->wake);
	pthread_mutex_unlock(&socket->lock);
	pthread_join(socket->thread, NULL);
	free_socket(socket);
}
