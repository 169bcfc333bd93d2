/*
 * One party of this program at a time shakes hands by TLS: the memory of a handshake is most of what TLS takes, and a
 * chip has it once. Whoever wants to shake hands asks and, when it is somebody else's turn, is called as soon as it is
 * his; in the order of asking. Nobody ever waits inside a call, and nobody holds a lock of his own meanwhile.
 *
 *   OUT -> WAITING -> INSIDE -> OUT        (OUT -> INSIDE where nobody is)
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

/* Whether somebody is inside. */
bool handshake_gate_is_taken(void);

/* Whether somebody waits for the one who is inside. */
bool handshake_gate_is_wanted(void);

/* Out of the gate or out of the queue; harmless for one who is neither. `granted` is not called afterwards. */
void handshake_gate_leave(gate_party *party);

#endif
