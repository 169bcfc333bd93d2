/*
 * Tests of the Ethernet port's logic (hosts/esp32/ethernet/ethernet-core.c) on a fake of the port, for
 * ethernet.test.ts. The argument names the part. Exits with 0, or prints the failed line.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hosts/esp32/ethernet/ethernet-core.h"
#include "../must.h"
#include "ethernet-fake/ethernet-fake.h"

enum { EVENTS = 20000 };

typedef enum { OFF, UNLINKED, LINKED, ADDRESSED, STATES } state;
typedef enum { START, LINK_UP, ADDRESS, ADDRESS_LOST, LINK_LOST, STOP, ACTIONS } action;

static ethernet_core core;
static const ethernet_settings BY_DHCP = { .hostname = "gateway" };
static const ethernet_address FIRST = { 1, 2, 3 }, SECOND = { 4, 5, 6 };

static void notify(void *context, const ethernet_event *event)
{
	MUST(context == &core);
	ethernet_core_event(&core, event);
}

static void open_core(void)
{
	static const ethernet_pins pins;
	ethernet_core_open(&core);
	MUST(ethernet_driver_open(&pins, notify, &core));
}

static void close_core(void)
{
	ethernet_driver_close();
	ethernet_core_close(&core);
	memset(&fake, 0, sizeof(fake));
}

static void act(action what)
{
	if (what == START) MUST(ethernet_core_start(&core, &BY_DHCP));
	else if (what == STOP) ethernet_core_stop(&core);
	else if (what == LINK_UP) fake_happens((ethernet_event){ .kind = ETHERNET_LINK_UP, .speed = 100 });
	else if (what == ADDRESS) fake_happens((ethernet_event){ .kind = ETHERNET_ADDRESSED, .address = FIRST });
	else if (what == ADDRESS_LOST) fake_happens((ethernet_event){ .kind = ETHERNET_ADDRESS_LOST });
	else fake_happens((ethernet_event){ .kind = ETHERNET_LINK_LOST });
}

static state state_now(void)
{
	ethernet_state now = ethernet_core_now(&core);
	MUST(now.speed == (now.linked ? 100 : 0) && (now.linked || now.address.ip == 0));
	MUST(core.on == fake.on && (core.on || !now.linked));
	if (!core.on) return OFF;
	if (!now.linked) return UNLINKED;
	return now.address.ip == 0 ? LINKED : ADDRESSED;
}

static int seen(state which)
{
	return which == OFF ? UNLINKED : (int)which;
}

static bool deliver(void)
{
	if (!ethernet_core_must_post(&core)) return false;
	MUST(!ethernet_core_must_post(&core) && ethernet_core_must_report(&core) && !ethernet_core_must_report(&core));
	return true;
}

static void bring_to(state which)
{
	if (which >= UNLINKED) act(START);
	if (which >= LINKED) act(LINK_UP);
	if (which >= ADDRESSED) act(ADDRESS);
	deliver();
	MUST(state_now() == which);
}

/* The state table of ethernet-core.h. */
static void table(void)
{
	static const state AFTER[STATES][ACTIONS] = {
		[OFF] = { UNLINKED, OFF, OFF, OFF, OFF, OFF },
		[UNLINKED] = { UNLINKED, LINKED, UNLINKED, UNLINKED, UNLINKED, OFF },
		[LINKED] = { LINKED, LINKED, ADDRESSED, LINKED, UNLINKED, OFF },
		[ADDRESSED] = { LINKED, LINKED, ADDRESSED, LINKED, UNLINKED, OFF },
	};
	for (state before = OFF; before < STATES; before++)
		for (action what = START; what < ACTIONS; what++) {
			open_core();
			bring_to(before);
			act(what);
			state after = AFTER[before][what];
			if (state_now() != after) fprintf(stderr, "state %d, action %d: %d\n", before, what, state_now());
			MUST(state_now() == after);
			/* A change that JavaScript can see is reported exactly once, and no other change is. */
			MUST(deliver() == (seen(before) != seen(after)) && !deliver());
			close_core();
		}
}

