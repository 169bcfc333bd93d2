/*
 * Admission queue of a listening port. It contains the connections that have no place in the server yet. A connection
 * may get a place when its first bytes have arrived. With TLS this means enough of a ClientHello (RFC 5246, 7.4.1.2) to
 * tell a client from a peer that only connects; with plain TCP any byte suffices.
 *
 * The address that has had the fewest turns in vain comes first. So a client that was never seen passes
 * any number of addresses that keep connecting, and waits only for those that are as new as it is. A client's address is
 * trusted if a request from it had a valid token within the last half hour. The following rules also apply in
 * hosts/node/admission-queue.ts:
 *
 * - A place counts as a turn of an address that is not trusted, unless a reply begins within PROMPT_REPLY_MS of the
 *   handshake: a client that stalls, refuses the certificate or sends slowly has used its turn. So has one that is dropped
 *   because it has sent nothing in its grace period. A token sets the turns to 0. TURNS_LIMIT turns are counted, and half
 *   of them are forgotten each FORGET_MS.
 * - If the queue is full when a connection arrives, the address with the most connections loses one; the new connection
 *   counts too. If several addresses have equally many, one from an untrusted address is dropped first, then the one
 *   with the most turns, then one that has sent nothing in its grace period, then any of them at random; of one address
 *   the newest.
 * - Trusted addresses get places before others, but after four places in a row for trusted addresses, another address
 *   gets one.
 * - Among the others, the address with the fewest turns comes first. Among equals and among trusted addresses, the one
 *   that was served least recently comes first. Connections from one address keep their order.
 * - The trust in an address ends after half an hour without a token, after two stalled handshakes, and when any token
 *   is revoked.
 */
#ifndef ADMISSION_QUEUE_H
#define ADMISSION_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream-server.h"

enum {
	/* Number of addresses for which the queue remembers when they last got a place. */
	ADMISSION_MEMORY = 8,
	/* Number of counters of turns, a power of two. The addresses of a network with 24 bits have different counters. */
	TURNS_COUNTERS = 1024,
	TURNS_LIMIT = 15,
	FORGET_MS = 300000,
	PROMPT_REPLY_MS = 1000,
	TRUSTED_IN_A_ROW = 4,
	/* Number of trusted addresses. If another address is added, the one with the oldest token loses its trust. */
	TRUSTED_LIMIT = 4,
	/* Duration of trust after the last request with a token. It equals the duration of a session. */
	TRUST_MS = 1800000,
	ADMISSION_STALLS = 2,
};

typedef struct {
	/* -1 if this entry is unused. */
	int socket;
	bool ready;
	/*
	 * True after the first byte. poll() must not watch the socket any more then, because it would always return
	 * immediately.
	 */
	bool has_first_byte;
	bool notified;
	/* Time at which the connection arrived. For a ready connection, the time at which it became ready. */
	uint64_t since_ms;
	uint64_t number;
	char address[STREAM_ADDRESS_SIZE];
} pending_connection;

typedef struct {
	pending_connection pending[PENDING_CONNECTION_LIMIT];
	unsigned limit;
	bool secure;
	uint64_t silence_ms;
	uint64_t arrivals;
	struct {
		char address[STREAM_ADDRESS_SIZE];
		/* Sequence number of the last place that the address got; 0 if it has not got one yet. */
		uint64_t place;
	} served[ADMISSION_MEMORY];
	uint64_t places;
	/* Four bits for each counter. */
	uint8_t turns[TURNS_COUNTERS / 2];
	/* Number of FORGET_MS that had passed when the turns were last halved. */
	uint64_t period;
	/* Number by which addresses are assigned to counters, so that nobody knows which addresses share one. */
	uint32_t key;
	uint32_t random;
	unsigned trusted_in_a_row;
	struct {
		/* "" if this entry is unused. */
		char address[STREAM_ADDRESS_SIZE];
		uint64_t known_ms;
		unsigned stalls;
	} trusted[TRUSTED_LIMIT];
} admission_queue;

/* `seed`: a random number. */
void admission_open(admission_queue *queue, unsigned limit, bool secure, uint64_t silence_ms, uint32_t seed);

void admission_trust(admission_queue *queue, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms);

/* Records that a connection from this address was answered promptly, so that it does not count as a turn. */
void admission_answered(admission_queue *queue, const char *address);

/*
 * Returns the longest silence of a handshake of this address while `next` waits: `longest_ms`; half of it if `next` had
 * as few turns before, and a quarter of it if it had fewer. Of many new clients that fall silent, each takes little time.
 */
uint32_t admission_patience(
	const admission_queue *queue, const char *address, const pending_connection *next, uint32_t longest_ms);

/* Records that a handshake was given up because nothing arrived. */
void admission_stalled(admission_queue *queue, const char *address);

void admission_forget_trusted(admission_queue *queue);

/* Takes ownership of the socket. If the queue is full, it drops a connection, possibly the new one. */
void admission_add(admission_queue *queue, int socket, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms);

void admission_serve(admission_queue *queue, uint64_t now_ms);

/* Returns the connection that gets the next place, or NULL if none is ready. */
pending_connection *admission_first(admission_queue *queue);

/* Removes the connection and returns its socket, which the caller then owns. The address counts as served. */
int admission_take(admission_queue *queue, pending_connection *pending);

/*
 * Closes the connection that has been silent longest. Returns false if all connections are within their grace period.
 */
bool admission_evict(admission_queue *queue, uint64_t now_ms);

/* Returns true if poll() must watch for the first bytes. */
bool admission_listens(const pending_connection *pending);

/* Returns the latest time at which admission_serve must be called, or UINT64_MAX if no call is needed. */
uint64_t admission_deadline(const admission_queue *queue, uint64_t now_ms);

void admission_close(admission_queue *queue);

#endif
