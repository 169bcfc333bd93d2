/*
 * Console of the chip as a serial port (console.ts): UART 0, the chip's own USB port, or both, as the board's row says
 * (sdkconfig/console-*.defaults). ESP-IDF has opened them for stdin and stdout, whose locks prevent log lines and other
 * output from mixing. No driver is installed. Instead, a timer polls the input.
 *
 * The UART has a receive buffer of 128 bytes. Polling is fast enough for 115200 Bd, except while flash is erased. On
 * USB a computer waits until the chip has taken its bytes, so none are lost.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "sdkconfig.h"
#if CONFIG_ESP_CONSOLE_UART
#include "driver/uart_vfs.h"
#endif
#if CONFIG_ESP_CONSOLE_USB_SERIAL_JTAG_ENABLED
#include "driver/usb_serial_jtag_vfs.h"
#endif
#include "esp_timer.h"

#include "machine-post.h"
#include "xs-range.h"

/* Within POLL_US, half of the UART's receive buffer fills. */
enum { POLL_US = 5500, RING_SIZE = 256, PIECE = 64, UART = 0 };
/* Event bits, as in serial.ts. */
enum { READABLE = 1, WRITABLE = 2 };

static struct {
	xsMachine *the;
	xsSlot target;
	esp_timer_handle_t timer;
	/* File descriptor of the USB port, if the console is there. */
	int usb;
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
	/* The timer task may report an event just after the close, when the target is forgotten. */
	unsigned events = console.is_open ? console.events : 0, readable = console.count;
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

/* Drops bytes that do not fit. */
static void store(const uint8_t *bytes, size_t count)
{
	pthread_mutex_lock(&console.lock);
	for (size_t i = 0; i < count && console.count < RING_SIZE; i++)
		console.ring[(console.first + console.count++) % RING_SIZE] = bytes[i];
	pthread_mutex_unlock(&console.lock);
}

/* Number of bytes that fit into the ring, PIECE at most. */
static size_t room(void)
{
	pthread_mutex_lock(&console.lock);
	size_t room = RING_SIZE - console.count;
	pthread_mutex_unlock(&console.lock);
	return room < PIECE ? room : PIECE;
}

/*
 * Takes the input of a file descriptor, and returns true if there was any. If the sender waits, takes only what fits
 * into the ring; otherwise takes all, because the UART's buffer must not overflow.
 */
static bool receive(int input, bool sender_waits)
{
	uint8_t piece[PIECE];
	ssize_t count;
	bool has_received = false;
	/* Without a driver, ESP-IDF returns one byte of USB at a time. */
	while ((count = read(input, piece, sender_waits ? room() : PIECE)) > 0) {
		store(piece, (size_t)count);
		has_received = true;
	}
	return has_received;
}

static bool is_open(void)
{
	pthread_mutex_lock(&console.lock);
	bool is_open = console.is_open;
	pthread_mutex_unlock(&console.lock);
	return is_open;
}

/* Runs in the timer task. */
static void poll_input(void *context)
{
	(void)context;
	bool has_received = false;
#if CONFIG_ESP_CONSOLE_UART
	has_received = receive(fileno(stdin), false);
#endif
#if CONFIG_ESP_CONSOLE_USB_SERIAL_JTAG_ENABLED
	has_received = receive(console.usb, true) || has_received;
#endif
	if (!is_open()) return;
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

/* Input is never changed: it is binary. */
static void prepare_input(void)
{
#if CONFIG_ESP_CONSOLE_UART
	uart_vfs_dev_port_set_rx_line_endings(UART, ESP_LINE_ENDINGS_LF);
#endif
#if CONFIG_ESP_CONSOLE_USB_SERIAL_JTAG
	console.usb = fileno(stdin);
#elif CONFIG_ESP_CONSOLE_SECONDARY_USB_SERIAL_JTAG
	/* ESP-IDF only writes to its secondary console (stdio_vfs.c), but the port can be read by its own name. */
	if (console.usb == 0) console.usb = open("/dev/secondary", O_RDWR);
#endif
#if CONFIG_ESP_CONSOLE_USB_SERIAL_JTAG_ENABLED
	usb_serial_jtag_vfs_set_rx_line_endings(ESP_LINE_ENDINGS_LF);
#endif
}

/* Argument: target, whose `onUART(happened, readable)` is called for each event. */
void xs_console_open(xsMachine *the)
{
	const esp_timer_create_args_t timer = { .callback = poll_input, .name = "console" };
	if (console.is_open) xsUnknownError("the console is in use");
	if (!console.timer && esp_timer_create(&timer, &console.timer) != ESP_OK) xsUnknownError("out of memory");
	prepare_input();
	console.the = the;
	console.target = xsArg(0);
	xsRemember(console.target);
	open_or_close(true);
	esp_timer_start_once(console.timer, POLL_US);
	report(WRITABLE);
}

void xs_console_read(xsMachine *the)
{
	size_t limit, count = 0;
	uint8_t *into = xs_range(the, 0, true, &limit);
	pthread_mutex_lock(&console.lock);
	for (; count < limit && console.count > 0; count++, console.count--) {
		into[count] = console.ring[console.first];
		console.first = (console.first + 1) % RING_SIZE;
	}
	pthread_mutex_unlock(&console.lock);
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

static void set_line_endings_of_output(esp_line_endings_t endings)
{
#if CONFIG_ESP_CONSOLE_UART
	uart_vfs_dev_port_set_tx_line_endings(UART, endings);
#endif
#if CONFIG_ESP_CONSOLE_USB_SERIAL_JTAG_ENABLED
	usb_serial_jtag_vfs_set_tx_line_endings(endings);
#endif
}

/*
 * Arguments: bytes, start, end. Writes the bytes unchanged and without interruption, under the lock of stdout. If
 * another task prints a log line during the write, that line ends without a carriage return. Waits up to 20 ms for the
 * UART. On USB it does not wait if no computer is connected; if a computer is connected but reads nothing, ESP-IDF drops
 * the bytes 50 ms after the last one was read (usb_serial_jtag_vfs.c).
 */
void xs_console_write(xsMachine *the)
{
	size_t count;
	const uint8_t *bytes = xs_range(the, 0, false, &count);
	set_line_endings_of_output(ESP_LINE_ENDINGS_LF);
	fwrite(bytes, 1, count, stdout);
	fflush(stdout);
#if CONFIG_ESP_CONSOLE_USB_SERIAL_JTAG_ENABLED
	/* The port sends by itself only full packets and lines. */
	fsync(console.usb);
#endif
	set_line_endings_of_output(ESP_LINE_ENDINGS_CRLF);
	report(WRITABLE);
}

void xs_console_close(xsMachine *the)
{
	if (!console.is_open) return;
	open_or_close(false);
	esp_timer_stop(console.timer);
	xsForget(console.target);
}
