/*
 * One UDP port (RFC 768) over IPv4, for the UDP of the host contract (modules/io/host.ts). A thread of its own waits
 * for datagrams and notifies the listener, one other thread, which reads and sends and never waits. Plain C on BSD
 * sockets and pthreads: nothing of XS or of FreeRTOS.
 *
 * Limits: datagrams of up to DATAGRAM_LIMIT bytes; longer ones are dropped. Unread datagrams wait in the socket's own
 * queue of the system, which is kept short (Linux: about 20 KB with overhead; lwIP: 6 datagrams); datagrams beyond it
 * are lost. A port uses two sockets of the system and no buffers of its own.
 */
#ifndef DATAGRAM_H
#define DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DATAGRAM_LIMIT: as in the host contract. */
enum { DATAGRAM_LIMIT = 1472, DATAGRAM_MESSAGE_SIZE = 128 };

typedef struct datagram_socket datagram_socket;

/* Addresses are in the byte order of the network; 0: none. */
typedef struct {
	/* 0: any free one. */
	uint16_t port;
	/* Only what is sent to this address of ours or to the group, and only from and to its /24 network. */
	uint32_t address;
	/* A multicast group to be a member of; the port can be shared then, and what is sent has a TTL of 255. */
	uint32_t group;
	/*
	 * Called in the socket's thread when something can be read, or the socket has failed; not again until
	 * datagram_listen. Must not call the socket.
	 */
	void (*notify)(void *context);
	void *context;
} datagram_options;

/* NULL when it can't be opened: `message` is a sentence for the user then. */
datagram_socket *datagram_open(const datagram_options *options, char message[DATAGRAM_MESSAGE_SIZE]);

uint16_t datagram_port(const datagram_socket *socket);

typedef struct {
	uint32_t address;
	uint16_t port;
} datagram_peer;

/* Copies the next datagram, and gives its length; -1: none waits, or too much that is not for us was thrown away. */
int datagram_read(datagram_socket *socket, uint8_t into[DATAGRAM_LIMIT], datagram_peer *from);

/* Sends a datagram. It is lost if the network cannot take it. */
void datagram_write(datagram_socket *socket, const void *bytes, size_t size, datagram_peer to);

/* notify is to be called again, at once where something still waits. */
void datagram_listen(datagram_socket *socket);

/* Returns true if the socket has failed for good. */
bool datagram_failed(datagram_socket *socket);

/* Frees it. notify is called no more. */
void datagram_close(datagram_socket *socket);

#endif
