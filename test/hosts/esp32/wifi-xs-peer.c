/*
 * Tests of the radio's XS binding (wifi-xs.c) on fakes of the engine (xs-fake/) and of the radio (wifi-fake/), for
 * xs-bindings.test.ts. Exits with 0, or prints the failed line.
 */
#include <string.h>

#include "wifi-fake.h"
#include "xs-fake.h"

fake_native xs_wifi, xs_wifi_connect, xs_wifi_disconnect, xs_wifi_leave_overdue, xs_wifi_start_access_point;
fake_native xs_wifi_stop_access_point, xs_wifi_scan, xs_wifi_scanned, xs_wifi_get_station, xs_wifi_get_channel, xs_wifi_set_transmit_power;
fake_native xs_wifi_close, xs_wifi_mac;
void xs_wifi_destructor(void *data);

enum { CONNECTED = 1, DISCONNECTED = 2, SCANNED = 3, CLIENTS = 4, REPORT_LIMIT = 16 };

static xsMachine machine;
static int32_t reports[REPORT_LIMIT][2];
static unsigned report_count;
/* JavaScript's reaction to the next event. */
static void (*reaction)(void);

/* ---- Calls of the driver that only the binding makes ---- */

static bool refuses_to_open, is_open;
static void (*notify)(void *context, const radio_event *event);
static void *notify_context;

static void happened(const radio_event *event)
{
	if (is_open) notify(notify_context, event);
}

bool radio_driver_open(const char *country, void (*told_of)(void *context, const radio_event *event), void *context)
{
	if (refuses_to_open || is_open || strlen(country) != 2) return false;
	is_open = true;
	fake.happened = happened;
	notify = told_of;
	notify_context = context;
	return true;
}

void radio_driver_close(void)
{
	MUST(is_open);
	is_open = false;
	memset(&fake, 0, sizeof(fake));
}

bool radio_driver_get_network(radio_network *network)
{
	*network = (radio_network){ .ssid = "home", .ssid_length = 4, .channel = 11, .rssi = -60, .authmode = 3 };
	return true;
}

/* ---- Helpers ---- */

static void on_called(xsMachine *the, xsIdentifier id, int count, const int32_t *values)
{
	MUST(the == &machine && id == xsID_onWiFi && count == 2 && report_count < REPORT_LIMIT);
	memcpy(reports[report_count++], values, sizeof(*reports));
	void (*react)(void) = reaction;
	reaction = NULL;
	if (react) react();
}

static xsSlot open_radio(void)
{
	xsSlot self = fake_object(&machine), target = fake_object(&machine);
	RUN(xs_wifi, self, NULL, target, FAKE_STRING("01"));
	MUST(is_open);
	return self;
}

static void destroy(xsSlot self)
{
	xs_wifi_destructor(self.value.thing->data);
	self.value.thing->data = NULL;
}

static void end(xsSlot self)
{
	RUN(xs_wifi_close, self, NULL);
	MUST(!is_open);
	destroy(self);
}

static bool was_told(int32_t kind, int32_t value)
{
	bool is_last = report_count == 1 && reports[0][0] == kind && reports[0][1] == value;
	report_count = 0;
	return is_last;
}

/* Arguments of xs_wifi_connect from the host name on, with DHCP. */
#define DHCP FAKE_STRING("gateway"), FAKE_STRING(""), FAKE_STRING(""), FAKE_STRING(""), FAKE_STRING("")
#define STATION(ssid, password) FAKE_STRING(ssid), FAKE_STRING(password), FAKE_STRING(""), FAKE_INT(0), DHCP

static void join(xsSlot self)
{
	RUN(xs_wifi_connect, self, NULL, STATION("home", "password"));
	fake_step();
	fake_step();
	fake_deliver();
	MUST(was_told(CONNECTED, 0));
}

/* ---- Cases ---- */

