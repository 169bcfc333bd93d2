/*
 * Closes resolvers with pending requests, for resolver.test.ts. The getaddrinfo() of this file blocks until it is
 * released. Exits with 0, or prints the failed line.
 */
#include <dirent.h>
#include <netdb.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../../../hosts/native/resolver.h"
#include "bell.h"

enum { OWNERS = 20, STEP_US = 10000, STEPS = 1000 };

static atomic_bool may_answer;
static atomic_int asked;

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	(void)name;
	(void)service;
	(void)hints;
	(void)found;
	asked++;
	while (!may_answer) usleep(STEP_US);
	return EAI_NONAME;
}

static int threads_of_this_program(void)
{
	int count = 0;
	DIR *tasks = opendir("/proc/self/task");
	MUST(tasks);
	for (struct dirent *task; (task = readdir(tasks));)
		if (task->d_name[0] != '.') count++;
	closedir(tasks);
	return count;
}

static void wait_for_threads(int count)
{
	for (int i = 0; threads_of_this_program() > count; i++) {
		MUST(i < STEPS);
		usleep(STEP_US);
	}
}

int main(void)
{
	char address[IPV4_TEXT_SIZE];
	/* ThreadSanitizer starts a thread of its own together with the first one. */
	int before = threads_of_this_program() + 1;
	MUST(pipe(bell) == 0);
	for (int i = 0; i < OWNERS; i++) {
		resolver *each = resolver_open(ring, bell);
		MUST(each && resolver_ask(each, "hub.example") == 0);
		/* The threads take the first names; the others are dropped when they are closed. */
		while (i < RESOLVER_THREADS && asked <= i) usleep(STEP_US);
		resolver_close(each);
	}
	MUST(asked == RESOLVER_THREADS);
	MUST(threads_of_this_program() <= before + RESOLVER_THREADS);
	resolver *last = resolver_open(ring, bell);
	MUST(last && resolver_ask(last, "hub.example") == 0);
	/* Addresses need no thread. */
	MUST(resolver_ask(last, "192.0.2.1") == 1);
	hear_ring();
	MUST(resolver_next(last, address) == 1 && resolver_next(last, address) == -1);
	may_answer = true;
	hear_ring();
	MUST(resolver_next(last, address) == 0 && address[0] == 0 && asked == RESOLVER_THREADS + 1);
	/* Names that follow soon need no new thread, and the threads end when there are no more. */
	MUST(threads_of_this_program() <= before + RESOLVER_THREADS);
	for (int i = 0; i < RESOLVER_LIMIT; i++) MUST(resolver_ask(last, "hub.example") == i);
	for (int i = 0; i < RESOLVER_LIMIT; i++) hear_ring();
	for (int i = 0; i < RESOLVER_LIMIT; i++) MUST(resolver_next(last, address) == i && address[0] == 0);
	resolver_close(last);
	wait_for_threads(before);
	return 0;
}
