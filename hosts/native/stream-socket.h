/*
 * BSD sockets as the stream server and the datagrams need them: none of these calls waits, none raises SIGPIPE, no
 * child program inherits a socket.
 */
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
	/* Results below zero; a result of 0 from socket_receive is the end of the other side's direction. */
	SOCKET_AGAIN = -1,
	SOCKET_BROKEN = -2,
	/* socket_accept: the system has no socket or memory left, or another trouble that may pass. */
	SOCKET_SCARCE = -3,
};

/* Time that only grows. */
uint64_t socket_clock_ms(void);

/* Makes a new socket one that never waits and that no child program inherits. */
bool socket_prepare(int socket);

/* A listening socket of IPv4; -1: `message` says why. */
int socket_listen(uint16_t port, bool loopback_only, char message[STREAM_SERVER_MESSAGE_SIZE]);

uint16_t socket_port(int listener);

/* A connection with its peer's address, SOCKET_AGAIN, SOCKET_SCARCE, or SOCKET_BROKEN: the listener is dead. */
int socket_accept(int listener, char address[STREAM_ADDRESS_SIZE]);

/* A TCP socket on its way to an IPv4 address (in the byte order of the network), SOCKET_SCARCE, or SOCKET_BROKEN. */
int socket_connect(uint32_t address, uint16_t port);

/* State of the socket: 0 connected, SOCKET_AGAIN not yet, SOCKET_BROKEN failed. */
int socket_connected(int socket);

int socket_receive(int socket, void *into, size_t size);
/* Reads without removing the bytes; lwIP gives those of the first segment only. */
int socket_peek(int socket, void *into, size_t size);
int socket_send(int socket, const void *bytes, size_t size);
/*
 * Returns true if a writable socket has room for the bytes that poll() promises (2873 with lwIP), or if the connection
 * is broken.
 */
bool socket_has_room(int socket);

/* Throws away what has come: SOCKET_AGAIN: more may come; 0: the other side has ended; SOCKET_BROKEN. */
int socket_discard(int socket);

/* A datagram socket that talks to itself, for poll() to wait on beside the others (ESP-IDF has no pipe); or -1. */
int socket_open_wake(void);

/* False when it could not be sent. From any thread. */
bool socket_wake(int wake);

#endif
