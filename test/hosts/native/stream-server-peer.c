/*
 * Uses the stream server, for stream-server.test.ts: a small HTTP/1.1 server that checks the guarantees of
 * stream-server.h. It prints "ready <port>", answers each command line with a line, and exits with 0 at the end of its
 * input.
 *
 *   stream-server-peer <port> <loopback 0|1> <connections> <handshakes> <handshake ms> <linger ms>
 *     <callers> <silence ms> <pressed silence ms> [<chain> <key> [<chain> <key>]]
 *
 *   GET /size/N      N bytes of the pattern          GET /address   the client's address
 *   POST /echo       the body as it arrives          GET /silent    no reply, and no more reading
 *   GET /close/N     N bytes, then closes            POST /refuse   413, then closes; the body is not read
 *
 *   swap: the other certificate   hold: ignore events   resume   break: shut the listening socket down
 *   pressed: number of STREAM_PRESSED events
 *   stop: stream_server_stop      count: number of open connections      drop: close them all
 *   scarce: no memory for handshakes   split: no block larger than 8 KB   plenty: enough
 *   chip: connections take memory as on a chip from now on   chip-hidden: the same, but the server sees plenty
 *   lowest: smallest free heap of that chip
 *   know: all open connections have shown a token   forget: a token was revoked
 *   read: take the waiting bytes of the connections that requested /silent
 *   test: the port connects to itself; the reply is the result
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../hosts/native/stream-server.h"
#include "../../../hosts/native/access-point.h"
#include "../../../hosts/native/free-heap.h"
#include "chip-model.h"
#include "bell.h"
#include "stream-peer.h"

enum { HEAD_LIMIT = 2048, PIECE = 1500, DESCRIPTORS = 256 };

typedef enum { READ_HEAD, SEND_PATTERN, ECHO, SILENT } phase;

typedef struct {
	/* -1: this client is free. */
	int id;
	char address[STREAM_ADDRESS_SIZE];
	phase phase;
	char head[HEAD_LIMIT + 1];
	size_t head_length;
	size_t writable;
	bool writable_reported;
	bool ended;
	bool keep;
	/* Bytes left of the reply, or of the echoed body. */
	size_t left;
	size_t position;
} client;

static stream_server *server;
static client clients[STREAM_CONNECTION_LIMIT];
static int closed_id = -1;
/* Number of STREAM_PRESSED events. */
static unsigned pressed;
static bool held;
/* Files of the other certificate, from the command line. */
static char *const *files;

/* Reading and writing a closed connection must do nothing. */
static void check_closed(void)
{
	uint8_t byte;
	if (closed_id < 0) return;
	MUST(stream_read(server, closed_id, &byte, 1) == 0);
	MUST(stream_write(server, closed_id, "x", 1) == SIZE_MAX);
	stream_close(server, closed_id);
}

static void send_bytes(client *c, const void *bytes, size_t size)
{
	static const uint8_t too_much[STREAM_RING_SIZE + 1];
	MUST(size <= c->writable);
	MUST(stream_write(server, c->id, too_much, c->writable + 1) == SIZE_MAX);
	size_t room = stream_write(server, c->id, bytes, size);
	MUST(room >= c->writable - size && room <= STREAM_RING_SIZE);
	c->writable = room;
}

static void end_client(client *c)
{
	stream_close(server, c->id);
	closed_id = c->id;
	c->id = -1;
	check_closed();
}

static size_t number_after(const char *text, const char *name)
{
	const char *found = strstr(text, name);
	return found ? strtoul(found + strlen(name), NULL, 10) : 0;
}

static void send_text(client *c, unsigned status, size_t length, const char *body)
{
	char text[256];
	int size = snprintf(text, sizeof(text), "HTTP/1.1 %u X\r\nContent-Length: %zu\r\n%s\r\n%s", status, length,
		c->keep ? "" : "Connection: close\r\n", body);
	send_bytes(c, text, (size_t)size);
}

/* Called when the head is complete and the reply's head fits into the output. */
static void answer(client *c)
{
	const char *head = c->head;
	c->keep = strstr(head, "HTTP/1.1") && !strstr(head, "Connection: close");
	c->position = 0;
	c->left = 0;
	c->phase = SEND_PATTERN;
	if (strncmp(head, "GET /size/", 10) == 0) {
		c->left = number_after(head, "/size/");
		send_text(c, 200, c->left, "");
	} else if (strncmp(head, "GET /close/", 11) == 0) {
		uint8_t bytes[STREAM_RING_SIZE];
		size_t size = number_after(head, "/close/");
		c->keep = false;
		send_text(c, 200, size, "");
		MUST(size <= c->writable);
		for (size_t i = 0; i < size; i++) bytes[i] = pattern(i);
		send_bytes(c, bytes, size);
	} else if (strncmp(head, "POST /echo ", 11) == 0) {
		c->left = number_after(head, "Content-Length: ");
		c->phase = ECHO;
		send_text(c, 200, c->left, "");
	} else if (strncmp(head, "POST /refuse ", 13) == 0) {
		c->keep = false;
		send_text(c, 413, 7, "too big");
	} else if (strncmp(head, "GET /address ", 13) == 0) send_text(c, 200, strlen(c->address), c->address);
	else if (strncmp(head, "GET /silent ", 12) == 0) c->phase = SILENT;
	else {
		c->keep = false;
		send_text(c, 404, 0, "");
	}
	c->head_length = 0;
}

