/*
 * One UDP port (RFC 768) over IPv4, for modules/io/host.ts. Its thread waits for datagrams and notifies the listener,
 * which reads and sends in one other thread without waiting.
 *
 * Datagrams over DATAGRAM_LIMIT bytes are dropped. Unread datagrams wait in the system's queue (Linux: about 20 KB with
 * overhead; lwIP: 6 datagrams); further datagrams are lost. A port uses two sockets and no buffers.
 */
#ifndef DATAGRAM_H
#define DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DATAGRAM_LIMIT is that of modules/io/host.ts. */
enum { DATAGRAM_LIMIT = 1472, DATAGRAM_MESSAGE_SIZE = 128 };

typedef struct datagram_socket datagram_socket;

/* Addresses are in network byte order; 0: no address. */
typedef struct {
	/* 0: any free port. */
	uint16_t port;
	/*
	 * Accepts only datagrams sent to this address of the gateway or to the group, and only peers in the address's /24
	 * network.
	 */
	uint32_t address;
	/* Multicast group to join; the port is then shared, and the TTL is 255. */
	uint32_t group;
	/*
	 * Called in the socket's thread when a datagram can be read or the socket has failed; not again before
	 * datagram_listen. Must not use the socket.
	 */
	void (*notify)(void *context);
	void *context;
} datagram_options;

/* NULL on failure, with `message` for the user. */
datagram_socket *datagram_open(const datagram_options *options, char message[DATAGRAM_MESSAGE_SIZE]);

uint16_t datagram_port(const datagram_socket *socket);

typedef struct {
	uint32_t address;
	uint16_t port;
} datagram_peer;

/* Length; -1 if none waits, or after too many from foreign addresses. */
int datagram_read(datagram_socket *socket, uint8_t into[DATAGRAM_LIMIT], datagram_peer *from);

/* The datagram is lost if the network cannot accept it. */
void datagram_write(datagram_socket *socket, const void *bytes, size_t size, datagram_peer to);

/* Enables the next notify, which follows at once if a datagram is waiting. */
void datagram_listen(datagram_socket *socket);

bool datagram_failed(datagram_socket *socket);

void datagram_close(datagram_socket *socket);

#endif
