/*
 * An owner of a resolver, for resolver.test.ts: asks all its arguments at once, prints "<name> <address>" for each
 * answer, "<name> none" where there is none and "<name> refused" where it was not asked, and ends. With "close" for its
 * first argument it closes the resolver while the others are under way instead of waiting.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../hosts/native/resolver.h"

/* What is wrong with the resolver ends the program, whatever NDEBUG says. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

enum { PATIENCE_MS = 30000, AFTERWARDS_MS = 300 };

static int bell[2];

static void ring(void *context)
{
	MUST(context == bell);
	MUST(write(bell[1], "", 1) == 1);
}

int main(int count, char **arguments)
{
	const char *names[RESOLVER_LIMIT] = { NULL };
	unsigned waiting = 0;
	MUST(count > 1 && pipe(bell) == 0);
	bool closing = strcmp(arguments[1], "close") == 0;
	resolver *self = resolver_open(ring, bell);
	MUST(self);
	for (int i = closing ? 2 : 1; i < count; i++) {
		int number = resolver_ask(self, arguments[i]);
		if (number < 0) printf("%s refused\n", arguments[i]);
		else {
			MUST(number < RESOLVER_LIMIT && !names[number]);
			names[number] = arguments[i];
			waiting++;
		}
	}
	struct pollfd wait = { .fd = bell[0], .events = POLLIN };
	while (!closing && waiting > 0) {
		char address[IPV4_TEXT_SIZE], byte;
		MUST(poll(&wait, 1, PATIENCE_MS) == 1 && read(bell[0], &byte, 1) == 1);
		for (int number; (number = resolver_next(self, address)) >= 0; waiting--) {
			MUST(names[number]);
			printf("%s %s\n", names[number], address[0] ? address : "none");
			names[number] = NULL;
		}
	}
	resolver_close(self);
	/* Several may have rung for answers that were taken in one go; nothing rings any more. */
	char byte;
	while (poll(&wait, 1, 0) == 1) MUST(read(bell[0], &byte, 1) == 1);
	MUST(poll(&wait, 1, AFTERWARDS_MS) == 0);
	return 0;
}
