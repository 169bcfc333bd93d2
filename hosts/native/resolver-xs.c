/*
 * Each answer reaches JavaScript as `onResolved(number, address)` of the target that the constructor received; the
 * address is undefined if the name was not found.
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
	/* Number of references: one for the object, and one for each delivery under way. */
	atomic_uint references;
	/* True after the object was closed. Only used in the machine's thread. */
	bool closed;
} resolver_binding;

static void release(resolver_binding *binding)
{
	if (atomic_fetch_sub(&binding->references, 1) == 1) free(binding);
}

static void deliver(void *context)
{
	resolver_binding *binding = context;
	char address[IPV4_TEXT_SIZE];
	int number;
	while (!binding->closed && (number = resolver_next(binding->resolver, address)) >= 0) {
		xsBeginHost(binding->the);
		xsmcVars(2);
		xsmcSetInteger(xsVar(0), number);
		if (address[0]) xsmcSetString(xsVar(1), address);
		xsCall2(binding->target, xsID_onResolved, xsVar(0), xsVar(1));
		xsEndHost(binding->the);
	}
	release(binding);
}

/* Posts a delivery. May be called in any thread. */
static void notify(void *context)
{
	resolver_binding *binding = context;
	atomic_fetch_add(&binding->references, 1);
	machine_post(binding->the, deliver, binding);
}

void xs_resolver_destructor(void *data)
{
	resolver_binding *binding = data;
	if (!binding) return;
	binding->closed = true;
	resolver_close(binding->resolver);
	release(binding);
}

/* Argument: target. The target and the resolver exist until the machine ends. */
void xs_resolver(xsMachine *the)
{
	resolver_binding *binding = calloc(1, sizeof(resolver_binding));
	if (!binding) xsUnknownError("out of memory");
	binding->the = the;
	atomic_init(&binding->references, 1);
	binding->resolver = resolver_open(notify, binding);
	if (!binding->resolver) {
		free(binding);
		xsUnknownError("out of memory");
	}
	binding->target = xsArg(0);
	xsRemember(binding->target);
	xsmcSetHostData(xsThis, binding);
}

/* Argument: name. Returns the number of the request, or -1 if it cannot be made. */
void xs_resolver_ask(xsMachine *the)
{
	resolver_binding *binding = xsmcGetHostData(xsThis);
	xsmcSetInteger(xsResult, resolver_ask(binding->resolver, xsmcToString(xsArg(0))));
}