static void reports(void)
{
	open_core();
	bring_to(ADDRESSED);
	/* A changed address is reported, but neither an equal one nor one that was restored before the delivery. */
	act(ADDRESS);
	MUST(!deliver());
	fake_happens((ethernet_event){ .kind = ETHERNET_ADDRESSED, .address = SECOND });
	MUST(ethernet_core_now(&core).address.netmask == 5 && deliver());
	act(LINK_LOST);
	act(LINK_UP);
	MUST(state_now() == LINKED && deliver());
	act(LINK_LOST);
	act(LINK_UP);
	MUST(!deliver());
	act(ADDRESS);
	MUST(ethernet_core_must_post(&core) && ethernet_core_must_report(&core));
	act(LINK_LOST);
	MUST(!ethernet_core_must_post(&core) && ethernet_core_must_report(&core) && !ethernet_core_must_report(&core));
	fake_happens((ethernet_event){ .kind = ETHERNET_LINK_UP, .speed = 10 });
	MUST(ethernet_core_now(&core).speed == 10 && deliver());
	close_core();
}

static void settings(void)
{
	const ethernet_settings fixed = { .hostname = "other", .address = FIRST, .dns = 9 };
	open_core();
	bring_to(ADDRESSED);
	/* The new address is reported during the call, and must not count as the old one. */
	fake.reports_at_once = true;
	MUST(ethernet_core_start(&core, &fixed) && fake.starts == 2 && fake.settings.dns == 9);
	MUST(state_now() == ADDRESSED && !deliver());
	fake.reports_at_once = false;
	act(START);
	MUST(state_now() == LINKED && deliver());
	fake.fails_start = true;
	MUST(!ethernet_core_start(&core, &fixed) && state_now() == OFF && deliver());
	act(LINK_UP);
	MUST(state_now() == OFF && !deliver());
	close_core();
}

static pthread_mutex_t must_post = PTHREAD_MUTEX_INITIALIZER;
static unsigned posted;

static void *happen(void *context)
{
	static const ethernet_event_kind KINDS[] = {
		ETHERNET_LINK_UP, ETHERNET_ADDRESSED, ETHERNET_ADDRESS_LOST, ETHERNET_ADDRESSED, ETHERNET_LINK_LOST,
	};
	for (unsigned i = 0; i < EVENTS; i++) {
		fake_happens((ethernet_event){ .kind = KINDS[i % 5], .speed = 100, .address = { i + 1, 0, 0 } });
		bool post = ethernet_core_must_post(&core);
		pthread_mutex_lock(&must_post);
		posted += post;
		MUST(posted <= 1);
		pthread_mutex_unlock(&must_post);
	}
	return context;
}

static void thread(void)
{
	pthread_t other;
	open_core();
	MUST(ethernet_core_start(&core, &BY_DHCP) && pthread_create(&other, NULL, happen, NULL) == 0);
	for (unsigned i = 0; i < EVENTS; i++) {
		pthread_mutex_lock(&must_post);
		bool delivers = posted == 1;
		posted = 0;
		pthread_mutex_unlock(&must_post);
		if (delivers) while (ethernet_core_must_report(&core)) continue;
		ethernet_state now = ethernet_core_now(&core);
		MUST(now.linked == (now.speed == 100) && (now.linked || now.address.ip == 0));
	}
	pthread_join(other, NULL);
	if (posted) while (ethernet_core_must_report(&core)) continue;
	MUST(!ethernet_core_must_post(&core) && core.reported.linked == core.now.linked);
	close_core();
}

int main(int count, char **arguments)
{
	static const test_case cases[] = {
		{ "table", table }, { "reports", reports }, { "settings", settings }, { "thread", thread }, { NULL, NULL },
	};
	MUST(count == 2);
	run_case(arguments[1], cases);
	return 0;
}
