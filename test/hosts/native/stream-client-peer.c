/*
 * Uses stream clients, for stream-client.test.ts: executes the commands of its input, prints the events, and checks
 * the guarantees of stream-client.h. Exits with 0 at the end of its input, if all is released.
 *
 *   <n> tcp <host> <port> <timeout ms>
 *   <n> tls <host> <port> <timeout ms> <trusted> <name> <Unix time, s, or -> <certificate or -> <key or -> <session or ->
 *     opens client n, with the session kept under that number. "<n> opened", or "<n> not opened: <sentence>"
 *   <n> send <count>   sends that many bytes of a pattern; "<n> sent" once all are written
 *   <n> hold           stops reading        <n> resume
 *   <n> keep <number>  keeps the session; "<n> kept <bytes>"
 *   <n> damage <number> <at>   changes a byte of a kept session
 *   <n> close          "<n> closed"
 *   0 memory <bytes>   sets the free heap, or "plenty"
 *   0 count            number of clients: "count <count>"
 *
 * Events: "<n> connected <address> resumed <0|1> session <bytes>", "<n> over <code> after <bytes> <checksum>".
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../hosts/native/free-heap.h"
#include "../../../hosts/native/stream-client.h"
#include "bell.h"
#include "stream-peer.h"

enum { CLIENTS = 8, SESSIONS = 4, PIECE = 1500, WORDS = 12 };

typedef struct {
	stream_client *client;
	bool connected, over, is_held;
	size_t writable, to_send, sent, received;
	unsigned sum;
} owned;

static owned all[CLIENTS];
static uint8_t sessions[SESSIONS][TRUST_SESSION_LIMIT];
static size_t session_sizes[SESSIONS];
static atomic_size_t memory = SIZE_MAX;

size_t free_heap(void)
{
	return memory;
}

size_t free_heap_piece(void)
{
	return SIZE_MAX;
}

/* The file's text, or NULL for "-". */
static char *read_file_if_any(const char *path)
{
	return strcmp(path, "-") == 0 ? NULL : read_file(path);
}

static void send_more(owned *o, int number)
{
	static const uint8_t too_much[STREAM_RING_SIZE + 1];
	uint8_t bytes[PIECE];
	while (o->to_send > 0 && o->writable > 0 && !o->over) {
		size_t size = 0;
		for (; size < PIECE && size < o->to_send && size < o->writable; size++) bytes[size] = pattern(o->sent + size);
		MUST(stream_client_write(o->client, too_much, o->writable + 1) == SIZE_MAX);
		size_t room = stream_client_write(o->client, bytes, size);
		MUST(room >= o->writable - size && room <= STREAM_RING_SIZE);
		o->writable = room;
		o->sent += size;
		o->to_send -= size;
		if (o->to_send == 0) printf("%d sent\n", number);
	}
}

static void read_all(owned *o)
{
	uint8_t bytes[PIECE];
	size_t count;
	while (!o->is_held && (count = stream_client_read(o->client, bytes, sizeof(bytes))) > 0) {
		for (size_t i = 0; i < count; i++) o->sum = o->sum * 31 + bytes[i];
		o->received += count;
	}
}

static void handle(owned *o, int number, const stream_event *event)
{
	char address[IPV4_TEXT_SIZE];
	MUST(!o->over);
	switch (event->kind) {
	case STREAM_WRITABLE:
		MUST(event->count > 0 && event->count <= STREAM_RING_SIZE && event->count > o->writable);
		o->writable = event->count;
		stream_client_address(o->client, address);
		if (!o->connected)
			printf("%d connected %s resumed %d session %zu\n", number, address, stream_client_resumed(o->client),
				stream_client_session(o->client, NULL));
		o->connected = true;
		send_more(o, number);
		break;
	case STREAM_READABLE:
		MUST(o->connected && event->count > 0 && event->count <= STREAM_RING_SIZE);
		read_all(o);
		break;
	default:
		MUST(event->kind == STREAM_ENDED);
		read_all(o);
		o->over = true;
		printf("%d over %zu after %zu %u\n", number, event->count, o->received, o->sum);
	}
}

