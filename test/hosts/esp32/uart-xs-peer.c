/*
 * Tests of the UART's XS binding (uart-xs.c) on a fake of the engine (xs-fake/) and a modelled UART (uart-fake/), for
 * xs-bindings.test.ts. Exits with 0, or prints the failed line.
 */
#include <string.h>

/* Included, so that the test can run the port's task. */
#include "../../../hosts/esp32/uart-port.c"

#include "uart-fake.h"
#include "xs-fake.h"

fake_native xs_uart, xs_uart_configure, xs_uart_read, xs_uart_write, xs_uart_close;
void xs_uart_destructor(void *data);

enum { RING = 2048, UART = 1, EVENTS = 8 };

static xsMachine machine;
/* Last event reported to JavaScript. */
static struct {
	int32_t happened, readable, writable;
} told[EVENTS];
static unsigned told_count;
/* JavaScript's reaction to the next event. */
static void (*reaction)(void);

static void on_called(xsMachine *the, xsIdentifier id, int count, const int32_t *values)
{
	MUST(the == &machine && id == xsID_onUART && count == 3 && told_count < EVENTS);
	told[told_count].happened = values[0];
	told[told_count].readable = values[1];
	told[told_count++].writable = values[2];
	if (reaction) reaction();
	reaction = NULL;
}

/* Constructor arguments without flow control. */
#define PINS(uart) FAKE_INT(uart), FAKE_INT(4), FAKE_INT(5), FAKE_INT(-1), FAKE_INT(-1), FAKE_INT(0), FAKE_INT(RING)

static xsSlot open_port(int uart)
{
	xsSlot self = fake_object(&machine), target = fake_object(&machine);
	RUN(xs_uart, self, NULL, target, PINS(uart));
	return self;
}

static void destroy(xsSlot self)
{
	xs_uart_destructor(self.value.thing->data);
	self.value.thing->data = NULL;
}

static void end(xsSlot self)
{
	RUN(xs_uart_close, self, NULL);
	destroy(self);
}

/* Runs the tasks of all UARTs. */
static void turn(void)
{
	for (unsigned i = 0; i < SOC_UART_HP_NUM; i++) {
		uart_event_t event;
		if (!ports[i]) continue;
		while (xQueueReceive(ports[i]->events, &event, 0) == pdTRUE) {
			if (step(ports[i], &event)) ports[i]->options.notify(ports[i], ports[i]->options.machine);
		}
	}
}

static void hear(const char *text)
{
	for (; *text; text++) MUST(fake_hear(UART, (uint8_t)*text, true));
	fake_silence(UART);
	turn();
}

static void constructs(void)
{
	xsSlot self = fake_object(&machine), none = FAKE_NOTHING;
	const xsSlot arguments[] = { fake_object(&machine), PINS(UART) };
	for (int count = 0; count < 8; count++) {
		MUST(!fake_run(&machine, xs_uart, self, count, arguments, NULL) && strncmp(machine.message, "SyntaxError", 11) == 0);
		MUST(!self.value.thing->data);
	}
	THROWS("Error: This chip has no UART 3.", xs_uart, self, none, PINS(3));
	THROWS("Error: This chip has no UART -1.", xs_uart, self, none, PINS(-1));
	fake_fails_at = 1;
	THROWS("Error: UART 1 can't be started: its pins are wrong, or memory is full.", xs_uart, self, none, PINS(UART));
	MUST(!self.value.thing->data);
	/* An argument that is not a number counts as 0. */
	RUN(xs_uart, self, NULL, fake_object(&machine), none, FAKE_STRING("4"), FAKE_BOOL(true), none, none, none, FAKE_INT(RING));
	end(self);
	self = open_port(UART);
	THROWS("Error: UART 1 is in use.", xs_uart, fake_object(&machine), none, PINS(UART));
	turn();
	MUST(fake_deliver() == 1 && told_count == 1 && told[0].happened == UART_WRITABLE && told[0].writable == UART_SEND_LIMIT);
	end(self);
	xs_uart_destructor(NULL);
}

static void closes(void)
{
	xsSlot self = open_port(UART), result, bytes = fake_buffer(&machine, "abc", 3);
	hear("x");
	RUN(xs_uart_close, self, NULL);
	RUN(xs_uart_close, self, NULL);
	MUST(fake_deliver() == 1 && told_count == 0);
	hear("y");
	MUST(fake_deliver() == 0);
	RUN(xs_uart_read, self, &result, bytes, FAKE_INT(0), FAKE_INT(3));
	MUST(result.value.integer == 0);
	RUN(xs_uart_write, self, &result, bytes, FAKE_INT(0), FAKE_INT(3));
	MUST(result.value.integer == 0);
	RUN(xs_uart_configure, self, &result, FAKE_INT(9600), FAKE_INT(0));
	MUST(result.kind == FAKE_BOOLEAN && !result.value.boolean);
	destroy(self);
	/* A pending call for the previous port reaches the next one, which has input. */
	self = open_port(UART);
	turn();
	end(self);
	self = open_port(UART);
	turn();
	MUST(fake_deliver() == 1 && told_count == 1 && told[0].happened == UART_WRITABLE);
	end(self);
}

