/* See stream-door.h. */
#include "stream-door.h"

#include <string.h>
#include <unistd.h>

#include "stream-socket.h"

enum {
	/* A caller that is ready waits so long for a place: longer than any handshake that may be ahead of it. */
	PATIENCE_MS = 20000,
	/* A caller that has only just come may be about to speak. */
	FIRST_WORD_MS = 300,
	/* How often one is looked at whose first bytes are not all there. */
	LOOK_MS = 20,
	/* Head of a TLS record: type, version, length (RFC 5246, 6.2.1). */
	RECORD_HEAD_SIZE = 5,
	RECORD_HANDSHAKE = 22,
	/* So much of a longer ClientHello is enough: lwIP shows the first segment only. */
	HELLO_SIZE = 256,
};

static bool is_there(const stream_caller *caller)
{
	return caller->socket >= 0;
}

static void send_away(stream_caller *caller)
{
	close(caller->socket);
	caller->socket = -1;
}

void door_open(stream_door *door, unsigned limit, bool secure, uint64_t silence_ms)
{
	*door = (stream_door){ .limit = limit, .secure = secure, .silence_ms = silence_ms };
	for (int i = 0; i < STREAM_CALLER_LIMIT; i++) door->callers[i].socket = -1;
}

/* -1: it is a stranger's. */
static int friend_at(const stream_door *door, const char *address)
{
	for (int i = 0; i < DOOR_FRIENDS; i++)
		if (strcmp(door->friends[i].address, address) == 0) return i;
	return -1;
}

static bool is_friend(const stream_door *door, const char *address)
{
	return friend_at(door, address) >= 0;
}

void door_befriend(stream_door *door, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms)
{
	int place = friend_at(door, address);
	if (place < 0) {
		place = 0;
		for (int i = 1; i < DOOR_FRIENDS; i++)
			if (door->friends[i].known_ms < door->friends[place].known_ms) place = i;
		memcpy(door->friends[place].address, address, STREAM_ADDRESS_SIZE);
	}
	door->friends[place].known_ms = now_ms;
	door->friends[place].stalls = 0;
}

static void end_friendship(stream_door *door, int place)
{
	memset(&door->friends[place], 0, sizeof(door->friends[place]));
}

void door_stalled(stream_door *door, const char *address)
{
	int place = friend_at(door, address);
	if (place < 0 || ++door->friends[place].stalls < DOOR_STALLS) return;
	end_friendship(door, place);
	/* The places that it took were none for friends. */
	door->friends_in_a_row = 0;
}

void door_forget_friends(stream_door *door)
{
	for (int i = 0; i < DOOR_FRIENDS; i++) end_friendship(door, i);
}

static void end_old_friendships(stream_door *door, uint64_t now_ms)
{
	for (int i = 0; i < DOOR_FRIENDS; i++)
		if (now_ms >= door->friends[i].known_ms + DOOR_FRIENDSHIP_MS) end_friendship(door, i);
}

static unsigned callers_from(const stream_door *door, const char *address)
{
	unsigned count = 0;
	for (unsigned i = 0; i < door->limit; i++)
		if (is_there(&door->callers[i]) && strcmp(door->callers[i].address, address) == 0) count++;
	return count;
}

/* Which of two goes when their addresses have equally many; of two that are ready, the younger one. */
static bool goes_before(const stream_door *door, const stream_caller *caller, const stream_caller *other)
{
	bool friend = is_friend(door, caller->address);
	if (friend != is_friend(door, other->address)) return !friend;
	if (caller->ready != other->ready) return !caller->ready;
	return caller->ready ? caller->number > other->number : caller->number < other->number;
}

/* The caller that makes room for `newcomer`, maybe that itself: it counts for its address, and as one that is ready. */
static stream_caller *surplus(stream_door *door, stream_caller *newcomer)
{
	stream_caller *first = newcomer;
	unsigned most = callers_from(door, newcomer->address) + 1;
	for (unsigned i = 0; i < door->limit; i++) {
		stream_caller *each = &door->callers[i];
		unsigned own = strcmp(each->address, newcomer->address) == 0 ? 1 : 0;
		unsigned count = callers_from(door, each->address) + own;
		if (count < most || (count == most && !goes_before(door, each, first))) continue;
		most = count;
		first = each;
	}
	return first;
}

void door_add(stream_door *door, int socket, const char address[STREAM_ADDRESS_SIZE], uint64_t now_ms)
{
	stream_caller newcomer = { .socket = socket, .ready = true, .since_ms = now_ms, .number = ++door->numbers };
	memcpy(newcomer.address, address, STREAM_ADDRESS_SIZE);
	stream_caller *place = NULL;
	for (unsigned i = 0; i < door->limit && !place; i++)
		if (!is_there(&door->callers[i])) place = &door->callers[i];
	if (!place) {
		place = surplus(door, &newcomer);
		send_away(place);
		if (place == &newcomer) return;
	}
	*place = newcomer;
	place->ready = false;
}

