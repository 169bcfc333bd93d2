/*
 * The admission queue (admission-queue.h) on pairs of sockets, for admission-queue.test.ts. Lines of the input are the
 * commands `connect`, `admit`, `answer`, `trust`, `forget` and `wait` of test/hosts/admission-rules.ts. Prints the admitted
 * connections, and at the end the dropped ones.
 *
 *   admission-queue-peer <places> <seed>
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../hosts/native/admission-queue.h"
#include "bell.h"

enum { CONNECTION_LIMIT = 400 };

static admission_queue queue;
static uint64_t now_ms = 1000;
/* The other ends of the connections. */
static int ends[CONNECTION_LIMIT];
/* Whether each was admitted or dropped. */
static bool is_over[CONNECTION_LIMIT];
static int connection_count;
static char dropped[CONNECTION_LIMIT * 5];

static bool is_closed(int socket)
{
	char byte;
	ssize_t count = recv(socket, &byte, 1, MSG_DONTWAIT);
	return count == 0 || (count < 0 && errno != EAGAIN);
}

static void record_dropped(void)
{
	for (int i = 0; i < connection_count; i++) {
		if (is_over[i] || !is_closed(ends[i])) continue;
		is_over[i] = true;
		snprintf(dropped + strlen(dropped), sizeof(dropped) - strlen(dropped), " %d", i);
	}
}

static void add_connection(const char *name)
{
	int pair[2];
	char address[STREAM_ADDRESS_SIZE] = "";
	MUST(connection_count < CONNECTION_LIMIT && strlen(name) < sizeof(address));
	memcpy(address, name, strlen(name));
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	MUST(send(pair[1], "x", 1, 0) == 1);
	ends[connection_count++] = pair[1];
	admission_add(&queue, pair[0], address, now_ms);
	admission_serve(&queue, now_ms);
}

static void admit(void)
{
	pending_connection *caller = admission_first(&queue);
	printf("%s\n", caller ? caller->address : "-");
	if (!caller) return;
	int socket = admission_take(&queue, caller);
	/* The other end of the admitted connection receives a byte. */
	MUST(send(socket, "y", 1, 0) == 1);
	for (int i = 0; i < connection_count; i++) {
		char byte;
		if (!is_over[i] && recv(ends[i], &byte, 1, MSG_DONTWAIT) == 1) is_over[i] = true;
	}
	close(socket);
}

static void execute(const char *line)
{
	char word[16] = "", argument[STREAM_ADDRESS_SIZE] = "";
	MUST(sscanf(line, "%15s %15s", word, argument) >= 1);
	if (strcmp(word, "connect") == 0) add_connection(argument);
	else if (strcmp(word, "admit") == 0) admit();
	else if (strcmp(word, "trust") == 0) {
		char address[STREAM_ADDRESS_SIZE] = "";
		memcpy(address, argument, strlen(argument));
		admission_trust(&queue, address, now_ms);
	} else if (strcmp(word, "answer") == 0) admission_answered(&queue, argument);
	else if (strcmp(word, "forget") == 0) admission_forget_trusted(&queue);
	else if (strcmp(word, "wait") == 0) {
		/* The connections appear to have just arrived, because the rules do not cover the queue's time limits. */
		now_ms += strtoull(argument, NULL, 10);
		for (int i = 0; i < PENDING_CONNECTION_LIMIT; i++) queue.pending[i].since_ms = now_ms;
		admission_serve(&queue, now_ms);
	} else MUST(!"a known command");
	record_dropped();
}

int main(int count, char **arguments)
{
	MUST(count == 3);
	admission_open(&queue, (unsigned)atoi(arguments[1]), false, 1000, (uint32_t)strtoul(arguments[2], NULL, 10));
	while (read_command(execute));
	printf("dropped%s\n", dropped);
	admission_close(&queue);
	for (int i = 0; i < connection_count; i++) close(ends[i]);
	return 0;
}
