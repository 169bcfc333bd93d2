/*
 * Lets only one party of the program at a time perform a TLS handshake, because a chip has memory for only one. A party
 * is a server's port or the thread of the clients. No call blocks, and no party may hold its own lock during a call.
 *
 *   OUT -> WAITING -> INSIDE -> OUT        (OUT -> INSIDE if no other party is inside)
 */
#ifndef HANDSHAKE_GATE_H
#define HANDSHAKE_GATE_H

#include <stdbool.h>

typedef enum { GATE_OUT = 0, GATE_WAITING, GATE_INSIDE } gate_state;

/* Initialise a party as { .granted = …, .context = … }. The other members belong to the gate. */
typedef struct gate_party {
	/* Called in another party's thread when this party may enter. The function may only wake the party's own thread. */
	void (*granted)(void *context);
	void *context;
	gate_state state;
	struct gate_party *next;
} gate_party;

/* Returns true if the party is inside. Otherwise the party waits, and `granted` will be called. */
bool handshake_gate_enter(gate_party *party);

bool handshake_gate_is_taken(void);

bool handshake_gate_is_wanted(void);

/* Makes the party leave the gate or the queue before it. `granted` is not called afterwards. */
void handshake_gate_leave(gate_party *party);

#endif
