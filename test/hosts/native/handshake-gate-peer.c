/*
 * Tests of the handshake gate (handshake-gate.h), for handshake-gate.test.ts. Exits with 0, or prints the failed line.
 *
 *   handshake-gate-peer order     the order of entry, in one thread
 *   handshake-gate-peer threads   many threads that enter, wait and leave the queue
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "../../../hosts/native/handshake-gate.h"
#include "../must.h"

enum { THREADS = 6, ROUNDS = 3000 };

typedef struct {
	gate_party gate;
	atomic_int granted;
} party;

static void granted(void *context)
{
	atomic_fetch_add(&((party *)context)->granted, 1);
}

static void begin(party *p)
{
	*p = (party){ .gate = { .granted = granted, .context = p } };
}

static void order(void)
{
	party a, b, c;
	begin(&a);
	begin(&b);
	begin(&c);
	handshake_gate_leave(&a.gate);
	MUST(handshake_gate_enter(&a.gate) && handshake_gate_enter(&a.gate) && !handshake_gate_is_wanted());
	MUST(!handshake_gate_enter(&b.gate) && !handshake_gate_enter(&b.gate) && !handshake_gate_enter(&c.gate));
	MUST(handshake_gate_is_wanted() && a.granted == 0 && b.granted == 0);
	handshake_gate_leave(&a.gate);
	MUST(b.granted == 1 && c.granted == 0 && handshake_gate_enter(&b.gate) && !handshake_gate_enter(&c.gate));
	/* A handshake that left the queue rejoins at its end. */
	MUST(!handshake_gate_enter(&a.gate));
	handshake_gate_leave(&c.gate);
	handshake_gate_leave(&b.gate);
	MUST(a.granted == 1 && c.granted == 0 && handshake_gate_enter(&a.gate) && !handshake_gate_is_wanted());
	handshake_gate_leave(&a.gate);
	handshake_gate_leave(&a.gate);
	MUST(handshake_gate_enter(&c.gate) && c.granted == 0);
	handshake_gate_leave(&c.gate);
}

static atomic_int inside;

static void *compete(void *context)
{
	party self;
	begin(&self);
	unsigned seed = *(unsigned *)context, entered = 0;
	for (int i = 0; i < ROUNDS; i++) {
		seed = seed * 1103515245 + 12345;
		bool patient = (seed >> 16) % 4 != 0;
		int before = self.granted;
		bool mine = handshake_gate_enter(&self.gate);
		/* Each thread that waits long enough enters. */
		while (!mine && patient) {
			if (self.granted > before) MUST(mine = handshake_gate_enter(&self.gate));
			else usleep(10);
		}
		if (mine) {
			MUST(atomic_fetch_add(&inside, 1) == 0);
			entered++;
			MUST(atomic_fetch_sub(&inside, 1) == 1);
		}
		handshake_gate_leave(&self.gate);
	}
	MUST(entered > 0);
	return NULL;
}

static void threads(void)
{
	pthread_t all[THREADS];
	unsigned seeds[THREADS];
	for (unsigned i = 0; i < THREADS; i++) {
		seeds[i] = i + 1;
		MUST(pthread_create(&all[i], NULL, compete, &seeds[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++) pthread_join(all[i], NULL);
	MUST(!handshake_gate_is_wanted());
}

int main(int count, char **arguments)
{
	MUST(count == 2);
	if (strcmp(arguments[1], "order") == 0) order();
	else threads();
	return 0;
}
