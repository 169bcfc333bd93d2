/*
 * Console of the chip as a serial port (console.ts). It uses UART 0, which ESP-IDF has opened for stdin and stdout. The
 * locks of stdin and stdout prevent log lines and other output from mixing. No UART driver is installed. Instead, a
 * timer polls the UART's receive buffer of 128 bytes. Polling is fast enough for 115200 Bd, except while flash is
 * erased.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "driver/uart_vfs.h"
#include "esp_timer.h"

#include "machine-post.h"

/* Within POLL_US, half of the UART's receive buffer fills. */
enum { POLL_US = 5500, RING_SIZE = 256, PIECE = 64, UART = 0 };
/* Event bits, as in serial.ts. */
enum { READABLE = 1, WRITABLE = 2 };

static struct {
	xsMachine *the;
	xsSlot target;
	esp_timer_handle_t timer;
	/* Guards the members from here on. */
	pthread_mutex_t lock;
	bool is_open, posted;
	unsigned events;
	unsigned first, count;
	uint8_t ring[RING_SIZE];
} console = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void deliver(void *context)
{
	(void)context;
	pthread_mutex_lock(&console.lock);
	unsigned events = console.events, readable = console.count;
	console.events = 0;
	console.posted = false;
	pthread_mutex_unlock(&console.lock);
	if (events == 0) return;
	xsBeginHost(console.the);
	xsmcVars(2);
	xsmcSetInteger(xsVar(0), (xsIntegerValue)events);
	xsmcSetInteger(xsVar(1), (xsIntegerValue)readable);
	xsCall2(console.target, xsID_onUART, xsVar(0), xsVar(1));
	xsEndHost(console.the);
}

static void report(unsigned event)
{
	pthread_mutex_lock(&console.lock);
	console.events |= event;
	bool post = !console.posted;
	console.posted = true;
	pthread_mutex_unlock(&console.lock);
	if (post) machine_post(console.the, deliver, NULL);
}

/* Drops bytes that do not fit. Returns false if the console is closed. */
static bool store(const uint8_t *bytes, size_t count)
{
	pthread_mutex_lock(&console.lock);
	bool is_open = console.is_open;
	for (size_t i = 0; i < count && console.count < RING_SIZE; i++)
		console.ring[(console.first + console.count++) % RING_SIZE] = bytes[i];
	pthread_mutex_unlock(&console.lock);
	return is_open;
}

/* Polls the UART. Runs in the timer task. */
static void poll_input(void *context)
{
	(void)context;
	uint8_t piece[PIECE];
	ssize_t count = read(fileno(stdin), piece, sizeof(piece));
	bool has_received = count > 0;
	for (; count == PIECE; count = read(fileno(stdin), piece, sizeof(piece))) store(piece, PIECE);
	if (!store(piece, count > 0 ? (size_t)count : 0)) return;
	esp_timer_start_once(console.timer, POLL_US);
	if (has_received) report(READABLE);
}

static void open_or_close(bool is_open)
{
	pthread_mutex_lock(&console.lock);
	console.is_open = is_open;
	console.events = console.first = console.count = 0;
	pthread_mutex_unlock(&console.lock);
}

/* Argument: target, whose `onUART(happened, readable)` is called for each event. */
void xs_console_open(xsMachine *the)
{
	const esp_timer_create_args_t timer = { .callback = poll_input, .name = "console" };
	if (console.is_open) xsUnknownError("the console is in use");
	if (!console.timer && esp_timer_create(&timer, &console.timer) != ESP_OK) xsUnknownError("out of memory");
	uart_vfs_dev_port_set_rx_line_endings(UART, ESP_LINE_ENDINGS_LF);
	console.the = the;
	console.target = xsArg(0);
	xsRemember(console.target);
	open_or_close(true);
	esp_timer_start_once(console.timer, POLL_US);
	report(WRITABLE);
}

static uint8_t *place(xsMachine *the, bool writable, size_t *count)
{
	void *bytes;
	xsUnsignedValue length;
	if (writable) xsmcGetBufferWritable(xsArg(0), &bytes, &length);
	else xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	xsIntegerValue start = xsmcToInteger(xsArg(1)), end = xsmcToInteger(xsArg(2));
	if (start < 0 || end < start || (xsUnsignedValue)end > length) xsRangeError("beyond the buffer");
	*count = (size_t)(end - start);
	return (uint8_t *)bytes + start;
}

void xs_console_read(xsMachine *the)
{
	size_t limit, count = 0;
	uint8_t *into = place(the, true, &limit);
	pthread_mutex_lock(&console.lock);
	for (; count < limit && console.count > 0; count++, console.count--) {
		into[count] = console.ring[console.first];
		console.first = (console.first + 1) % RING_SIZE;
	}
	pthread_mutex_unlock(&console.lock);
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

/*
 * Arguments: bytes, start, end. Writes the bytes unchanged and without interruption, under the lock of stdout. If
 * another task prints a log line during the write, that line ends without a carriage return. Waits up to 20 ms for the
 * UART.
 */
void xs_console_write(xsMachine *the)
{
	size_t count;
	const uint8_t *bytes = place(the, false, &count);
	uart_vfs_dev_port_set_tx_line_endings(UART, ESP_LINE_ENDINGS_LF);
	fwrite(bytes, 1, count, stdout);
	fflush(stdout);
	uart_vfs_dev_port_set_tx_line_endings(UART, ESP_LINE_ENDINGS_CRLF);
	report(WRITABLE);
}

void xs_console_close(xsMachine *the)
{
	if (!console.is_open) return;
	open_or_close(false);
	esp_timer_stop(console.timer);
	xsForget(console.target);
}
