/*
 * Test of the console (console.c) on fakes of the engine (xs-fake/) and of timers (binding-fake/), for
 * xs-bindings.test.ts, which compiles it once for each place of the console. stdin, stdout and a USB port beside them
 * are pipes; the linker replaces calls of read, open, fsync and esp_timer_start_once by the functions here. Exits with
 * 0, or prints the failed line.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "driver/uart_vfs.h"
#include "driver/usb_serial_jtag_vfs.h"
#include "binding-fake.h"
#include "xs-fake.h"

#ifdef CONFIG_ESP_CONSOLE_UART
enum { HAS_UART = 1 };
#else
enum { HAS_UART = 0 };
#endif
#ifdef CONFIG_ESP_CONSOLE_USB_SERIAL_JTAG_ENABLED
enum { HAS_USB = 1, HAS_BOTH = HAS_UART };
#else
enum { HAS_USB = 0, HAS_BOTH = 0 };
#endif

fake_native xs_console_open, xs_console_read, xs_console_write, xs_console_close;

static xsMachine machine;
static int to_console, from_console;
/* Ends of the pipe of a USB port beside UART 0. Otherwise the first is stdin. */
static int usb, to_usb;
static bool is_usb_connected = true;
static bool closes_in_timer_task;
static unsigned flushes;
static esp_line_endings_t rx_mode = ESP_LINE_ENDINGS_CR, tx_mode = ESP_LINE_ENDINGS_CRLF;
static esp_line_endings_t usb_rx_mode = ESP_LINE_ENDINGS_CR, usb_tx_mode = ESP_LINE_ENDINGS_CRLF;
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

void usb_serial_jtag_vfs_set_rx_line_endings(esp_line_endings_t mode)
{
	usb_rx_mode = mode;
}

void usb_serial_jtag_vfs_set_tx_line_endings(esp_line_endings_t mode)
{
	usb_tx_mode = mode;
}

ssize_t __real_read(int file, void *into, size_t limit);
ssize_t __wrap_read(int file, void *into, size_t limit);

/* As usb_serial_jtag_vfs.c without a driver: a byte at a time, and none without a computer. */
ssize_t __wrap_read(int file, void *into, size_t limit)
{
	if (!HAS_USB || file != usb) return __real_read(file, into, limit);
	return is_usb_connected && limit > 0 ? __real_read(file, into, 1) : -1;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	if (!HAS_BOTH || strcmp(path, "/dev/secondary") != 0) return __real_open(path, flags);
	/* ESP-IDF reads nothing from a port that is opened with O_NONBLOCK and has no driver. */
	MUST((flags & O_NONBLOCK) == 0);
	return usb;
}

int __wrap_fsync(int file);

int __wrap_fsync(int file)
{
	MUST(HAS_USB && file == usb && usb_tx_mode == ESP_LINE_ENDINGS_LF);
	flushes++;
	return 0;
}

esp_err_t __real_esp_timer_start_once(esp_timer_handle_t timer, uint64_t us);
esp_err_t __wrap_esp_timer_start_once(esp_timer_handle_t timer, uint64_t us);

/* The timer task may be interrupted here, after it has seen the console open and before it reports the input. */
esp_err_t __wrap_esp_timer_start_once(esp_timer_handle_t timer, uint64_t us)
{
	esp_err_t status = __real_esp_timer_start_once(timer, us);
	if (closes_in_timer_task) RUN(xs_console_close, FAKE_NOTHING, NULL);
	return status;
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
	int in[2], out[2], beside[2];
	MUST(pipe(in) == 0 && pipe(out) == 0 && pipe(beside) == 0);
	MUST(dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1);
	to_console = in[1];
	from_console = out[0];
	usb = HAS_BOTH ? beside[0] : 0;
	to_usb = HAS_BOTH ? beside[1] : to_console;
	MUST(fcntl(0, F_SETFL, O_NONBLOCK) == 0 && fcntl(from_console, F_SETFL, O_NONBLOCK) == 0);
	MUST(fcntl(usb, F_SETFL, O_NONBLOCK) == 0);
}

