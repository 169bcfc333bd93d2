/*
 * Test of the console (console.c) on fakes of the engine (xs-fake/) and of timers (binding-fake/), for
 * xs-bindings.test.ts. stdin and stdout are pipes. Exits with 0, or prints the failed line.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "driver/uart_vfs.h"
#include "binding-fake.h"
#include "xs-fake.h"

fake_native xs_console_open, xs_console_read, xs_console_write, xs_console_close;

static xsMachine machine;
static int to_console, from_console;
static esp_line_endings_t rx_mode = ESP_LINE_ENDINGS_CR, tx_mode = ESP_LINE_ENDINGS_CRLF;
/* Last event reported to JavaScript. */
static int32_t happened, readable;
static unsigned calls;

int uart_vfs_dev_port_set_rx_line_endings(int uart, esp_line_endings_t mode)
{
	MUST(uart == 0);
	rx_mode = mode;
	return 0;
}

/* stdout must be flushed before its mode changes. */
int uart_vfs_dev_port_set_tx_line_endings(int uart, esp_line_endings_t mode)
{
	MUST(uart == 0);
	tx_mode = mode;
	return 0;
}

static void record_event(xsMachine *the, xsIdentifier id, int count, const int32_t *values)
{
	(void)the;
	MUST(id == xsID_onUART && count == 2);
	happened = values[0];
	readable = values[1];
	calls++;
}

static void open_pipes(void)
{
	int in[2], out[2];
	MUST(pipe(in) == 0 && pipe(out) == 0);
	MUST(dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1);
	to_console = in[1];
	from_console = out[0];
	MUST(fcntl(0, F_SETFL, O_NONBLOCK) == 0 && fcntl(from_console, F_SETFL, O_NONBLOCK) == 0);
}

static void send(const char *bytes, size_t count)
{
	MUST(write(to_console, bytes, count) == (ssize_t)count);
	idf_pass(6);
	fake_deliver();
}

int main(void)
{
	static const char packet[] = "IMPROV\x01\x03\n\r\x0a\x0d";
	char seen[400];
	xsSlot result, into = fake_buffer(&machine, NULL, 300), target = fake_object(&machine), self = FAKE_NOTHING;
	machine.called = record_event;
	open_pipes();
	/* While the console is closed, nothing is reported and input waits. */
	idf_pass(20);
	RUN(xs_console_close, self, NULL);
	idf_fails_at = 1;
	THROWS("Error: out of memory", xs_console_open, self, target);
	idf_fails_at = 0;
	RUN(xs_console_open, self, NULL, target);
	MUST(rx_mode == ESP_LINE_ENDINGS_LF && fake_deliver() == 1 && calls == 1 && happened == 2);
	THROWS("Error: the console is in use", xs_console_open, self, target);

	send(packet, sizeof(packet));
	MUST(calls == 2 && happened == 1 && readable == sizeof(packet));
	fake_collect(&machine);
	RUN(xs_console_read, self, &result, into, FAKE_INT(1), FAKE_INT(5));
	MUST(result.value.integer == 4);
	RUN(xs_console_read, self, &result, into, FAKE_INT(5), FAKE_INT(300));
	MUST(result.value.integer == sizeof(packet) - 4);
	MUST(memcmp(into.value.thing->bytes + 1, packet, sizeof(packet)) == 0);
	RUN(xs_console_read, self, &result, into, FAKE_INT(0), FAKE_INT(300));
	MUST(result.value.integer == 0);
	THROWS("RangeError: beyond the buffer", xs_console_read, self, into, FAKE_INT(0), FAKE_INT(301));

	/* More bytes than the ring holds: the newest are lost. */
	for (size_t i = 0; i < sizeof(seen); i++) seen[i] = (char)i;
	send(seen, sizeof(seen));
	MUST(calls == 3 && readable == 256);
	RUN(xs_console_read, self, &result, into, FAKE_INT(0), FAKE_INT(300));
	MUST(result.value.integer == 256 && memcmp(into.value.thing->bytes, seen, 256) == 0);

	/* Written bytes leave at once and unchanged. */
	xsSlot from = fake_buffer(&machine, packet, sizeof(packet));
	RUN(xs_console_write, self, NULL, from, FAKE_INT(0), FAKE_INT(sizeof(packet)));
	MUST(read(from_console, seen, sizeof(seen)) == sizeof(packet) && memcmp(seen, packet, sizeof(packet)) == 0);
	MUST(tx_mode == ESP_LINE_ENDINGS_CRLF && fake_deliver() == 1 && happened == 2);
	THROWS("RangeError: beyond the buffer", xs_console_write, self, from, FAKE_INT(2), FAKE_INT(1));

	/* A console that is closed before its output is sent reports no event. */
	MUST(write(to_console, "x", 1) == 1);
	idf_pass(6);
	RUN(xs_console_close, self, NULL);
	fake_deliver();
	send("y", 1);
	MUST(calls == 4);
	/* Reopened, the console has the input received since. */
	RUN(xs_console_open, self, NULL, target);
	send("z", 1);
	MUST(calls == 5 && happened == 3 && readable == 2);
	RUN(xs_console_close, self, NULL);
	fake_end_machine(&machine);
	return 0;
}
