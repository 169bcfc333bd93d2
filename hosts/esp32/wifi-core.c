#include "wifi-core.h"

#include <string.h>

static bool apply_mode(wifi_core *core)
{
	bool station = core->station_on || core->link != WIFI_IDLE || core->scan_waits || core->scanning;
	radio_mode mode = core->access_point_on ? RADIO_BOTH : station ? RADIO_STATION : RADIO_OFF;
	if (mode == core->mode) return true;
	if (!radio_driver_set_mode(mode)) return false;
	core->mode = mode;
	return true;
}

static void notice_scan(wifi_core *core, bool found)
{
	core->scan_notice = (wifi_notice){ WIFI_NOTICE_SCANNED, found };
}

static void notice_failure(wifi_core *core, unsigned reason)
{
	core->station_notice = (wifi_notice){ WIFI_NOTICE_DISCONNECTED, reason };
}

static bool begin_scan(wifi_core *core)
{
	core->scan_waits = true;
	core->scanning = apply_mode(core) && radio_driver_scan();
	core->scan_waits = false;
	return core->scanning;
}

/*
 * Begins a waiting join or scan if the previous network has been left. Turns off parts of the radio that are not
 * needed.
 */
static void proceed(wifi_core *core)
{
	if (core->link == WIFI_IDLE && core->join_waits) {
		core->join_waits = false;
		if (apply_mode(core) && radio_driver_join(&core->station)) core->link = WIFI_JOINING;
		else notice_failure(core, RADIO_REASON_UNSPECIFIED);
	}
	if (core->link == WIFI_IDLE && core->scan_waits && !begin_scan(core)) notice_scan(core, false);
	apply_mode(core);
}

static void leave(wifi_core *core)
{
	if (core->link == WIFI_IDLE || core->link == WIFI_LEAVING) return;
	radio_driver_leave();
	core->link = WIFI_LEAVING;
}

static void stop_scan(wifi_core *core)
{
	if (!core->scanning) return;
	radio_driver_stop_scan();
	core->scanning = false;
	core->scan_stopped = true;
}

/*
 * Drops pending notices about the station, and joins a network if `station_on`. Returns true if the previous network is
 * still being left.
 */
static bool set_station(wifi_core *core, bool station_on)
{
	core->station_notice.kind = WIFI_NOTICE_NONE;
	core->station_on = core->join_waits = station_on;
	leave(core);
	proceed(core);
	return core->link == WIFI_LEAVING;
}

bool wifi_core_connect(wifi_core *core, const radio_station *station)
{
	if (core->scanning || core->scan_waits) notice_scan(core, false);
	stop_scan(core);
	core->scan_waits = false;
	core->station = *station;
	return set_station(core, true);
}

bool wifi_core_disconnect(wifi_core *core)
{
	return set_station(core, false);
}

void wifi_core_leave_overdue(wifi_core *core)
{
	if (core->link != WIFI_LEAVING) return;
	core->link = WIFI_IDLE;
	core->overdue = true;
	proceed(core);
}

bool wifi_core_start_access_point(wifi_core *core, const radio_credentials *credentials)
{
	/* If nothing has changed, return, so that the clients stay connected. */
	if (core->access_point_on && memcmp(&core->access_point, credentials, sizeof(*credentials)) == 0) return true;
	core->access_point = *credentials;
	core->access_point_on = true;
	if (apply_mode(core) && radio_driver_set_access_point(credentials)) return true;
	wifi_core_stop_access_point(core);
	return false;
}

void wifi_core_stop_access_point(wifi_core *core)
{
	core->access_point_on = false;
	core->clients = 0;
	core->clients_notice = false;
	apply_mode(core);
}

bool wifi_core_scan(wifi_core *core)
{
	if (core->link == WIFI_JOINING || core->join_waits) return false;
	stop_scan(core);
	core->scan_notice.kind = WIFI_NOTICE_NONE;
	core->scan_waits = core->link == WIFI_LEAVING;
	bool done = core->scan_waits || begin_scan(core);
	apply_mode(core);
	return done;
}

