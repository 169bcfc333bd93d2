/*
 * Lets only one party of the program at a time perform a TLS handshake, because a chip has memory for only one. No call
 * blocks, and no party may hold its own lock during a call.
 *
 *   OUT -> WAITING -> INSIDE -> OUT        (OUT -> INSIDE if the gate is free)
 */
#ifndef HANDSHAKE_GATE_H
#define HANDSHAKE_GATE_H

#include <stdbool.h>

typedef enum { GATE_OUT = 0, GATE_WAITING, GATE_INSIDE } gate_state;

/* Initialise it as { .granted = …, .context = … }; other members belong to the gate. */
typedef struct gate_party {
	/* Called in another party's thread: this party may enter. May only wake its own thread. */
	void (*granted)(void *context);
	void *context;
	gate_state state;
	struct gate_party *next;
} gate_party;

/* If false, the party waits, and `granted` will be called. */
bool handshake_gate_enter(gate_party *party);

bool handshake_gate_is_taken(void);

bool handshake_gate_is_wanted(void);

/* The party leaves the gate or its queue. `granted` is not called afterwards. */
void handshake_gate_leave(gate_party *party);

#endif
