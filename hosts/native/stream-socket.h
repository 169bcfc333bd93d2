/* TCP sockets. No call waits or raises SIGPIPE, and child programs inherit no socket. */
#ifndef STREAM_SOCKET_H
#define STREAM_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(ESP_PLATFORM)
#include <sys/poll.h>
#else
#include <poll.h>
#endif

#include "stream-server.h"

enum {
	/*
	 * Results of functions are these values, or not negative. 0 from socket_receive means that the peer has ended its
	 * direction.
	 */
	SOCKET_AGAIN = -1,
	SOCKET_BROKEN = -2,
	/* Result of socket_accept: no socket or memory left, or another temporary error. */
	SOCKET_SCARCE = -3,
};

uint64_t socket_clock_ms(void);

bool socket_prepare(int socket);

/* Returns the listener, or -1 on failure, with the reason in `message`. */
int socket_listen(uint16_t port, bool loopback_only, char message[STREAM_SERVER_MESSAGE_SIZE]);

uint16_t socket_port(int listener);

/* Returns the socket of a new connection, SOCKET_AGAIN, SOCKET_SCARCE, or SOCKET_BROKEN if the listener has failed. */
int socket_accept(int listener, char address[STREAM_ADDRESS_SIZE]);

/* Begins a connection. `address` is in network byte order. Returns a socket, SOCKET_SCARCE, or SOCKET_BROKEN. */
int socket_connect(uint32_t address, uint16_t port);

/*
 * Returns 0 if the socket is connected, SOCKET_AGAIN if it is not connected yet, or SOCKET_BROKEN if the attempt has
 * failed.
 */
int socket_connected(int socket);

int socket_receive(int socket, void *into, size_t size);
/* Copies received bytes without removing them. With lwIP, only the bytes of the first segment are visible. */
int socket_peek(int socket, void *into, size_t size);
int socket_send(int socket, const void *bytes, size_t size);
/*
 * Returns true if poll() reports the socket as writable: it has room for a segment or two (2873 bytes with lwIP), or
 * the connection is broken.
 */
bool socket_has_room(int socket);

/*
 * Discards received bytes. Returns SOCKET_AGAIN if more may arrive, 0 if the peer has ended its direction, or
 * SOCKET_BROKEN.
 */
int socket_discard(int socket);

/* Returns a datagram socket that is connected to itself, or -1. poll() can watch it (ESP-IDF has no pipe). */
int socket_open_wake(void);

/* Wakes the thread that polls the socket. Returns false if that failed. May be called in any thread. */
bool socket_wake(int wake);

#endif