/* Returns false if nothing more can be done before the next event. */
static bool step(client *c)
{
	uint8_t bytes[PIECE];
	size_t size;
	switch (c->phase) {
	case READ_HEAD:
		if (c->head_length >= 4 && memcmp(c->head + c->head_length - 4, "\r\n\r\n", 4) == 0) {
			if (c->writable < 512) return false;
			answer(c);
			return true;
		}
		if (c->head_length == HEAD_LIMIT) {
			end_client(c);
			return false;
		}
		size = stream_read(server, c->id, c->head + c->head_length, 1);
		c->head_length += size;
		c->head[c->head_length] = 0;
		if (size == 0 && c->ended) end_client(c);
		return size > 0;
	case SEND_PATTERN:
		if (c->left == 0) {
			c->phase = READ_HEAD;
			if (!c->keep) end_client(c);
			return c->keep;
		}
		for (size = 0; size < PIECE && size < c->left && size < c->writable; size++)
			bytes[size] = pattern(c->position++);
		if (size > 0) send_bytes(c, bytes, size);
		c->left -= size;
		return size > 0;
	case ECHO:
		if (c->left == 0) {
			c->phase = SEND_PATTERN;
			return true;
		}
		size = c->writable < PIECE ? c->writable : PIECE;
		size = stream_read(server, c->id, bytes, size < c->left ? size : c->left);
		if (size > 0) send_bytes(c, bytes, size);
		else if (c->ended) end_client(c);
		c->left -= size;
		return size > 0;
	case SILENT:
		if (c->ended) end_client(c);
		return false;
	}
	return false;
}

/* True after the commands `scarce` and `split`. */
static _Atomic bool scarce, split;

size_t free_heap(void)
{
	return scarce ? 0 : chip_free_heap();
}

size_t free_heap_piece(void)
{
	return split ? 8192 : SIZE_MAX;
}

/* No connection comes by the access point in this test. */
bool access_point_accepted(int socket)
{
	(void)socket;
	return false;
}

static void take(void)
{
	stream_origin origin;
	int id;
	while ((id = stream_server_take(server, &origin)) >= 0) {
		client *c = NULL;
		MUST(id != closed_id);
		for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) {
			MUST(clients[i].id != id);
			if (clients[i].id < 0) c = &clients[i];
		}
		MUST(c);
		memset(c, 0, sizeof(client));
		c->id = id;
		memcpy(c->address, origin.address, sizeof(origin.address));
		/* No room was announced yet, so a write is rejected. */
		MUST(stream_write(server, id, "x", 1) == SIZE_MAX);
	}
}

static void handle(const stream_event *event)
{
	if (event->kind == STREAM_PENDING) {
		MUST(event->connection == -1 && event->count > 0);
		take();
		return;
	}
	if (event->kind == STREAM_PRESSED) {
		MUST(event->connection == -1);
		pressed++;
		return;
	}
	if (event->kind == STREAM_FAILED) {
		MUST(event->connection == -1);
		printf("failed\n");
		return;
	}
	if (event->kind == STREAM_TESTED) {
		char result[STREAM_SERVER_MESSAGE_SIZE];
		MUST(event->connection == -1);
		stream_server_test_result(server, result);
		printf("tested: %s\n", result);
		return;
	}
	client *c = NULL;
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++)
		if (clients[i].id == event->connection) c = &clients[i];
	MUST(c);
	switch (event->kind) {
	case STREAM_WRITABLE:
		MUST(event->count > 0 && event->count <= STREAM_RING_SIZE && event->count > c->writable);
		c->writable = event->count;
		c->writable_reported = true;
		break;
	case STREAM_READABLE:
		MUST(c->writable_reported && !c->ended && event->count > 0 && event->count <= STREAM_RING_SIZE);
		break;
	default: {
		uint8_t byte;
		MUST(event->kind == STREAM_ENDED && c->writable_reported && !c->ended);
		MUST(stream_read(server, c->id, &byte, 1) == 0);
		c->ended = true;
	}
	}
	while (c->id >= 0 && step(c)) continue;
}

static unsigned open_clients(void)
{
	unsigned count = 0;
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++)
		if (clients[i].id >= 0) count++;
	return count;
}

