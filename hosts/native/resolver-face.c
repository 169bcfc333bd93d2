/*
 * The resolver (resolver.h) as a class of XS (resolver.ts). Answers reach JavaScript as `onResolved(number, address)` of
 * the target that the constructor got; the address is undefined where there is none.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "machine-post.h"
#include "resolver.h"

typedef struct {
	xsMachine *the;
	xsSlot target;
	resolver *resolver;
	/* The object's own, and one for each delivery under way. */
	atomic_uint references;
	/* Read and written in the machine's thread alone. */
	bool closed;
} resolver_face;

static void release(resolver_face *face)
{
	if (atomic_fetch_sub(&face->references, 1) == 1) free(face);
}

static void deliver(void *context)
{
	resolver_face *face = context;
	char address[IPV4_TEXT_SIZE];
	int number;
	while (!face->closed && (number = resolver_next(face->resolver, address)) >= 0) {
		xsBeginHost(face->the);
		xsmcVars(2);
		xsmcSetInteger(xsVar(0), number);
		if (address[0]) xsmcSetString(xsVar(1), address);
		xsCall2(face->target, xsID_onResolved, xsVar(0), xsVar(1));
		xsEndHost(face->the);
	}
	release(face);
}

/* In any thread. */
static void notify(void *context)
{
	resolver_face *face = context;
	atomic_fetch_add(&face->references, 1);
	machine_post(face->the, deliver, face);
}

void xs_resolver_destructor(void *data)
{
	resolver_face *face = data;
	if (!face) return;
	face->closed = true;
	resolver_close(face->resolver);
	release(face);
}

/* (target): both are there until the machine ends. */
void xs_resolver(xsMachine *the)
{
	resolver_face *face = calloc(1, sizeof(resolver_face));
	if (!face) xsUnknownError("out of memory");
	face->the = the;
	atomic_init(&face->references, 1);
	face->resolver = resolver_open(notify, face);
	if (!face->resolver) {
		free(face);
		xsUnknownError("out of memory");
	}
	face->target = xsArg(0);
	xsRemember(face->target);
	xsmcSetHostData(xsThis, face);
}

/* (name): the question's number, -1 when it can't be asked. */
void xs_resolver_ask(xsMachine *the)
{
	resolver_face *face = xsmcGetHostData(xsThis);
	xsmcSetInteger(xsResult, resolver_ask(face->resolver, xsmcToString(xsArg(0))));
}
