/*
 * Lets one party of the program at a time do a TLS handshake: a handshake takes most of the memory of TLS, and a chip
 * has it once. A party asks and, if another one is inside, is called when it may enter, in the order of asking. No call
 * blocks, and no party may hold a lock of its own meanwhile.
 *
 *   OUT -> WAITING -> INSIDE -> OUT        (OUT -> INSIDE if the gate is free)
 */
#ifndef HANDSHAKE_GATE_H
#define HANDSHAKE_GATE_H

#include <stdbool.h>

typedef enum { GATE_OUT = 0, GATE_WAITING, GATE_INSIDE } gate_state;

/* A party: a port, or a client. Begins as { .granted = …, .context = … }; the rest is the gate's. */
typedef struct gate_party {
	/* Called in another's thread: it is this one's turn, and handshake_gate_enter will say so. Must only wake. */
	void (*granted)(void *context);
	void *context;
	gate_state state;
	struct gate_party *next;
} gate_party;

/* True: it is inside, now or since before. False: it is in the queue, and `granted` will be called. */
bool handshake_gate_enter(gate_party *party);

/* Returns true while a party is inside. */
bool handshake_gate_is_taken(void);

/* Returns true while a party waits. */
bool handshake_gate_is_wanted(void);

/* Leaves the gate or the queue; harmless for a party in neither. `granted` is not called afterwards. */
void handshake_gate_leave(gate_party *party);

#endif