/* The machine ends without a close. */
static void is_destroyed(void)
{
	xsSlot self = open_port(UART);
	hear("x");
	destroy(self);
	/* The binding must not read the remembered object any more. */
	memset(machine.remembered, 0, sizeof(machine.remembered));
	MUST(fake_deliver() == 1 && told_count == 0);
	hear("y");
	MUST(fake_deliver() == 0);
	destroy(open_port(UART));
}

static xsSlot doomed;

static void close_it(void)
{
	/* Now nothing refers to the object, and memory is scarce. */
	end(doomed);
}

static void closes_in_callback(void)
{
	doomed = open_port(UART);
	turn();
	reaction = close_it;
	MUST(fake_deliver() == 1 && told_count == 1);
	hear("x");
	MUST(fake_deliver() == 0);
}

static void reads_and_writes(void)
{
	static const int32_t beyond[][2] = { { 0, 5 }, { -1, 2 }, { 3, 2 }, { 5, 5 }, { INT32_MIN, INT32_MAX }, { 4, -1 } };
	uint8_t sent[8];
	xsSlot self = open_port(UART), result, four = fake_buffer(&machine, "abcd", 4), constant = fake_buffer(&machine, "ABCD", 4);
	constant.value.thing->read_only = true;
	RUN(xs_uart_configure, self, &result, FAKE_INT(9600), FAKE_INT(1));
	MUST(result.value.boolean);
	RUN(xs_uart_configure, self, &result, FAKE_INT(2400), FAKE_INT(2));
	MUST(result.value.boolean && fake_parity(UART) == UART_PARITY_EVEN);
	RUN(xs_uart_configure, self, &result, FAKE_INT(1200), FAKE_INT(3));
	MUST(result.value.boolean && fake_stop_bits(UART) == UART_STOP_BITS_2);
	RUN(xs_uart_configure, self, &result, FAKE_INT(2400), FAKE_INT(4));
	MUST(!result.value.boolean);
	RUN(xs_uart_configure, self, &result, FAKE_INT(2400), FAKE_INT(-1));
	MUST(!result.value.boolean);
	RUN(xs_uart_configure, self, &result, FAKE_INT(-300), FAKE_INT(1));
	MUST(!result.value.boolean);
	RUN(xs_uart_configure, self, &result, FAKE_INT(9600), FAKE_INT(1));
	MUST(result.value.boolean);
	for (size_t i = 0; i < sizeof(beyond) / sizeof(*beyond); i++) {
		xsSlot start = FAKE_INT(beyond[i][0]), end = FAKE_INT(beyond[i][1]);
		THROWS("RangeError: beyond the buffer", xs_uart_read, self, four, start, end);
		THROWS("RangeError: beyond the buffer", xs_uart_write, self, four, start, end);
	}
	THROWS("TypeError: invalid buffer", xs_uart_write, self, FAKE_STRING("abcd"), FAKE_INT(0), FAKE_INT(4));
	THROWS("TypeError: invalid buffer", xs_uart_read, self, FAKE_NOTHING, FAKE_INT(0), FAKE_INT(4));
	THROWS("TypeError: read-only buffer", xs_uart_read, self, constant, FAKE_INT(0), FAKE_INT(4));
	THROWS("SyntaxError: no argument 2", xs_uart_read, self, four, FAKE_INT(0));
	hear("12345");
	RUN(xs_uart_read, self, &result, four, FAKE_INT(1), FAKE_INT(4));
	MUST(result.value.integer == 3 && memcmp(four.value.thing->bytes, "a123", 4) == 0);
	RUN(xs_uart_read, self, &result, four, FAKE_INT(0), FAKE_INT(4));
	MUST(result.value.integer == 2 && memcmp(four.value.thing->bytes, "4523", 4) == 0);
	RUN(xs_uart_read, self, &result, four, FAKE_INT(4), FAKE_INT(4));
	MUST(result.value.integer == 0);
	RUN(xs_uart_write, self, &result, constant, FAKE_INT(1), FAKE_INT(3));
	MUST(result.value.integer == UART_SEND_LIMIT - 2);
	xsSlot large = fake_buffer(&machine, NULL, UART_SEND_LIMIT);
	THROWS("RangeError: more than may be written", xs_uart_write, self, large, FAKE_INT(0), FAKE_INT(UART_SEND_LIMIT - 1));
	turn();
	fake_pass(10000);
	MUST(fake_sent(UART, sent, sizeof(sent)) == 2 && memcmp(sent, "BC", 2) == 0);
	end(self);
}

int main(int count, char **arguments)
{
	static const test_case cases[] = {
		{ "constructs", constructs },
		{ "closes", closes },
		{ "is-destroyed", is_destroyed },
		{ "closes-in-callback", closes_in_callback },
		{ "reads-and-writes", reads_and_writes },
		{ NULL, NULL },
	};
	MUST(count == 2);
	machine.called = on_called;
	run_case(arguments[1], cases);
	fake_end_machine(&machine);
	return 0;
}