static void on_ended(wifi_core *core, unsigned reason)
{
	bool late = core->overdue && reason == RADIO_REASON_LEFT && core->link == WIFI_JOINING;
	core->overdue = false;
	if (late || core->link == WIFI_IDLE) return;
	if (core->link != WIFI_LEAVING) notice_failure(core, reason);
	core->link = WIFI_IDLE;
	proceed(core);
}

static void on_associated(wifi_core *core)
{
	if (core->link == WIFI_JOINING) {
		core->link = WIFI_ASSOCIATED;
		core->overdue = false;
	} else if (core->link == WIFI_IDLE) {
		/*
		 * This attempt already counts as ended. Either its end was overdue, or the end of an earlier attempt was mistaken
		 * for the end of this attempt.
		 */
		radio_driver_leave();
		core->link = WIFI_LEAVING;
	}
}

static void on_addressed(wifi_core *core, const radio_address *address)
{
	if (core->link != WIFI_ASSOCIATED && core->link != WIFI_ONLINE) return;
	core->link = WIFI_ONLINE;
	core->address = *address;
	core->station_notice = (wifi_notice){ WIFI_NOTICE_CONNECTED, 0 };
}

static void on_address_lost(wifi_core *core)
{
	if (core->link != WIFI_ONLINE) return;
	leave(core);
	notice_failure(core, RADIO_REASON_UNSPECIFIED);
}

static void insert_network(wifi_core *core, const radio_network *network)
{
	unsigned i = core->network_count < RADIO_SCAN_LIMIT ? core->network_count++ : RADIO_SCAN_LIMIT;
	for (; i > 0 && core->networks[i - 1].rssi < network->rssi; i--)
		if (i < RADIO_SCAN_LIMIT) core->networks[i] = core->networks[i - 1];
	if (i < RADIO_SCAN_LIMIT) core->networks[i] = *network;
}

static void take_networks(wifi_core *core)
{
	radio_network network;
	core->network_count = 0;
	while (radio_driver_take_network(&network)) insert_network(core, &network);
}

static void on_scanned(wifi_core *core, bool succeeded)
{
	bool late = core->scan_stopped && !succeeded;
	core->scan_stopped = false;
	if (late) return;
	/* ESP-IDF keeps the found networks in memory until they are fetched. */
	if (succeeded) take_networks(core);
	if (!core->scanning) return;
	core->scanning = false;
	notice_scan(core, succeeded);
	apply_mode(core);
}

static void count_clients(wifi_core *core)
{
	unsigned clients = core->access_point_on ? radio_driver_count_clients() : 0;
	if (clients != core->clients) core->clients_notice = true;
	core->clients = clients;
}

void wifi_core_event(wifi_core *core, const radio_event *event)
{
	switch (event->kind) {
	case RADIO_ASSOCIATED:
		on_associated(core);
		break;
	case RADIO_ENDED:
		on_ended(core, event->reason);
		break;
	case RADIO_ADDRESSED:
		on_addressed(core, &event->address);
		break;
	case RADIO_ADDRESS_LOST:
		on_address_lost(core);
		break;
	case RADIO_SCANNED:
		on_scanned(core, event->succeeded);
		break;
	case RADIO_CLIENTS:
		count_clients(core);
		break;
	case RADIO_NUDGE:
		break;
	}
}

bool wifi_core_has_notice(const wifi_core *core)
{
	return core->station_notice.kind || core->scan_notice.kind || core->clients_notice;
}

wifi_notice wifi_core_next(wifi_core *core)
{
	wifi_notice *first = core->station_notice.kind ? &core->station_notice : &core->scan_notice;
	wifi_notice notice = *first;
	first->kind = WIFI_NOTICE_NONE;
	if (notice.kind || !core->clients_notice) return notice;
	core->clients_notice = false;
	return (wifi_notice){ WIFI_NOTICE_CLIENTS, core->clients };
}
