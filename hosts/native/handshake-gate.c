/*
 * Queue of the parties that want to perform a handshake. The lock is held while `granted` is called, so that it is
 * never called for a party that has left.
 */
#include "handshake-gate.h"

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* List of the party inside, followed by the waiting parties. Access needs the lock. */
static gate_party *first;

bool handshake_gate_enter(gate_party *party)
{
	pthread_mutex_lock(&lock);
	if (party->state == GATE_OUT) {
		gate_party **end = &first;
		while (*end) end = &(*end)->next;
		party->state = first ? GATE_WAITING : GATE_INSIDE;
		party->next = NULL;
		*end = party;
	}
	bool inside = party->state == GATE_INSIDE;
	pthread_mutex_unlock(&lock);
	return inside;
}

bool handshake_gate_is_taken(void)
{
	pthread_mutex_lock(&lock);
	bool taken = first;
	pthread_mutex_unlock(&lock);
	return taken;
}

bool handshake_gate_is_wanted(void)
{
	pthread_mutex_lock(&lock);
	bool wanted = first && first->next;
	pthread_mutex_unlock(&lock);
	return wanted;
}

void handshake_gate_leave(gate_party *party)
{
	pthread_mutex_lock(&lock);
	if (party->state != GATE_OUT) {
		gate_party **place = &first;
		while (*place != party) place = &(*place)->next;
		*place = party->next;
		party->state = GATE_OUT;
		if (first && first->state == GATE_WAITING) {
			first->state = GATE_INSIDE;
			first->granted(first->context);
		}
	}
	pthread_mutex_unlock(&lock);
}
