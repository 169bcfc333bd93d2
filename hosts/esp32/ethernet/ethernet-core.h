/*
 * State machine of the Ethernet port, between ethernet-xs.c, which implements `Ethernet` of the host contract
 * (modules/io/host.ts), and the driver (ethernet-driver.h). Events may arrive in any thread; call all other functions
 * in the thread of the XS machine.
 *
 *   state      start      link up    address    address lost    link lost    stop
 *   OFF        UNLINKED   -          -          -               -            OFF
 *   UNLINKED   UNLINKED   LINKED     -          -               UNLINKED     OFF
 *   LINKED     LINKED     LINKED     ADDRESSED  LINKED          UNLINKED     OFF
 *   ADDRESSED  LINKED     LINKED     ADDRESSED  LINKED          UNLINKED     OFF
 *
 * Events are not queued. An event changes the state under the lock. If the new state differs from the state that was
 * last reported, the machine's thread is notified.
 */
#ifndef ETHERNET_CORE_H
#define ETHERNET_CORE_H

#include <pthread.h>

#include "ethernet-driver.h"

/* `speed` is in Mbit/s, 0 without a link. `address.ip` is 0 if the port has no address, as always without a link. */
typedef struct {
	bool linked;
	uint16_t speed;
	ethernet_address address;
} ethernet_state;

typedef struct {
	pthread_mutex_t lock;
	/* The lock guards the members from here on. */
	bool on;
	/* True while a delivery to the machine's thread is under way. */
	bool posted;
	ethernet_state now;
	ethernet_state reported;
} ethernet_core;

void ethernet_core_open(ethernet_core *core);
void ethernet_core_close(ethernet_core *core);

/*
 * Turns the port on. A port that is already on gets the new settings and keeps its link. Returns false if the port does
 * not start; it is off then.
 */
bool ethernet_core_start(ethernet_core *core, const ethernet_settings *settings);
void ethernet_core_stop(ethernet_core *core);

/* May be called in any thread. */
void ethernet_core_event(ethernet_core *core, const ethernet_event *event);

/*
 * Returns true if the caller must post a delivery because the state has changed and no delivery is under way. May be
 * called in any thread.
 */
bool ethernet_core_must_post(ethernet_core *core);

/*
 * Called by the function that machine_post delivers. If the result is true, that function must report the state and
 * call again; otherwise it must return.
 */
bool ethernet_core_must_report(ethernet_core *core);

ethernet_state ethernet_core_now(ethernet_core *core);

#endif