static void send(int to, const char *bytes, size_t count)
{
	MUST(write(to, bytes, count) == (ssize_t)count);
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
	MUST(rx_mode == (HAS_UART ? ESP_LINE_ENDINGS_LF : ESP_LINE_ENDINGS_CR));
	MUST(usb_rx_mode == (HAS_USB ? ESP_LINE_ENDINGS_LF : ESP_LINE_ENDINGS_CR));
	MUST(fake_deliver() == 1 && calls == 1 && happened == 2);
	THROWS("Error: the console is in use", xs_console_open, self, target);

	for (int way = 0; way <= HAS_BOTH; way++) {
		send(way ? to_usb : to_console, packet, sizeof(packet));
		MUST(calls == 2 + (unsigned)way && happened == 1 && readable == sizeof(packet));
		fake_collect(&machine);
		RUN(xs_console_read, self, &result, into, FAKE_INT(1), FAKE_INT(5));
		MUST(result.value.integer == 4);
		RUN(xs_console_read, self, &result, into, FAKE_INT(5), FAKE_INT(300));
		MUST(result.value.integer == sizeof(packet) - 4);
		MUST(memcmp(into.value.thing->bytes + 1, packet, sizeof(packet)) == 0);
		RUN(xs_console_read, self, &result, into, FAKE_INT(0), FAKE_INT(300));
		MUST(result.value.integer == 0);
	}
	THROWS("RangeError: beyond the buffer", xs_console_read, self, into, FAKE_INT(0), FAKE_INT(301));

	for (size_t i = 0; i < sizeof(seen); i++) seen[i] = (char)i;
	calls = 0;
	if (HAS_UART) {
		/* More bytes than the ring holds: the newest are lost. */
		send(to_console, seen, sizeof(seen));
		MUST(calls == 1 && readable == 256);
		RUN(xs_console_read, self, &result, into, FAKE_INT(0), FAKE_INT(300));
		MUST(result.value.integer == 256 && memcmp(into.value.thing->bytes, seen, 256) == 0);
	}
	calls = 0;
	if (HAS_USB) {
		/* A computer that is not there sends nothing. */
		is_usb_connected = false;
		send(to_usb, seen, sizeof(seen));
		MUST(calls == 0);
		is_usb_connected = true;
		idf_pass(6);
		fake_deliver();
		/* More bytes than the ring holds: the computer waits. */
		MUST(calls == 1 && readable == 256);
		idf_pass(6);
		MUST(fake_deliver() == 0);
		RUN(xs_console_read, self, &result, into, FAKE_INT(0), FAKE_INT(300));
		MUST(result.value.integer == 256 && memcmp(into.value.thing->bytes, seen, 256) == 0);
		idf_pass(6);
		fake_deliver();
		RUN(xs_console_read, self, &result, into, FAKE_INT(0), FAKE_INT(300));
		MUST(result.value.integer == sizeof(seen) - 256);
		MUST(memcmp(into.value.thing->bytes, seen + 256, sizeof(seen) - 256) == 0);
	}

	/* Written bytes leave at once and unchanged. */
	xsSlot from = fake_buffer(&machine, packet, sizeof(packet));
	RUN(xs_console_write, self, NULL, from, FAKE_INT(0), FAKE_INT(sizeof(packet)));
	MUST(read(from_console, seen, sizeof(seen)) == sizeof(packet) && memcmp(seen, packet, sizeof(packet)) == 0);
	MUST(tx_mode == ESP_LINE_ENDINGS_CRLF && usb_tx_mode == ESP_LINE_ENDINGS_CRLF && flushes == HAS_USB);
	MUST(fake_deliver() == 1 && happened == 2);
	THROWS("RangeError: beyond the buffer", xs_console_write, self, from, FAKE_INT(2), FAKE_INT(1));

	calls = 0;
	/* A console that is closed before its output is sent reports no event. */
	MUST(write(to_console, "x", 1) == 1);
	idf_pass(6);
	RUN(xs_console_close, self, NULL);
	fake_deliver();
	send(to_console, "y", 1);
	MUST(calls == 0);
	/* Reopened, the console has the input received since. */
	RUN(xs_console_open, self, NULL, target);
	send(to_console, "z", 1);
	MUST(calls == 1 && happened == 3 && readable == 2);

	/* Closed by JavaScript while the timer task takes input: the object is forgotten and is not called. */
	closes_in_timer_task = true;
	send(to_console, "a", 1);
	MUST(calls == 1);
	fake_end_machine(&machine);
	return 0;
}
