/*
 * Tests of the Ethernet port's XS binding (ethernet-xs.c) on fakes of the engine (xs-fake/) and of the port
 * (ethernet-fake/), for xs-bindings.test.ts. Exits with 0, or prints the failed line.
 */
#include <string.h>

#include "ethernet-fake.h"
#include "xs-fake.h"

fake_native xs_ethernet, xs_ethernet_start, xs_ethernet_stop, xs_ethernet_get_speed, xs_ethernet_get_address;
fake_native xs_ethernet_close, xs_ethernet_mac;
void xs_ethernet_destructor(void *data);

static xsMachine machine;
static unsigned report_count;
/* JavaScript's reaction to the next event. */
static void (*reaction)(void);

#define PINS FAKE_INT(1), FAKE_INT(23), FAKE_INT(18), FAKE_INT(16), FAKE_INT(0), FAKE_INT(-1)
#define BY_DHCP FAKE_STRING("gateway"), FAKE_STRING(""), FAKE_STRING(""), FAKE_STRING(""), FAKE_STRING("")

static void on_called(xsMachine *the, xsIdentifier id, int count, const int32_t *values)
{
	(void)values;
	MUST(the == &machine && id == xsID_onEthernet && count == 0);
	report_count++;
	void (*react)(void) = reaction;
	reaction = NULL;
	if (react) react();
}

static xsSlot open_port(void)
{
	xsSlot self = fake_object(&machine), target = fake_object(&machine);
	RUN(xs_ethernet, self, NULL, target, PINS);
	MUST(fake.open && fake.pins.pins[1] == 23 && fake.pins.pins[5] == ETHERNET_NO_PIN);
	return self;
}

static void destroy(xsSlot self)
{
	xs_ethernet_destructor(self.value.thing->data);
	self.value.thing->data = NULL;
}

static void end(xsSlot self)
{
	RUN(xs_ethernet_close, self, NULL);
	MUST(!fake.open);
	destroy(self);
}

static void link_up(void)
{
	fake_happens((ethernet_event){ .kind = ETHERNET_LINK_UP, .speed = 100 });
}

static void addressed(uint8_t last)
{
	/* 192.0.2.x, 255.255.255.0, 192.0.2.1 */
	const uint8_t bytes[] = { 192, 0, 2, last, 255, 255, 255, 0, 192, 0, 2, 1 };
	ethernet_event event = { .kind = ETHERNET_ADDRESSED };
	memcpy(&event.address, bytes, sizeof(bytes));
	fake_happens(event);
}

static void start(xsSlot self)
{
	xsSlot result;
	RUN(xs_ethernet_start, self, &result, BY_DHCP);
	MUST(result.value.boolean && fake.on);
	link_up();
	addressed(20);
	MUST(fake_deliver() == 1 && report_count == 1);
	report_count = 0;
}

static bool has_address(xsSlot self, const char *ip)
{
	xsSlot result;
	RUN(xs_ethernet_get_address, self, &result);
	if (result.kind == FAKE_UNDEFINED) return ip == NULL;
	MUST(fake_is_text(fake_property(&result, xsID_netmask), "255.255.255.0"));
	MUST(fake_is_text(fake_property(&result, xsID_gateway), "192.0.2.1"));
	return ip != NULL && fake_is_text(fake_property(&result, xsID_ip), ip);
}

static int32_t speed(xsSlot self)
{
	xsSlot result;
	RUN(xs_ethernet_get_speed, self, &result);
	return result.value.integer;
}

static void constructs(void)
{
	xsSlot self = fake_object(&machine), target = fake_object(&machine), mac;
	THROWS("SyntaxError: no argument 1", xs_ethernet, self, target);
	THROWS("SyntaxError: no argument 6", xs_ethernet, self, target, FAKE_INT(1), FAKE_INT(2), FAKE_INT(3), FAKE_INT(4),
	       FAKE_INT(5));
	MUST(!self.value.thing->data && !fake.open);
	self = open_port();
	THROWS("Error: the Ethernet port is in use", xs_ethernet, fake_object(&machine), target, PINS);
	MUST(speed(self) == 0 && has_address(self, NULL));
	end(self);
	end(open_port());
	xs_ethernet_destructor(NULL);
	RUN(xs_ethernet_mac, FAKE_NOTHING, &mac);
	MUST(fake_is_text(&mac, "e0e1e2e3e4e5"));
}

