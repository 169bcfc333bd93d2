/*
 * The admission queue (admission-queue.h) on pairs of sockets, for admission-queue.test.ts. Lines of the input are the
 * commands `come`, `take`, `know`, `forget` and `pass` of test/hosts/admission-rules.ts. Prints the admitted
 * connections, and at the end the dropped ones.
 *
 *   admission-queue-peer <places>
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../hosts/native/admission-queue.h"
#include "must.h"

enum { COME_LIMIT = 64 };

static admission_queue queue;
static uint64_t now_ms = 1000;
/* The other ends of incoming connections; whether each was admitted or dropped. */
static int ends[COME_LIMIT];
static bool over[COME_LIMIT];
static int came;
static char left[COME_LIMIT * 4];

static bool is_closed(int socket)
{
	char byte;
	ssize_t count = recv(socket, &byte, 1, MSG_DONTWAIT);
	return count == 0 || (count < 0 && errno != EAGAIN);
}

static void look_for_lost(void)
{
	for (int i = 0; i < came; i++) {
		if (over[i] || !is_closed(ends[i])) continue;
		over[i] = true;
		snprintf(left + strlen(left), sizeof(left) - strlen(left), " %d", i);
	}
}

static void come(const char *name)
{
	int pair[2];
	char address[STREAM_ADDRESS_SIZE] = "";
	MUST(came < COME_LIMIT && strlen(name) < sizeof(address));
	memcpy(address, name, strlen(name));
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	MUST(send(pair[1], "x", 1, 0) == 1);
	ends[came++] = pair[1];
	admission_add(&queue, pair[0], address, now_ms);
	admission_serve(&queue, now_ms);
}

static void take(void)
{
	pending_connection *caller = admission_first(&queue);
	printf("%s\n", caller ? caller->address : "-");
	if (!caller) return;
	int socket = admission_take(&queue, caller);
	/* The other end of the admitted connection receives a byte. */
	MUST(send(socket, "y", 1, 0) == 1);
	for (int i = 0; i < came; i++) {
		char byte;
		if (!over[i] && recv(ends[i], &byte, 1, MSG_DONTWAIT) == 1) over[i] = true;
	}
	close(socket);
}

static void execute(const char *line)
{
	char word[16] = "", rest[STREAM_ADDRESS_SIZE] = "";
	MUST(sscanf(line, "%15s %15s", word, rest) >= 1);
	if (strcmp(word, "come") == 0) come(rest);
	else if (strcmp(word, "take") == 0) take();
	else if (strcmp(word, "know") == 0) {
		char address[STREAM_ADDRESS_SIZE] = "";
		memcpy(address, rest, strlen(rest));
		admission_trust(&queue, address, now_ms);
	} else if (strcmp(word, "forget") == 0) admission_forget_trusted(&queue);
	else if (strcmp(word, "pass") == 0) {
		/* The connections appear to have just arrived, because the rules do not cover the queue's time limits. */
		now_ms += strtoull(rest, NULL, 10);
		for (int i = 0; i < PENDING_CONNECTION_LIMIT; i++) queue.callers[i].since_ms = now_ms;
		admission_serve(&queue, now_ms);
	} else MUST(!"a known command");
	look_for_lost();
}

int main(int count, char **arguments)
{
	MUST(count == 2);
	/* Unused function of must.h. */
	(void)ring;
	(void)hear_ring;
	admission_open(&queue, (unsigned)atoi(arguments[1]), false, 1000);
	while (read_command(execute));
	printf("left%s\n", left);
	admission_close(&queue);
	for (int i = 0; i < came; i++) close(ends[i]);
	return 0;
}
