/*
 * One UDP port (RFC 768) over IPv4, for modules/io/host.ts. Its thread waits for datagrams and notifies the listener,
 * which reads and sends in another thread without waiting.
 *
 * Datagrams over DATAGRAM_LIMIT bytes are dropped. Unread datagrams wait in the system's queue (Linux: about 20 KB with
 * overhead; lwIP: 6 datagrams); further datagrams are lost. A port uses two sockets and no buffers of its own.
 */
#ifndef DATAGRAM_H
#define DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DATAGRAM_LIMIT is that of modules/io/host.ts. */
enum { DATAGRAM_LIMIT = 1472, DATAGRAM_MESSAGE_SIZE = 128 };

typedef struct datagram_socket datagram_socket;

/* Addresses are in network byte order. 0 means that no address is given. */
typedef struct {
	/* Local port; 0 for any free port. */
	uint16_t port;
	/*
	 * Own address of the gateway, or 0. If it is given, only datagrams to this address or to the group are accepted, and
	 * only from peers in the /24 network of this address.
	 */
	uint32_t address;
	/* Multicast group to join, or 0. With a group, other programs may use the port too, and the TTL is 255. */
	uint32_t group;
	/*
	 * Called in the socket's thread when a datagram can be read or the socket has failed. It is not called again before
	 * datagram_listen. It must not use the socket.
	 */
	void (*notify)(void *context);
	void *context;
} datagram_options;

/* Returns NULL on failure, with `message` for the user. */
datagram_socket *datagram_open(const datagram_options *options, char message[DATAGRAM_MESSAGE_SIZE]);

uint16_t datagram_port(const datagram_socket *socket);

typedef struct {
	uint32_t address;
	uint16_t port;
} datagram_peer;

/*
 * Returns the datagram's length, or -1 if no datagram waits. It also returns -1 after too many datagrams from foreign
 * addresses.
 */
int datagram_read(datagram_socket *socket, uint8_t into[DATAGRAM_LIMIT], datagram_peer *from);

/* Sends a datagram. The datagram is lost if the network cannot accept it. */
void datagram_write(datagram_socket *socket, const void *bytes, size_t size, datagram_peer to);

/* Permits the next call of `notify`. It follows immediately if a datagram is waiting. */
void datagram_listen(datagram_socket *socket);

bool datagram_failed(datagram_socket *socket);

void datagram_close(datagram_socket *socket);

#endif
