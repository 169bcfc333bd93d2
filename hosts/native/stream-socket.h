/* No call waits or raises SIGPIPE, and child programs inherit no socket. */
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
	/* Results below zero; 0 from socket_receive means that the peer has ended its direction. */
	SOCKET_AGAIN = -1,
	SOCKET_BROKEN = -2,
	/* Result of socket_accept: no socket or memory left, or another temporary error. */
	SOCKET_SCARCE = -3,
};

uint64_t socket_clock_ms(void);

bool socket_prepare(int socket);

/* -1 with the reason in `message` on failure. */
int socket_listen(uint16_t port, bool loopback_only, char message[STREAM_SERVER_MESSAGE_SIZE]);

uint16_t socket_port(int listener);

/* A connection, SOCKET_AGAIN, SOCKET_SCARCE, or SOCKET_BROKEN if the listener has failed. */
int socket_accept(int listener, char address[STREAM_ADDRESS_SIZE]);

/* `address`: network byte order. Returns a socket, SOCKET_SCARCE, or SOCKET_BROKEN. */
int socket_connect(uint32_t address, uint16_t port);

/* 0 connected, SOCKET_AGAIN not yet, SOCKET_BROKEN failed. */
int socket_connected(int socket);

int socket_receive(int socket, void *into, size_t size);
/* With lwIP, only bytes of the first segment are visible. */
int socket_peek(int socket, void *into, size_t size);
int socket_send(int socket, const void *bytes, size_t size);
/* As poll() reports: room for a segment or two (2873 bytes with lwIP), or a broken connection. */
bool socket_has_room(int socket);

/* SOCKET_AGAIN if more may arrive, 0 if the peer has ended, or SOCKET_BROKEN. */
int socket_discard(int socket);

/* Datagram socket connected to itself, which poll() can watch (ESP-IDF has no pipe), or -1. */
int socket_open_wake(void);

/* Wakes the thread that polls the socket; false if it could not. Any thread may call. */
bool socket_wake(int wake);

#endif