static void drain(void)
{
	stream_event event;
	for (int i = 0; i < CLIENTS; i++)
		while (all[i].client && stream_client_next(all[i].client, &event)) handle(&all[i], i, &event);
}

static void open_client(owned *o, int number, char **words, int count)
{
	char message[TRUST_MESSAGE_SIZE];
	tls_trust_options tls = { 0 };
	bool secure = strcmp(words[0], "tls") == 0;
	char *files[3] = { NULL, NULL, NULL };
	MUST(!o->client && count == (secure ? 10 : 4));
	if (secure) {
		files[0] = read_file_if_any(words[4]);
		files[1] = read_file_if_any(words[7]);
		files[2] = read_file_if_any(words[8]);
		int kept = strcmp(words[9], "-") == 0 ? -1 : atoi(words[9]);
		tls = (tls_trust_options){
			.trusted = files[0], .name = words[5], .has_time = strcmp(words[6], "-") != 0, .utc_s = atoll(words[6]),
			.certificate = files[1], .key = files[2],
			.session = kept < 0 ? NULL : sessions[kept], .session_size = kept < 0 ? 0 : session_sizes[kept],
		};
	}
	memset(o, 0, sizeof(*o));
	o->client = stream_client_open(
		&(stream_client_options){
			.host = words[1], .port = (uint16_t)atoi(words[2]), .timeout_ms = (uint32_t)atoi(words[3]),
			.tls = secure ? &tls : NULL, .notify = ring, .context = bell,
		},
		message);
	if (o->client) {
		MUST(stream_client_write(o->client, "x", 1) == SIZE_MAX || o->connected);
		printf("%d opened\n", number);
	} else printf("%d not opened: %s\n", number, message);
	for (int i = 0; i < 3; i++) free(files[i]);
}

static void close_client(owned *o)
{
	if (o->client) stream_client_close(o->client);
	o->client = NULL;
}

static void execute(const char *line)
{
	char text[600], *words[WORDS], *rest = NULL;
	int count = 0;
	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok_r(text, " ", &rest); word && count < WORDS; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	MUST(count >= 2);
	int number = atoi(words[0]);
	MUST(number >= 0 && number < CLIENTS);
	owned *o = &all[number];
	const char *command = words[1];
	if (strcmp(command, "tcp") == 0 || strcmp(command, "tls") == 0) open_client(o, number, words + 1, count - 1);
	else if (strcmp(command, "send") == 0) {
		o->to_send += (size_t)atol(words[2]);
		send_more(o, number);
	} else if (strcmp(command, "hold") == 0) o->is_held = true;
	else if (strcmp(command, "resume") == 0) {
		o->is_held = false;
		read_all(o);
	} else if (strcmp(command, "keep") == 0) {
		int kept = atoi(words[2]);
		session_sizes[kept] = stream_client_session(o->client, sessions[kept]);
		printf("%d kept %zu\n", number, session_sizes[kept]);
	} else if (strcmp(command, "damage") == 0) {
		int kept = atoi(words[2]);
		sessions[kept][(size_t)atol(words[3]) % session_sizes[kept]] ^= 0x41;
	} else if (strcmp(command, "close") == 0) {
		close_client(o);
		printf("%d closed\n", number);
	} else if (strcmp(command, "memory") == 0) 
		memory = strcmp(words[2], "plenty") == 0 ? SIZE_MAX : strtoul(words[2], NULL, 10);
	else if (strcmp(command, "count") == 0) printf("count %d\n", stream_client_count());
	else MUST(!"a known command");
}

int main(void)
{
	MUST(pipe(bell) == 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (;;) {
		struct pollfd list[] = { { .fd = 0, .events = POLLIN }, { .fd = bell[0], .events = POLLIN } };
		MUST(poll(list, 2, -1) > 0);
		if (list[1].revents) {
			hear_ring();
			drain();
		}
		if (list[0].revents && !read_command(execute)) break;
	}
	for (int i = 0; i < CLIENTS; i++) close_client(&all[i]);
	for (int i = 0; stream_client_count() != -1; i++) {
		MUST(i < 600);
		usleep(10000);
	}
	return 0;
}