static void constructs(void)
{
	xsSlot self = fake_object(&machine), target = fake_object(&machine);
	THROWS("SyntaxError: no argument 1", xs_wifi, self);
	THROWS("SyntaxError: no argument 1", xs_wifi, self, target);
	refuses_to_open = true;
	THROWS("Error: the radio for Wi-Fi does not start", xs_wifi, self, target, FAKE_STRING("01"));
	refuses_to_open = false;
	THROWS("Error: the radio for Wi-Fi does not start", xs_wifi, self, target, FAKE_NOTHING);
	MUST(!self.value.thing->data && !is_open);
	self = open_radio();
	THROWS("Error: the radio for Wi-Fi does not start", xs_wifi, fake_object(&machine), target, FAKE_STRING("01"));
	end(self);
	end(open_radio());
	xs_wifi_destructor(NULL);
}

static void closes(void)
{
	static const char CLOSED[] = "Error: the radio is closed";
	xsSlot self = open_radio(), result;
	join(self);
	/* The radio is closed while a call is pending. */
	fake_end(200);
	RUN(xs_wifi_close, self, NULL);
	RUN(xs_wifi_close, self, NULL);
	MUST(fake_deliver() == 1 && report_count == 0);
	THROWS(CLOSED, xs_wifi_connect, self, STATION("home", "password"));
	THROWS(CLOSED, xs_wifi_disconnect, self);
	THROWS(CLOSED, xs_wifi_leave_overdue, self);
	THROWS(CLOSED, xs_wifi_start_access_point, self, FAKE_STRING("device"), FAKE_STRING("password"));
	THROWS(CLOSED, xs_wifi_stop_access_point, self);
	THROWS(CLOSED, xs_wifi_scan, self);
	THROWS(CLOSED, xs_wifi_scanned, self, FAKE_INT(0));
	THROWS(CLOSED, xs_wifi_set_transmit_power, self, FAKE_INT(34));
	RUN(xs_wifi_get_station, self, &result);
	MUST(result.kind == FAKE_UNDEFINED);
	RUN(xs_wifi_get_channel, self, &result);
	MUST(result.value.integer == 0);
	destroy(self);
	/* The radio is destroyed while a call is pending, which must not read freed memory. */
	self = open_radio();
	join(self);
	fake_end(200);
	end(self);
	MUST(fake_deliver() == 1 && report_count == 0);
	/* The same without a close: the machine ends. */
	self = open_radio();
	join(self);
	fake_end(200);
	destroy(self);
	MUST(!is_open);
	memset(machine.remembered, 0, sizeof(machine.remembered));
	MUST(fake_deliver() == 1 && report_count == 0);
}

static xsSlot doomed;

static void close_it(void)
{
	end(doomed);
}

static void join_again(void)
{
	RUN(xs_wifi_connect, doomed, NULL, STATION("home", "password"));
}

static void calls_back(void)
{
	xsSlot result;
	doomed = open_radio();
	join(doomed);
	RUN(xs_wifi_get_station, doomed, &result);
	MUST(fake_is_text(fake_property(&result, xsID_ssid), "home"));
	MUST(fake_property(&result, xsID_rssi)->value.integer == -60);
	MUST(fake_property(&result, xsID_channel)->value.integer == 11);
	MUST(fake_property(&result, xsID_authmode)->value.integer == 3);
	MUST(fake_is_text(fake_property(&result, xsID_bssid), "000000000000"));
	MUST(fake_property(&result, xsID_ip) && fake_is_text(fake_property(&result, xsID_netmask), "0.0.0.0"));
	/* The callback calls back into the radio and closes it. */
	reaction = join_again;
	fake_end(201);
	fake_deliver();
	MUST(was_told(DISCONNECTED, 201));
	reaction = close_it;
	fake_end(202);
	MUST(fake_deliver() == 1 && was_told(DISCONNECTED, 202));
}

