/*
 * Resolves DNS names to IPv4 addresses, in threads of its own, because getaddrinfo() blocks. Limits: RESOLVER_LIMIT
 * names at once in each resolver, of up to RESOLVER_NAME_LIMIT bytes (RFC 1035, 2.3.4, as text); RESOLVER_THREADS
 * threads in the whole program. While all of them are busy, further names wait.
 */
#ifndef RESOLVER_H
#define RESOLVER_H

#include <stdbool.h>

#include "ipv4.h"

/*
 * RESOLVER_LIMIT is RESOLVE_LIMIT of the host contract. With two threads, a name whose server is silent does not delay
 * the others. On a chip each thread takes a stack of 3 KB.
 */
enum { RESOLVER_LIMIT = 4, RESOLVER_THREADS = 2, RESOLVER_NAME_LIMIT = 253 };

typedef struct resolver resolver;

/*
 * NULL if memory is short. `notify` is called when resolver_next has an answer, in any thread, even the caller's. It
 * must neither wait nor call the resolver.
 */
resolver *resolver_open(void (*notify)(void *context), void *context);

/*
 * Number of the request, below RESOLVER_LIMIT; -1 for too many names, or an empty or too long one. An IPv4 address
 * resolves to itself.
 */
int resolver_ask(resolver *self, const char *name);

/* Returns and frees the number of an answered request, or -1. The address is "" if the name was not found. */
int resolver_next(resolver *self, char address[IPV4_TEXT_SIZE]);

/* Drops waiting requests and does not wait for running ones. notify is not called afterwards. */
void resolver_close(resolver *self);

#endif
