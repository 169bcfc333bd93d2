/*
 * Lets one party of the program at a time do a TLS handshake, because a chip has memory for one. A party asks and, if
 * another one is inside, is called when it may enter, in the order of requests. No call blocks, and no party may hold
 * its own lock during a call.
 *
 *   OUT -> WAITING -> INSIDE -> OUT        (OUT -> INSIDE if the gate is free)
 */
#ifndef HANDSHAKE_GATE_H
#define HANDSHAKE_GATE_H

#include <stdbool.h>

typedef enum { GATE_OUT = 0, GATE_WAITING, GATE_INSIDE } gate_state;

/* A party: a port, or a client. Initialise as { .granted = …, .context = … }; other members belong to the gate. */
typedef struct gate_party {
	/* Called in another party's thread when this one may enter by handshake_gate_enter. Must only wake its thread. */
	void (*granted)(void *context);
	void *context;
	gate_state state;
	struct gate_party *next;
} gate_party;

/* False: the party waits, and `granted` will be called. */
bool handshake_gate_enter(gate_party *party);

bool handshake_gate_is_taken(void);

bool handshake_gate_is_wanted(void);

/* Leaves the gate or the queue, if in one. `granted` is not called afterwards. */
void handshake_gate_leave(gate_party *party);

#endif
