/*
 * A client of the resolver, for resolver.test.ts. Requests all names of its arguments at once, and prints "<name>
 * <address>" for each answer, "<name> none" without an address, and "<name> refused" for a rejected request. With
 * "close" as its first argument it closes the resolver while requests are pending.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../../hosts/native/resolver.h"
#include "bell.h"

enum { PATIENCE_MS = 30000, AFTERWARDS_MS = 300 };

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
		char address[IPV4_TEXT_SIZE];
		MUST(poll(&wait, 1, PATIENCE_MS) == 1);
		hear_ring();
		for (int number; (number = resolver_next(self, address)) >= 0; waiting--) {
			MUST(names[number]);
			printf("%s %s\n", names[number], address[0] ? address : "none");
			names[number] = NULL;
		}
	}
	resolver_close(self);
	/* Removes rings of answers that were already read; no other ring may follow. */
	while (poll(&wait, 1, 0) == 1) hear_ring();
	MUST(poll(&wait, 1, AFTERWARDS_MS) == 0);
	return 0;
}