/* Whether that is enough to begin with; SOCKET_AGAIN: not yet; SOCKET_BROKEN: nothing will come. */
static int has_spoken(const stream_door *door, stream_caller *caller, bool last_chance)
{
	uint8_t bytes[HELLO_SIZE];
	int count = socket_peek(caller->socket, bytes, door->secure ? sizeof(bytes) : 1);
	if (count < 0) return count;
	if (count == 0) return SOCKET_BROKEN;
	if (!door->secure) return 0;
	caller->begun = true;
	if (count < RECORD_HEAD_SIZE) return SOCKET_AGAIN;
	/* Mbed TLS tells who speaks something else, at once. A peer may send the head in a segment of its own. */
	if (bytes[0] != RECORD_HANDSHAKE || last_chance) return 0;
	size_t whole = RECORD_HEAD_SIZE + ((size_t)bytes[3] << 8 | bytes[4]);
	return (size_t)count >= sizeof(bytes) || (size_t)count >= whole ? 0 : SOCKET_AGAIN;
}

static uint64_t deadline_of(const stream_door *door, const stream_caller *caller)
{
	return caller->since_ms + (caller->ready ? PATIENCE_MS : door->silence_ms);
}

void door_serve(stream_door *door, uint64_t now_ms)
{
	end_old_friendships(door, now_ms);
	for (unsigned i = 0; i < door->limit; i++) {
		stream_caller *each = &door->callers[i];
		if (!is_there(each)) continue;
		bool late = now_ms >= deadline_of(door, each);
		int spoken = each->ready ? SOCKET_AGAIN : has_spoken(door, each, late);
		if (spoken == 0) {
			each->ready = true;
			each->since_ms = now_ms;
		} else if (late || spoken == SOCKET_BROKEN) send_away(each);
	}
}

/* When the address got a place last; 0: never, as far as is remembered. */
static uint64_t last_turn(const stream_door *door, const char *address)
{
	for (int i = 0; i < DOOR_MEMORY; i++)
		if (strcmp(door->served[i].address, address) == 0) return door->served[i].turn;
	return 0;
}

static bool comes_before(const stream_door *door, const stream_caller *caller, const stream_caller *other)
{
	bool friend = is_friend(door, caller->address);
	if (friend != is_friend(door, other->address)) return friend == (door->friends_in_a_row < DOOR_FRIENDS_IN_A_ROW);
	uint64_t turn = last_turn(door, caller->address), other_turn = last_turn(door, other->address);
	return turn != other_turn ? turn < other_turn : caller->number < other->number;
}

stream_caller *door_first(stream_door *door)
{
	stream_caller *first = NULL;
	for (unsigned i = 0; i < door->limit; i++) {
		stream_caller *each = &door->callers[i];
		if (!is_there(each) || !each->ready) continue;
		if (!first || comes_before(door, each, first)) first = each;
	}
	return first;
}

static void remember(stream_door *door, const char *address)
{
	int place = 0;
	for (int i = 0; i < DOOR_MEMORY; i++) {
		if (strcmp(door->served[i].address, address) == 0) {
			place = i;
			break;
		}
		if (door->served[i].turn < door->served[place].turn) place = i;
	}
	memcpy(door->served[place].address, address, STREAM_ADDRESS_SIZE);
	door->served[place].turn = ++door->turns;
	if (!is_friend(door, address)) door->friends_in_a_row = 0;
	else if (door->friends_in_a_row < DOOR_FRIENDS_IN_A_ROW) door->friends_in_a_row++;
}

int door_take(stream_door *door, stream_caller *caller)
{
	int socket = caller->socket;
	remember(door, caller->address);
	caller->socket = -1;
	/* The place that was made for one of them may be this one's. */
	for (unsigned i = 0; i < door->limit; i++) door->callers[i].told = false;
	return socket;
}

bool door_sacrifice(stream_door *door, uint64_t now_ms)
{
	stream_caller *oldest = NULL;
	for (unsigned i = 0; i < door->limit; i++) {
		stream_caller *each = &door->callers[i];
		if (is_there(each) && !each->ready && (!oldest || each->number < oldest->number)) oldest = each;
	}
	if (!oldest || now_ms < oldest->since_ms + FIRST_WORD_MS) return false;
	send_away(oldest);
	return true;
}

bool door_listens(const stream_caller *caller)
{
	return is_there(caller) && !caller->ready && !caller->begun;
}

uint64_t door_deadline(const stream_door *door, uint64_t now_ms)
{
	uint64_t first_ms = UINT64_MAX;
	for (unsigned i = 0; i < door->limit; i++) {
		if (!is_there(&door->callers[i])) continue;
		const stream_caller *each = &door->callers[i];
		uint64_t due_ms = deadline_of(door, each);
		if (each->begun && !each->ready && now_ms + LOOK_MS < due_ms) due_ms = now_ms + LOOK_MS;
		if (due_ms < first_ms) first_ms = due_ms;
	}
	return first_ms;
}

void door_close(stream_door *door)
{
	for (unsigned i = 0; i < door->limit; i++)
		if (is_there(&door->callers[i])) send_away(&door->callers[i]);
}