static void accepts_what_fits(void)
{
	static const char SSID[] = "RangeError: an SSID has 1 to 32 bytes", PASSWORD[] = "RangeError: a password has 8 to 63 bytes";
	char text[80];
	xsSlot self = open_radio();
	memset(text, 'a', sizeof(text));
	text[33] = '\0';
	THROWS(SSID, xs_wifi_connect, self, STATION("", ""));
	THROWS(SSID, xs_wifi_connect, self, STATION(text, ""));
	THROWS(PASSWORD, xs_wifi_connect, self, STATION("home", "1234567"));
	RUN(xs_wifi_connect, self, NULL, STATION(text + 1, text + 1));
	text[33] = 'a';
	text[64] = '\0';
	THROWS(PASSWORD, xs_wifi_connect, self, STATION("home", text));
	RUN(xs_wifi_start_access_point, self, NULL, FAKE_STRING("device"), FAKE_STRING(text + 1));
	THROWS("RangeError: an access point has a password", xs_wifi_start_access_point, self, FAKE_STRING("d"), FAKE_STRING(""));
	text[32] = '\0';
#define WITH(bssid, hostname, ip) \
	FAKE_STRING("home"), FAKE_STRING("password"), FAKE_STRING(bssid), FAKE_INT(0), FAKE_STRING(hostname), FAKE_STRING(ip), \
		FAKE_STRING("255.255.255.0"), FAKE_STRING("192.0.2.1"), FAKE_STRING("192.0.2.1")
	THROWS("RangeError: the host name is too long", xs_wifi_connect, self, WITH("", text, ""));
	THROWS("RangeError: not a BSSID", xs_wifi_connect, self, WITH("00112233445", "gateway", ""));
	THROWS("RangeError: not an IPv4 address", xs_wifi_connect, self, WITH("", "gateway", "192.0.2"));
	RUN(xs_wifi_connect, self, NULL, WITH("001122334455", text + 1, "192.0.2.20"));
	THROWS("SyntaxError: no argument 3", xs_wifi_connect, self, FAKE_STRING("home"), FAKE_STRING("password"));
	fake_deliver();
	end(self);
}

static void scans(void)
{
	xsSlot self = open_radio(), result;
	fake.found = 3;
	for (unsigned i = 0; i < fake.found; i++) {
		fake.networks[i] = (radio_network){ .ssid = "net", .ssid_length = 3, .rssi = (int8_t)(-50 - (int)i) };
	}
	RUN(xs_wifi_scan, self, &result);
	MUST(result.value.boolean);
	fake_end_scan(true);
	fake_deliver();
	MUST(was_told(SCANNED, 1));
	for (int32_t i = -1; i <= 3; i++) {
		RUN(xs_wifi_scanned, self, &result, FAKE_INT(i));
		MUST((result.kind == FAKE_UNDEFINED) == (i < 0 || i == 3));
		if (result.kind == FAKE_UNDEFINED) continue;
		MUST(fake_property(&result, xsID_rssi)->value.integer == -50 - i && fake_is_text(fake_property(&result, xsID_ssid), "net"));
	}
	RUN(xs_wifi_start_access_point, self, &result, FAKE_STRING("device"), FAKE_STRING("password"));
	MUST(result.value.boolean);
	RUN(xs_wifi_get_channel, self, &result);
	MUST(result.value.integer == 11);
	fake_set_clients(2);
	fake_deliver();
	MUST(was_told(CLIENTS, 2));
	RUN(xs_wifi_mac, FAKE_NOTHING, &result);
	MUST(fake_is_text(&result, "a0a1a2a3a4a5"));
	end(self);
}

int main(int count, char **arguments)
{
	static const test_case cases[] = {
		{ "constructs", constructs },
		{ "closes", closes },
		{ "calls-back", calls_back },
		{ "accepts-what-fits", accepts_what_fits },
		{ "scans", scans },
		{ NULL, NULL },
	};
	MUST(count == 2);
	machine.called = on_called;
	run_case(arguments[1], cases);
	fake_end_machine(&machine);
	return 0;
}