static void closes(void)
{
	static const char CLOSED[] = "Error: the Ethernet port is closed";
	xsSlot self = open_port();
	start(self);
	/* The port is closed while a call is pending. */
	addressed(21);
	RUN(xs_ethernet_close, self, NULL);
	RUN(xs_ethernet_close, self, NULL);
	MUST(fake_deliver() == 1 && report_count == 0);
	THROWS(CLOSED, xs_ethernet_start, self, BY_DHCP);
	THROWS(CLOSED, xs_ethernet_stop, self);
	MUST(speed(self) == 0 && has_address(self, NULL));
	destroy(self);
	/* The port is destroyed while a call is pending, which must not read freed memory. */
	self = open_port();
	start(self);
	addressed(21);
	end(self);
	MUST(fake_deliver() == 1 && report_count == 0);
	/* The same without a close: the machine ends. */
	self = open_port();
	start(self);
	addressed(21);
	destroy(self);
	MUST(!fake.open);
	memset(machine.remembered, 0, sizeof(machine.remembered));
	MUST(fake_deliver() == 1 && report_count == 0);
}

static xsSlot doomed;

static void close_it(void)
{
	end(doomed);
}

static void start_again(void)
{
	RUN(xs_ethernet_start, doomed, NULL, BY_DHCP);
	MUST(speed(doomed) == 100 && has_address(doomed, NULL));
}

static void calls_back(void)
{
	doomed = open_port();
	start(doomed);
	MUST(speed(doomed) == 100 && has_address(doomed, "192.0.2.20"));
	/* New settings remove the address for a moment, which is reported after the call. */
	start_again();
	MUST(report_count == 0 && fake_deliver() == 1 && report_count == 1);
	addressed(22);
	MUST(fake_deliver() == 1 && report_count == 2 && has_address(doomed, "192.0.2.22"));
	/* The callback calls back into the port, which reports again. */
	reaction = start_again;
	addressed(23);
	MUST(fake_deliver() == 1 && report_count == 4);
	RUN(xs_ethernet_stop, doomed, NULL);
	MUST(!fake.on && speed(doomed) == 0 && fake_deliver() == 1 && report_count == 5);
	link_up();
	MUST(fake_deliver() == 0 && speed(doomed) == 0);
	RUN(xs_ethernet_start, doomed, NULL, BY_DHCP);
	reaction = close_it;
	link_up();
	MUST(fake_deliver() == 1 && report_count == 6);
}

static void accepts_what_fits(void)
{
	static const char ADDRESS[] = "RangeError: not an IPv4 address";
	char text[ETHERNET_HOSTNAME_LIMIT + 2];
	xsSlot self = open_port(), result;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
#define WITH(hostname, ip, dns) \
	FAKE_STRING(hostname), FAKE_STRING(ip), FAKE_STRING("255.255.255.0"), FAKE_STRING("192.0.2.1"), FAKE_STRING(dns)
	THROWS("RangeError: the host name is too long", xs_ethernet_start, self, WITH(text, "192.0.2.20", "192.0.2.1"));
	THROWS(ADDRESS, xs_ethernet_start, self, WITH(text + 1, "192.0.2", "192.0.2.1"));
	THROWS(ADDRESS, xs_ethernet_start, self, WITH(text + 1, "192.0.2.20", "name"));
	THROWS("SyntaxError: no argument 4", xs_ethernet_start, self, FAKE_STRING("gateway"));
	MUST(fake.starts == 0);
	RUN(xs_ethernet_start, self, &result, WITH(text + 1, "192.0.2.20", "192.0.2.1"));
	MUST(result.value.boolean && strcmp(fake.settings.hostname, text + 1) == 0);
	const uint8_t *ip = (const uint8_t *)&fake.settings.address.ip, *dns = (const uint8_t *)&fake.settings.dns;
	MUST(ip[0] == 192 && ip[3] == 20 && dns[3] == 1 && fake.settings.address.netmask != 0);
	fake.fails_start = true;
	RUN(xs_ethernet_start, self, &result, BY_DHCP);
	MUST(!result.value.boolean && fake.settings.address.ip == 0);
	end(self);
}

int main(int count, char **arguments)
{
	static const test_case cases[] = {
		{ "constructs", constructs },
		{ "closes", closes },
		{ "calls-back", calls_back },
		{ "accepts-what-fits", accepts_what_fits },
		{ NULL, NULL },
	};
	MUST(count == 2);
	machine.called = on_called;
	run_case(arguments[1], cases);
	fake_end_machine(&machine);
	return 0;
}
