/*
 * Resolves DNS names to IPv4 addresses. Each name has its own thread, because getaddrinfo() blocks. Limits:
 * RESOLVER_LIMIT names at once, of up to RESOLVER_NAME_LIMIT bytes (RFC 1035, 2.3.4, as text); RESOLVER_THREADS threads
 * in the whole program, with those of closed resolvers.
 */
#ifndef RESOLVER_H
#define RESOLVER_H

#include <stdbool.h>

#include "ipv4.h"

/*
 * RESOLVER_LIMIT is RESOLVE_LIMIT of the host contract. RESOLVER_THREADS is two more, because clients resolve names
 * too; on a chip each thread takes a stack of 3 KB.
 */
enum { RESOLVER_LIMIT = 4, RESOLVER_THREADS = 6, RESOLVER_NAME_LIMIT = 253 };

typedef struct resolver resolver;

/*
 * Returns NULL if memory is short. `notify` is called when resolver_next has an answer, in any thread, even the
 * caller's. It must neither wait nor call the resolver.
 */
resolver *resolver_open(void (*notify)(void *context), void *context);

/*
 * Returns the number of the request, below RESOLVER_LIMIT; -1 if there are too many names or threads, or if the name is
 * empty or too long. An IPv4 address resolves to itself.
 */
int resolver_ask(resolver *self, const char *name);

/*
 * Returns the number of a request with an answer, and frees the number; the address is "" if the name was not found.
 * Returns -1 if there is no answer.
 */
int resolver_next(resolver *self, char address[IPV4_TEXT_SIZE]);

/* Does not wait for running requests; notify is not called any more. */
void resolver_close(resolver *self);

#endif
