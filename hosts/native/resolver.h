/*
 * DNS names to IPv4 addresses by the system's own resolver, for `resolve` of the host contract and for clients. Each name
 * has a thread for as long as it takes, since getaddrinfo() waits. Plain C on pthreads.
 * Limits: RESOLVER_LIMIT names at once, of up to RESOLVER_NAME_LIMIT bytes (RFC 1035, 2.3.4, as text); RESOLVER_THREADS
 * threads in the whole program, with those of resolvers that were closed.
 */
#ifndef RESOLVER_H
#define RESOLVER_H

#include <stdbool.h>

#include "ipv4.h"

/*
 * RESOLVER_LIMIT: RESOLVE_LIMIT of the host contract. RESOLVER_THREADS: so many and two for clients; on a chip each takes a
 * stack of 3 KB.
 */
enum { RESOLVER_LIMIT = 4, RESOLVER_THREADS = 6, RESOLVER_NAME_LIMIT = 253 };

typedef struct resolver resolver;

/*
 * Returns NULL if memory is short. `notify` is called in any thread, also the caller's, when resolver_next has an
 * answer. It must neither wait nor call the resolver.
 */
resolver *resolver_open(void (*notify)(void *context), void *context);

/*
 * The question's number, below RESOLVER_LIMIT; -1: too many names or threads, or a name that is too long or empty. An
 * address is its own answer.
 */
int resolver_ask(resolver *self, const char *name);

/* The next answer; "" if the name was not found. Its number is free again. -1: no answer yet. */
int resolver_next(resolver *self, char address[IPV4_TEXT_SIZE]);

/* Does not wait for those that are under way. notify is called no more. */
void resolver_close(resolver *self);

#endif