/* Breaks the listening socket, as when the system takes it away. */
static void break_listener(void)
{
	for (int fd = 0; fd < DESCRIPTORS; fd++) {
		int listening = 0;
		socklen_t size = sizeof(listening);
		if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening) shutdown(fd, SHUT_RDWR);
	}
}

static void drop_clients(void)
{
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++)
		if (clients[i].id >= 0) end_client(&clients[i]);
}

static void know_clients(void)
{
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++)
		if (clients[i].id >= 0) stream_know(server, clients[i].id);
}

static void read_silent(void)
{
	uint8_t bytes[PIECE];
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++)
		while (clients[i].id >= 0 && clients[i].phase == SILENT
			&& stream_read(server, clients[i].id, bytes, sizeof(bytes)) > 0)
			continue;
}

static void swap(void)
{
	char message[STREAM_SERVER_MESSAGE_SIZE] = "";
	char *chain = files[0] ? read_file(files[0]) : NULL, *key = files[0] ? read_file(files[1]) : NULL;
	bool swapped = stream_server_set_identity(server, chain ? chain : "", key ? key : "", message);
	MUST(swapped == (message[0] == 0));
	printf("%s\n", swapped ? "swapped" : message);
	free(chain);
	free(key);
}

static void test(void)
{
	if (stream_server_test(server)) MUST(!stream_server_test(server));
	else printf("no test\n");
}

static void execute(const char *line)
{
	if (strcmp(line, "swap") == 0) swap();
	else if (strcmp(line, "test") == 0) test();
	else if (strcmp(line, "count") == 0) printf("%u open\n", open_clients());
	else if (strcmp(line, "lowest") == 0) printf("%ld lowest\n", chip_lowest());
	else if (strcmp(line, "pressed") == 0) printf("%u pressed\n", pressed);
	else {
		if (strcmp(line, "hold") == 0) held = true;
		else if (strcmp(line, "resume") == 0) held = false;
		else if (strcmp(line, "break") == 0) break_listener();
		else if (strcmp(line, "stop") == 0) stream_server_stop(server);
		else if (strcmp(line, "drop") == 0) drop_clients();
		else if (strcmp(line, "read") == 0) read_silent();
		else if (strcmp(line, "know") == 0) know_clients();
		else if (strcmp(line, "forget") == 0) stream_server_forget(server);
		else if (strcmp(line, "scarce") == 0) scarce = true;
		else if (strcmp(line, "split") == 0) split = true;
		else if (strcmp(line, "plenty") == 0) scarce = split = false;
		else if (strncmp(line, "chip", 4) == 0) chip_begin(line[4] == 0);
		else MUST(!"a known command");
		printf("%s\n", line);
	}
}

static void drain(void)
{
	stream_event event;
	while (stream_server_next(server, &event)) handle(&event);
	/* The next ring can only come now; an early one is harmless. */
	hear_ring();
}

int main(int count, char **arguments)
{
	char message[STREAM_SERVER_MESSAGE_SIZE] = "";
	MUST(count == 10 || count == 12 || count == 14);
	char *certificate = count > 10 ? read_file(arguments[10]) : NULL, *key = count > 10 ? read_file(arguments[11]) : NULL;
	MUST(pipe(bell) == 0);
	for (int i = 0; i < STREAM_CONNECTION_LIMIT; i++) clients[i].id = -1;
	files = arguments + (count > 12 ? 12 : count);
	setvbuf(stdout, NULL, _IOLBF, 0);
	server = stream_server_open(
		&(stream_server_options){
			.port = (uint16_t)atoi(arguments[1]),
			.loopback_only = atoi(arguments[2]) != 0,
			.max_connections = (unsigned)atoi(arguments[3]),
			.max_handshakes = (unsigned)atoi(arguments[4]),
			.handshake_timeout_ms = (uint32_t)atoi(arguments[5]),
			.linger_ms = (uint32_t)atoi(arguments[6]),
			.max_pending = (unsigned)atoi(arguments[7]),
			.silence_ms = (uint32_t)atoi(arguments[8]),
			.pressed_silence_ms = (uint32_t)atoi(arguments[9]),
			.certificate = certificate,
			.key = key,
			.notify = ring,
			.context = bell,
		},
		message);
	free(certificate);
	free(key);
	if (!server) {
		printf("%s\n", message);
		return 1;
	}
	printf("ready %u\n", stream_server_port(server));
	struct pollfd waits[] = { { .fd = 0, .events = POLLIN }, { .fd = bell[0], .events = POLLIN } };
	for (;;) {
		waits[1].fd = held ? -1 : bell[0];
		waits[1].revents = 0;
		if (poll(waits, 2, -1) < 0) continue;
		if (waits[0].revents && !read_command(execute)) break;
		if (waits[1].revents) drain();
	}
	stream_server_close(server);
	close(bell[0]);
	close(bell[1]);
	return 0;
}
