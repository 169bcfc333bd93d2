/*
 * The door of a port: who has connected and has no place of the server yet. A caller costs a socket and nothing else,
 * and gets a place only once the first bytes have come: of TLS (a ClientHello, RFC 5246, 7.4.1.2) as many as tell one from
 * a stranger who only connects, of plain TCP any.
 *
 * When the door is full, the address with the most callers loses one, who has said nothing before who has. Places go to
 * the address that got one least lately, then to who came first. So who comes from a few addresses, however often, keeps
 * nobody waiting for longer than those few take. Addresses that somebody known came from are before all others.
 */
#ifndef STREAM_DOOR_H
#define STREAM_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream-server.h"

enum {
	/* Addresses of which is known when they got a place last. */
	DOOR_MEMORY = 8,
	/* Addresses that somebody known came from. */
	DOOR_FRIENDS = 4,
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
	char friends[DOOR_FRIENDS][STREAM_ADDRESS_SIZE];
	unsigned next_friend;
} stream_door;

void door_open(stream_door *door, unsigned limit, bool secure, uint64_t silence_ms);

/* Somebody known has come from there. */
void door_befriend(stream_door *door, const char address[STREAM_ADDRESS_SIZE]);
bool door_is_friend(const stream_door *door, const char *address);

/* Takes the socket. Where the door is full somebody must go, maybe this one. */
void door_add(stream_door *door, int socket, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms);

/* Looks who has spoken, and closes those whose time is over. */
void door_serve(stream_door *door, uint64_t now_ms);

/* Whose turn it is; NULL: nobody is ready. */
stream_caller *door_first(stream_door *door);

/* The socket, which is the caller's of this function from now on; the address was served. */
int door_take(stream_door *door, stream_caller *caller);

/* Closes the one that has been silent longest, to have its socket; false: there is none that had time to speak. */
bool door_sacrifice(stream_door *door, uint64_t now_ms);

/* Whose socket poll() has to watch for its first bytes. */
bool door_listens(const stream_caller *caller);

/* When door_serve has something to do whatever comes; UINT64_MAX: never. */
uint64_t door_deadline(const stream_door *door, uint64_t now_ms);

void door_close(stream_door *door);

#endif
