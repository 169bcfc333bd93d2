#include "wifi-fake.h"

#include <stdio.h>
#include <stdlib.h>

fake_radio fake;

static void tell(radio_event event)
{
	fake.happened(&event);
}

uint8_t fake_reason(uint8_t attempt)
{
	return (uint8_t)(FAKE_FIRST_REASON + attempt % FAKE_ATTEMPTS);
}

void fake_step(void)
{
	if (fake.station == FAKE_SEARCHING) {
		fake.station = FAKE_THERE;
		tell((radio_event){ .kind = RADIO_ASSOCIATED });
	} else if (fake.station == FAKE_THERE || fake.station == FAKE_REACHABLE) {
		fake.station = FAKE_REACHABLE;
		tell((radio_event){ .kind = RADIO_ADDRESSED, .address = { .ip = fake.attempt } });
	}
}

void fake_end(uint8_t reason)
{
	if (fake.station == FAKE_AWAY) return;
	fake.station = FAKE_AWAY;
	tell((radio_event){ .kind = RADIO_ENDED, .reason = reason });
}

void fake_end_late(void)
{
	if (!fake.late_end) return;
	fake.late_end = false;
	tell((radio_event){ .kind = RADIO_ENDED, .reason = RADIO_REASON_LEFT });
}

void fake_lose_address(void)
{
	if (fake.station == FAKE_REACHABLE) fake.station = FAKE_THERE;
	tell((radio_event){ .kind = RADIO_ADDRESS_LOST });
}

void fake_end_scan(bool succeeded)
{
	if (!fake.scanning) return;
	fake.scanning = false;
	tell((radio_event){ .kind = RADIO_SCANNED, .succeeded = succeeded });
}

void fake_set_clients(unsigned clients)
{
	fake.clients = clients;
	tell((radio_event){ .kind = RADIO_CLIENTS });
}

bool radio_driver_set_mode(radio_mode mode)
{
	MUST(mode != fake.mode);
	if (fake.fails_mode) return false;
	/* Turning the radio off would end an attempt or a scan without a report. */
	if (mode == RADIO_OFF) MUST(fake.station == FAKE_AWAY && !fake.scanning);
	if (mode != RADIO_BOTH) fake.clients = 0;
	fake.mode = mode;
	return true;
}

bool radio_driver_join(const radio_station *station)
{
	MUST(fake.mode != RADIO_OFF && fake.station == FAKE_AWAY && !fake.scanning);
	if (fake.fails_join) return false;
	fake.station = FAKE_SEARCHING;
	fake.attempt = station->credentials.ssid[station->credentials.ssid_length - 1];
	fake.joins++;
	return true;
}

void radio_driver_leave(void)
{
	fake.leaves++;
	/* Drops the outstanding end of an earlier attempt. */
	fake.late_end = fake.keeps_ends && fake.station != FAKE_AWAY;
	if (fake.late_end) fake.station = FAKE_AWAY;
}

bool radio_driver_set_access_point(const radio_credentials *credentials)
{
	MUST(fake.mode == RADIO_BOTH && credentials->password[0]);
	fake.access_point = *credentials;
	fake.access_point_settings++;
	return !fake.fails_access_point;
}

bool radio_driver_scan(void)
{
	MUST(fake.mode != RADIO_OFF && !fake.scanning);
	fake.scanning = fake.station != FAKE_SEARCHING && !fake.fails_scan;
	return fake.scanning;
}

void radio_driver_stop_scan(void)
{
	if (fake.stops_silently) fake.scanning = false;
	else fake_end_scan(false);
}

bool radio_driver_take_network(radio_network *network)
{
	if (fake.taken == fake.found) return false;
	*network = fake.networks[fake.taken++];
	return true;
}

unsigned radio_driver_get_channel(void)
{
	return fake.mode == RADIO_OFF ? 0 : 11;
}

unsigned radio_driver_count_clients(void)
{
	return fake.clients;
}

void radio_driver_set_transmit_power(int8_t quarters)
{
	fake.transmit_power = quarters;
}
