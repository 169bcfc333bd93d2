/* Sockets of POSIX.1-2008, with the functions that both Linux and lwIP (ESP-IDF) have. */
#include "stream-socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Length of the system's queue of new connections. It is enough for any browser on a PC, and small on the chip. */
#if defined(ESP_PLATFORM)
enum { BACKLOG = 4 };
#else
enum { BACKLOG = 64 };
#endif

enum { DISCARD_SIZE = 512, DISCARD_ROUNDS = 32 };

uint64_t socket_clock_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool socket_prepare(int socket)
{
	/* A system without child programs (ESP-IDF) refuses this call and does not need it. */
	fcntl(socket, F_SETFD, FD_CLOEXEC);
	int flags = fcntl(socket, F_GETFL, 0);
	return flags >= 0 && fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0;
}

static int close_failed(int fd)
{
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int listen_on(uint16_t port, uint32_t address)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(port) };
	own.sin_addr.s_addr = htonl(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0) return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	if (!socket_prepare(fd) || bind(fd, (const struct sockaddr *)&own, sizeof(own)) != 0 || listen(fd, BACKLOG) != 0)
		return close_failed(fd);
	return fd;
}

int socket_listen(uint16_t port, bool loopback_only, char message[STREAM_SERVER_MESSAGE_SIZE])
{
	int fd = listen_on(port, loopback_only ? INADDR_LOOPBACK : INADDR_ANY);
	if (fd >= 0) return fd;
	if (errno == EADDRINUSE)
		snprintf(message, STREAM_SERVER_MESSAGE_SIZE, "port %u is used by another program", port);
	else if (errno == EACCES)
		snprintf(message, STREAM_SERVER_MESSAGE_SIZE,
			"port %u needs more rights (ports below 1024 are for root)", port);
	else snprintf(message, STREAM_SERVER_MESSAGE_SIZE, "port %u can't be opened: %s", port, strerror(errno));
	return -1;
}

uint16_t socket_port(int listener)
{
	struct sockaddr_in address = { .sin_port = 0 };
	socklen_t size = sizeof(address);
	return getsockname(listener, (struct sockaddr *)&address, &size) == 0 ? ntohs(address.sin_port) : 0;
}

static int accept_result(int error)
{
	switch (error) {
	case EBADF:
	case EINVAL:
	case ENOTSOCK:
	case EOPNOTSUPP: return SOCKET_BROKEN;
	case EAGAIN:
	case EINTR:
	case ECONNABORTED: return SOCKET_AGAIN;
	/* The error is mostly EMFILE, ENFILE, ENOBUFS or ENOMEM. */
	default: return SOCKET_SCARCE;
	}
}

int socket_accept(int listener, char address[STREAM_ADDRESS_SIZE])
{
	struct sockaddr_in from = { .sin_port = 0 };
	socklen_t size = sizeof(from);
	int fd = accept(listener, (struct sockaddr *)&from, &size);
	if (fd < 0) return accept_result(errno);
	if (!socket_prepare(fd)) {
		close(fd);
		return SOCKET_AGAIN;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	inet_ntop(AF_INET, &from.sin_addr, address, STREAM_ADDRESS_SIZE);
	return fd;
}

int socket_connect(uint32_t address, uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	to.sin_addr.s_addr = address;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0) return SOCKET_SCARCE;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	if (!socket_prepare(fd)) {
		close(fd);
		return SOCKET_SCARCE;
	}
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 || errno == EINPROGRESS || errno == EINTR) return fd;
	bool scarce = errno == EAGAIN || errno == EADDRNOTAVAIL || errno == ENOMEM || errno == ENOBUFS;
	close(fd);
	return scarce ? SOCKET_SCARCE : SOCKET_BROKEN;
}

int socket_connected(int socket)
{
	struct pollfd one = { .fd = socket, .events = POLLOUT };
	int error = 0;
	socklen_t size = sizeof(error);
	if (poll(&one, 1, 0) <= 0) return SOCKET_AGAIN;
	return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0 ? 0 : SOCKET_BROKEN;
}

static int result_of(ssize_t count)
{
	if (count >= 0) return (int)count;
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? SOCKET_AGAIN : SOCKET_BROKEN;
}

int socket_receive(int socket, void *into, size_t size)
{
	return result_of(recv(socket, into, size, 0));
}

int socket_peek(int socket, void *into, size_t size)
{
	return result_of(recv(socket, into, size, MSG_PEEK));
}

int socket_send(int socket, const void *bytes, size_t size)
{
	return result_of(send(socket, bytes, size, MSG_NOSIGNAL));
}

bool socket_has_room(int socket)
{
	struct pollfd one = { .fd = socket, .events = POLLOUT };
	return poll(&one, 1, 0) > 0;
}

int socket_discard(int socket)
{
	uint8_t scratch[DISCARD_SIZE];
	for (int round = 0; round < DISCARD_ROUNDS; round++) {
		int count = socket_receive(socket, scratch, sizeof(scratch));
		if (count <= 0) return count;
	}
	return SOCKET_AGAIN;
}

int socket_open_wake(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0) return -1;
	struct sockaddr_in own = { .sin_family = AF_INET };
	socklen_t size = sizeof(own);
	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	/* The socket is connected to itself, so it accepts datagrams from no other socket. */
	if (!socket_prepare(fd) || bind(fd, (const struct sockaddr *)&own, size) != 0
		|| getsockname(fd, (struct sockaddr *)&own, &size) != 0
		|| connect(fd, (const struct sockaddr *)&own, size) != 0)
		return close_failed(fd);
	return fd;
}

bool socket_wake(int wake)
{
	return send(wake, "", 1, MSG_NOSIGNAL) == 1;
}
