/* What differs between the worlds: whether there is memory for a handshake, a client's or a port's. Each host defines it. */
#ifndef HANDSHAKE_MEMORY_H
#define HANDSHAKE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

enum {
	/*
	 * Heap that a handshake takes at its highest, on a chip: a record of 16 KB that comes (a stranger may claim as much), one
	 * of 4 KB that goes, and what chain and sums want: 14 KB beside its connection's own 5, measured for a client with
	 * Mbed TLS 2.28 as a 32-bit program, a chain of RSA (10 KB with ECDSA).
	 */
	HANDSHAKE_MEMORY = 36 * 1024,
	/* The largest piece of it: the record that comes. */
	HANDSHAKE_MEMORY_PIECE = 17 * 1024,
};

/* Asked by whose turn it is, in its thread. */
bool handshake_memory_suffices(void);

#endif
