/*
 * The door of a port: connections that have no place of the server yet. Such a caller costs a socket and nothing else. It
 * may get a place once its first bytes have come: of TLS (a ClientHello, RFC 5246, 7.4.1.2) enough to tell a client from
 * somebody who only connects, of plain TCP any.
 *
 * Friends are addresses from which a valid token was shown lately. The rules, which hosts/node/door.ts has too:
 *
 * - A full door takes a caller from the address that has the most of them, the newcomer counted. Between addresses with
 *   equally many, a stranger goes before a friend; then a caller that has said nothing goes first.
 * - Friends get their places before strangers do, but after four places in a row for friends a stranger gets one.
 * - Among friends, as among strangers, it is the turn of the address that was served least lately. Callers of one address
 *   come in their order.
 * - A friend is a stranger again after half an hour without a token, after two handshakes that have stalled, and when
 *   any token is revoked.
 *
 * So an address that once showed a token can't keep the others out, and a friend hardly notices strangers, however many
 * there are.
 */
#ifndef STREAM_DOOR_H
#define STREAM_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream-server.h"

enum {
	/* Addresses for which the door remembers when they got a place last. */
	DOOR_MEMORY = 8,
	/* Places in a row for friends while strangers wait. */
	DOOR_FRIENDS_IN_A_ROW = 4,
	/* When there are more, the one that has shown no token for the longest time is a friend no more. */
	DOOR_FRIENDS = 4,
	/* A friend stays one for so long after the last request with a token: as long as a login lasts. */
	DOOR_FRIENDSHIP_MS = 1800000,
	/* Handshakes that stall, after which a friend is one no more: one may be the fault of its network. */
	DOOR_STALLS = 2,
};

typedef struct {
	/* -1: none. */
	int socket;
	/* The first bytes are there. */
	bool ready;
	/* Some of them are: poll() would tell of them for ever. */
	bool begun;
	/* The owner was told that this one waits for a place. */
	bool told;
	/* When it came; when it was ready. */
	uint64_t since_ms;
	/* Grows from caller to caller. */
	uint64_t number;
	char address[STREAM_ADDRESS_SIZE];
} stream_caller;

typedef struct {
	stream_caller callers[STREAM_CALLER_LIMIT];
	unsigned limit;
	bool secure;
	/* For the first bytes. */
	uint64_t silence_ms;
	uint64_t numbers;
	struct {
		char address[STREAM_ADDRESS_SIZE];
		/* 0: never; else the larger the later. */
		uint64_t turn;
	} served[DOOR_MEMORY];
	uint64_t turns;
	/* Places that friends got since a stranger got one. */
	unsigned friends_in_a_row;
	struct {
		/* "": none. */
		char address[STREAM_ADDRESS_SIZE];
		/* When a token was shown last; how many handshakes have stalled since. */
		uint64_t known_ms;
		unsigned stalls;
	} friends[DOOR_FRIENDS];
} stream_door;

void door_open(stream_door *door, unsigned limit, bool secure, uint64_t silence_ms);

/* A valid token was shown from there. */
void door_befriend(stream_door *door, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms);

/* A handshake from there was given up, since nothing came. */
void door_stalled(stream_door *door, const char *address);

/* From now on everybody is a stranger: a token was revoked. */
void door_forget_friends(stream_door *door);

/* Takes the socket. Where the door is full somebody must go, maybe this one. */
void door_add(stream_door *door, int socket, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms);

/* Looks for first bytes, closes callers whose time is over, and ends friendships that are too old. */
void door_serve(stream_door *door, uint64_t now_ms);

/* The caller whose turn it is; NULL: none is ready. */
stream_caller *door_first(stream_door *door);

/* The socket, which is the caller's of this function from now on; the address was served. */
int door_take(stream_door *door, stream_caller *caller);

/* Closes the caller that has been silent longest, to free its socket. False: all are still within their grace period. */
bool door_sacrifice(stream_door *door, uint64_t now_ms);

/* Whether poll() has to watch the caller's socket for its first bytes. */
bool door_listens(const stream_caller *caller);

/* When door_serve has something to do whatever comes; UINT64_MAX: never. */
uint64_t door_deadline(const stream_door *door, uint64_t now_ms);

void door_close(stream_door *door);

#endif
