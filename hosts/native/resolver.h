/*
 * Resolves DNS names to IPv4 addresses, in threads of its own, because getaddrinfo() blocks. Limits: a resolver
 * resolves up to RESOLVER_LIMIT names at a time. A name has up to RESOLVER_NAME_LIMIT bytes (RFC 1035, 2.3.4, as text).
 * The whole program has RESOLVER_THREADS threads. While all threads are busy, further names wait.
 */
#ifndef RESOLVER_H
#define RESOLVER_H

#include <stdbool.h>

#include "ipv4.h"

/*
 * RESOLVER_LIMIT is RESOLVE_LIMIT of the host contract. There are two threads, so that a name whose DNS server is
 * silent does not delay other names. On a chip each thread takes a stack of 3 KB.
 */
enum { RESOLVER_LIMIT = 4, RESOLVER_THREADS = 2, RESOLVER_NAME_LIMIT = 253 };

typedef struct resolver resolver;

/*
 * Returns NULL if memory is short. `notify` is called when resolver_next has an answer, in any thread, even in the
 * caller's. It must neither wait nor call the resolver.
 */
resolver *resolver_open(void (*notify)(void *context), void *context);

/*
 * Returns the number of the request, which is below RESOLVER_LIMIT. Returns -1 if there are too many requests, or if
 * the name is empty or too long. An IPv4 address resolves to itself.
 */
int resolver_ask(resolver *self, const char *name);

/*
 * Returns the number of an answered request, which is free again, or -1 if no request was answered. The address is ""
 * if the name was not found.
 */
int resolver_next(resolver *self, char address[IPV4_TEXT_SIZE]);

/* Drops waiting requests, and does not wait for running ones. `notify` is not called afterwards. */
void resolver_close(resolver *self);

#endif
