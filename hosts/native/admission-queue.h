/*
 * Admission queue of a port: connections that have no place in the server yet. A pending connection costs a socket and
 * nothing else. It may get a place once its first bytes have arrived: for TLS enough of a ClientHello (RFC 5246,
 * 7.4.1.2) to tell a client from a peer that only connects, for plain TCP any byte.
 *
 * Trusted addresses are those that have shown a valid token lately. The rules, which hosts/node/admission-queue.ts has
 * too:
 *
 * - A full queue drops a connection of the address that has the most of them, the new one counted. Between addresses
 *   with equally many, an untrusted one is dropped first; then a connection that has sent nothing.
 * - Trusted addresses get places before others, but after four places in a row another address gets one.
 * - Within each group the address served least recently comes first. Connections of one address keep their order.
 * - Trust ends after half an hour without a token, after two stalled handshakes, and when any token is revoked.
 *
 * So an address that once showed a token cannot keep the others out, and a trusted address hardly notices other
 * addresses, however many there are.
 */
#ifndef ADMISSION_QUEUE_H
#define ADMISSION_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream-server.h"

enum {
	/* Addresses for which the queue remembers when they got a place last. */
	ADMISSION_MEMORY = 8,
	/* Places in a row for trusted while strangers wait. */
	TRUSTED_IN_A_ROW = 4,
	/* When there are more, the one that has shown no token for the longest time is a trusted no more. */
	TRUSTED_LIMIT = 4,
	/* A trusted stays one for so long after the last request with a token: as long as a login lasts. */
	TRUST_MS = 1800000,
	/* Handshakes that stall, after which a trusted is one no more: one may be the fault of its network. */
	ADMISSION_STALLS = 2,
};

typedef struct {
	/* -1: none. */
	int socket;
	/* The first bytes are there. */
	bool ready;
	/* First bytes have arrived: poll() would report the socket again and again. */
	bool begun;
	/* The listener was notified that this connection waits for a place. */
	bool told;
	/* When it came; when it was ready. */
	uint64_t since_ms;
	/* Grows from caller to caller. */
	uint64_t number;
	char address[STREAM_ADDRESS_SIZE];
} pending_connection;

typedef struct {
	pending_connection callers[PENDING_CONNECTION_LIMIT];
	unsigned limit;
	bool secure;
	/* For the first bytes. */
	uint64_t silence_ms;
	uint64_t numbers;
	struct {
		char address[STREAM_ADDRESS_SIZE];
		/* 0: never; else the larger the later. */
		uint64_t turn;
	} served[ADMISSION_MEMORY];
	uint64_t turns;
	/* Places that trusted got since a stranger got one. */
	unsigned trusted_in_a_row;
	struct {
		/* "": none. */
		char address[STREAM_ADDRESS_SIZE];
		/* When a token was shown last; how many handshakes have stalled since. */
		uint64_t known_ms;
		unsigned stalls;
	} trusted[TRUSTED_LIMIT];
} admission_queue;

void admission_open(admission_queue *queue, unsigned limit, bool secure, uint64_t silence_ms);

/* A valid token was shown from there. */
void admission_trust(admission_queue *queue, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms);

/* A handshake from there was given up, since nothing came. */
void admission_stalled(admission_queue *queue, const char *address);

/* Removes the trust from all addresses after a token was revoked. */
void admission_forget_trusted(admission_queue *queue);

/* Takes the socket. A full queue drops one connection, possibly this one. */
void admission_add(admission_queue *queue, int socket, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms);

/* Looks for first bytes, closes overdue connections and ends expired trust. */
void admission_serve(admission_queue *queue, uint64_t now_ms);

/* The connection to admit next; NULL if none is ready. */
pending_connection *admission_first(admission_queue *queue);

/* The socket, which is the caller's of this function from now on; the address was served. */
int admission_take(admission_queue *queue, pending_connection *caller);

/* Closes the caller that has been silent longest, to free its socket. False: all are still within their grace period. */
bool admission_evict(admission_queue *queue, uint64_t now_ms);

/* Returns true if poll() must watch the caller's socket for its first bytes. */
bool admission_listens(const pending_connection *caller);

/* When admission_serve has something to do whatever comes; UINT64_MAX: never. */
uint64_t admission_deadline(const admission_queue *queue, uint64_t now_ms);

void admission_close(admission_queue *queue);

#endif
