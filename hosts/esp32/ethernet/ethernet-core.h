/*
 * State machine of the Ethernet port, between ethernet-xs.c, which implements `Ethernet` of the host contract, and the
 * driver (ethernet-driver.h). Events may arrive in any thread; call everything else in the machine's thread.
 *
 *   state      start      link up    address    address lost    link lost    stop
 *   OFF        UNLINKED   -          -          -               -            OFF
 *   UNLINKED   UNLINKED   LINKED     -          -               UNLINKED     OFF
 *   LINKED     LINKED     LINKED     ADDRESSED  LINKED          UNLINKED     OFF
 *   ADDRESSED  LINKED     LINKED     ADDRESSED  LINKED          UNLINKED     OFF
 *
 * There is no queue: an event changes the state under the lock, and the machine's thread is notified if the state
 * differs from the one last reported.
 */
#ifndef ETHERNET_CORE_H
#define ETHERNET_CORE_H

#include <pthread.h>

#include "ethernet-driver.h"

/* `speed` is in Mbit/s, 0 without a link. `address.ip` is 0 if the port has no address; without a link it has none. */
typedef struct {
	bool linked;
	uint16_t speed;
	ethernet_address address;
} ethernet_state;

typedef struct {
	pthread_mutex_t lock;
	/* The lock guards the members from here on. */
	bool on;
	/* A delivery to the machine's thread is under way. */
	bool posted;
	ethernet_state now;
	ethernet_state reported;
} ethernet_core;

void ethernet_core_open(ethernet_core *core);
void ethernet_core_close(ethernet_core *core);

/* A port that is on gets the new settings and keeps its link. False if it does not start; it is then off. */
bool ethernet_core_start(ethernet_core *core, const ethernet_settings *settings);
void ethernet_core_stop(ethernet_core *core);

/* Any thread may call. */
void ethernet_core_event(ethernet_core *core, const ethernet_event *event);

/* True if the caller must post a delivery: the state has changed, and none is under way. Any thread may call. */
bool ethernet_core_must_post(ethernet_core *core);

/* The function that machine_post delivers calls it. True: report the state, then call again; false: return. */
bool ethernet_core_must_report(ethernet_core *core);

ethernet_state ethernet_core_now(ethernet_core *core);

#endif
