#include "uart-port.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/gpio.h"
#include "driver/uart.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/queue.h"
#include "freertos/task.h"
#include "soc/soc_caps.h"
#include "soc/uart_reg.h"

#include "uart-core.h"

enum { FIRST_BAUD = 9600 };
/*
 * The driver queues an event for every 32 characters. If the queue is full, the driver still fills its ring, which the
 * task empties after any event.
 */
enum { DRIVER_EVENTS = 16 };
/*
 * TASK_PRIORITY is above the priorities of the machine's task (4) and of the TLS server (5), and below those of Wi-Fi
 * and lwIP (18 and more).
 */
enum { TASK_PRIORITY = 10, TASK_STACK = 1536 };
/* PIECE: bytes per step of the task. CALL_…: thresholds of the UART's interrupts, in characters. */
enum { PIECE = 64, CALL_SEVEN = 1, CALL_EIGHT = 32, CALL_SILENCE = 2 };
/* Number of bytes in the UART's buffer (of 128) at which RTS pauses the peer. */
enum { RTS_AT = 100 };
/*
 * SILENCE_MS: silence after which received bytes are reported. FEED_…: longest interval between two refills of the
 * UART's transmit buffer of 128 bytes while sending.
 */
enum { SILENCE_MS = 5, FEED_MS_MAX = 20, FEED_CHARACTERS = 32 };

struct uart_port {
	uart_port_t uart;
	bool flow;
	QueueHandle_t events;
	/* Guards the members from here on. The lock is never held while waiting. */
	pthread_mutex_t lock;
	uart_options options;
	bool open;
	/* True if the UART's buffer may hold characters, because some have arrived since it was last known to be empty. */
	bool may_hold;
	unsigned baud;
	/* Calculated time at which all output has been sent. The UART may take longer. */
	int64_t quiet_at_us;
	uart_core core;
};

/* Ports are created once, then kept. Only used in the owner's thread. */
static uart_port *ports[SOC_UART_HP_NUM];

/*
 * Moves received bytes from the driver to the core. Bytes for which the core has no room stay in the driver's ring
 * until the listener reads.
 */
static void collect(uart_port *port)
{
	uint8_t piece[PIECE];
	for (;;) {
		size_t limit = sizeof(piece), room = uart_core_room(&port->core);
		if (room < limit) limit = room;
		int count = limit > 0 ? uart_read_bytes(port->uart, piece, (uint32_t)limit, 0) : 0;
		if (count <= 0) return;
		if (port->open) uart_core_receive(&port->core, piece, (size_t)count);
	}
}

static int64_t bits_of(uart_format format)
{
	return format == UART_8E1 || format == UART_8N2 ? 11 : 10;
}

static int threshold_of(uart_format format)
{
	return format == UART_7E1 ? CALL_SEVEN : CALL_EIGHT;
}

static void notice(uart_port *port, const uart_event_t *event)
{
	if (event && event->type == UART_DATA) port->may_hold = true;
	if (!event) uart_core_silence(&port->core);
	else if (event->type == UART_DATA && event->timeout_flag) uart_core_silence(&port->core);
	else if (event->type == UART_FRAME_ERR || event->type == UART_PARITY_ERR || event->type == UART_BREAK)
		uart_core_damage(&port->core);
	else if (event->type == UART_FIFO_OVF) uart_core_lose(&port->core);
}

static void feed(uart_port *port)
{
	const uint8_t *piece;
	size_t size;
	while ((size = uart_core_next(&port->core, &piece)) > 0) {
		int count = uart_tx_chars(port->uart, (const char *)piece, (uint32_t)size);
		if (count <= 0) break;
		int64_t now_us = esp_timer_get_time();
		if (port->quiet_at_us < now_us) port->quiet_at_us = now_us;
		port->quiet_at_us += count * bits_of(port->core.format) * 1000000 / port->baud;
		uart_core_sent(&port->core, (size_t)count);
	}
	if (uart_core_drains(&port->core) && esp_timer_get_time() >= port->quiet_at_us
		&& uart_wait_tx_done(port->uart, 0) == ESP_OK)
		uart_core_drained(&port->core);
}

/*
 * Empties the UART's buffer after a silence. The interrupt for a silence is lost if it becomes due while the interrupt
 * handler runs, as in Espressif's emulator. Without this function the end of a telegram would then wait for the next
 * telegram.
 */
static void empty(uart_port *port)
{
	if (!port->may_hold) return;
	port->may_hold = false;
	uart_set_rx_full_threshold(port->uart, 1);
	uart_set_rx_full_threshold(port->uart, threshold_of(port->core.format));
}

/* `event` is NULL after a time-out. Returns true if the owner's thread must be notified. */
static bool step(uart_port *port, const uart_event_t *event)
{
	bool post = false;
	pthread_mutex_lock(&port->lock);
	collect(port);
	if (port->open) {
		notice(port, event);
		if (!event) empty(port);
		feed(port);
		post = uart_core_post(&port->core);
	}
	pthread_mutex_unlock(&port->lock);
	return post;
}

static TickType_t task_timeout(uart_port *port)
{
	int64_t wait_ms = -1;
	pthread_mutex_lock(&port->lock);
	if (port->open && port->core.sending > 0) {
		wait_ms = FEED_CHARACTERS * bits_of(port->core.format) * 1000 / port->baud;
		if (wait_ms > FEED_MS_MAX) wait_ms = FEED_MS_MAX;
	} else if (port->open && uart_core_drains(&port->core)) {
		wait_ms = (port->quiet_at_us - esp_timer_get_time()) / 1000;
		if (wait_ms < 0) wait_ms = 0;
	}
	if (port->open && (port->core.unreported > 0 || port->may_hold) && (wait_ms < 0 || wait_ms > SILENCE_MS)) wait_ms = SILENCE_MS;
	pthread_mutex_unlock(&port->lock);
	return wait_ms < 0 ? portMAX_DELAY : pdMS_TO_TICKS((TickType_t)wait_ms) + 1;
}

static void run(void *context)
{
	uart_port *port = context;
	for (;;) {
		uart_event_t event;
		bool came = xQueueReceive(port->events, &event, task_timeout(port)) == pdTRUE;
		if (step(port, came ? &event : NULL)) port->options.notify(port, port->options.machine);
	}
}

/* Wakes the port's task. If the event queue is full, the task is already running or about to run. */
static void wake(uart_port *port)
{
	uart_event_t event = { .type = UART_EVENT_MAX };
	xQueueSend(port->events, &event, 0);
}

/* An unconnected line gets its idle level. An unconnected CTS permits sending. */
static bool set_levels(const uart_port *port)
{
	const uart_options *options = &port->options;
	bool low = options->invert & UART_INVERT_RECEIVE;
	uint32_t inverted = (options->invert & UART_INVERT_TRANSMIT ? UART_SIGNAL_TXD_INV : 0)
		| (low ? UART_SIGNAL_RXD_INV : 0);
	gpio_set_pull_mode((gpio_num_t)options->receive, low ? GPIO_PULLDOWN_ONLY : GPIO_PULLUP_ONLY);
	if (options->cts != UART_NO_PIN) gpio_set_pull_mode((gpio_num_t)options->cts, GPIO_PULLDOWN_ONLY);
	return uart_set_line_inverse(port->uart, inverted) == ESP_OK;
}

static bool start_line(uart_port *port)
{
	uart_config_t line = {
		.baud_rate = FIRST_BAUD,
		.data_bits = UART_DATA_8_BITS,
		.parity = UART_PARITY_DISABLE,
		.stop_bits = UART_STOP_BITS_1,
		.flow_ctrl = port->flow ? UART_HW_FLOWCTRL_CTS_RTS : UART_HW_FLOWCTRL_DISABLE,
		.rx_flow_ctrl_thresh = RTS_AT,
		.source_clk = UART_SCLK_DEFAULT,
	};
	return uart_param_config(port->uart, &line) == ESP_OK && set_levels(port);
}

static bool start_driver(uart_port *port, const uart_options *options)
{
	uart_port_t uart = port->uart;
	if (uart_driver_install(uart, options->ring, 0, DRIVER_EVENTS, &port->events, 0) != ESP_OK) return false;
	/* uart_set_pin pulls the receive line up, so its level is set once more. */
	if (start_line(port)
		&& uart_set_pin(uart, options->transmit, options->receive, options->rts, options->cts) == ESP_OK
		&& set_levels(port)
		&& uart_set_rx_timeout(uart, CALL_SILENCE) == ESP_OK
		&& uart_enable_intr_mask(uart, UART_FRM_ERR_INT_ENA_M | UART_PARITY_ERR_INT_ENA_M) == ESP_OK
		&& xTaskCreate(run, "uart", TASK_STACK, port, TASK_PRIORITY, NULL) == pdPASS)
		return true;
	uart_driver_delete(uart);
	return false;
}

static uart_port *make(const uart_options *options)
{
	uart_port *port = calloc(1, sizeof(uart_port));
	if (!port) return NULL;
	port->uart = (uart_port_t)options->uart;
	port->flow = options->rts != UART_NO_PIN && options->cts != UART_NO_PIN;
	port->baud = FIRST_BAUD;
	port->options = *options;
	if (pthread_mutex_init(&port->lock, NULL) != 0) {
		free(port);
		return NULL;
	}
	if (!start_driver(port, options)) {
		pthread_mutex_destroy(&port->lock);
		free(port);
		return NULL;
	}
	return port;
}

uart_port *uart_port_open(const uart_options *options, char message[UART_MESSAGE_SIZE])
{
	int uart = options->uart;
	if (uart < 0 || uart >= (int)SOC_UART_HP_NUM) {
		snprintf(message, UART_MESSAGE_SIZE, "This chip has no UART %d.", uart);
		return NULL;
	}
	if (!ports[uart]) ports[uart] = make(options);
	uart_port *port = ports[uart];
	if (!port) {
		snprintf(message, UART_MESSAGE_SIZE, "UART %d can't be started: its pins are wrong, or memory is full.", uart);
		return NULL;
	}
	if (port->open) {
		snprintf(message, UART_MESSAGE_SIZE, "UART %d is in use.", uart);
		return NULL;
	}
	pthread_mutex_lock(&port->lock);
	/* This clears what the previous session left in the UART. */
	port->options.invert = options->invert;
	bool started = start_line(port);
	uart_flush_input(port->uart);
	uart_core_open(&port->core);
	port->may_hold = false;
	port->core.format = UART_8N1;
	port->baud = FIRST_BAUD;
	port->quiet_at_us = 0;
	port->options.owner = options->owner;
	port->open = started;
	pthread_mutex_unlock(&port->lock);
	if (!started) {
		snprintf(message, UART_MESSAGE_SIZE, "UART %d can't be started.", uart);
		return NULL;
	}
	/* The driver sets no threshold for a disabled interrupt, so the interrupt is enabled first. */
	uart_enable_rx_intr(port->uart);
	uart_set_rx_full_threshold(port->uart, threshold_of(port->core.format));
	wake(port);
	return port;
}

void *uart_port_owner(const uart_port *port)
{
	return port->open ? port->options.owner : NULL;
}

bool uart_port_configure(uart_port *port, unsigned baud, uart_format format)
{
	if (baud == 0) return false;
	pthread_mutex_lock(&port->lock);
	bool taken = uart_set_baudrate(port->uart, baud) == ESP_OK
		&& uart_set_parity(port->uart, format == UART_8E1 ? UART_PARITY_EVEN : UART_PARITY_DISABLE) == ESP_OK
		&& uart_set_stop_bits(port->uart, format == UART_8N2 ? UART_STOP_BITS_2 : UART_STOP_BITS_1) == ESP_OK
		&& uart_set_rx_full_threshold(port->uart, threshold_of(format)) == ESP_OK;
	if (taken) {
		port->baud = baud;
		port->core.format = format;
	}
	pthread_mutex_unlock(&port->lock);
	return taken;
}

bool uart_port_idle(int uart)
{
	const uart_port *port = ports[uart];
	if (!port) return true;
	bool low = gpio_get_level((gpio_num_t)port->options.receive) == 0;
	return low == ((port->options.invert & UART_INVERT_RECEIVE) != 0);
}

void uart_port_choose(int uart, int transmit, int receive)
{
	uart_port *port = ports[uart];
	if (!port || (port->options.transmit == transmit && port->options.receive == receive)) return;
	pthread_mutex_lock(&port->lock);
	uart_options *options = &port->options;
	gpio_reset_pin((gpio_num_t)options->transmit);
	gpio_reset_pin((gpio_num_t)options->receive);
	options->transmit = transmit;
	options->receive = receive;
	uart_set_pin(port->uart, transmit, receive, options->rts, options->cts);
	set_levels(port);
	pthread_mutex_unlock(&port->lock);
}

void uart_port_invert(int uart, unsigned invert)
{
	uart_port *port = ports[uart];
	if (!port) return;
	pthread_mutex_lock(&port->lock);
	port->options.invert = invert;
	set_levels(port);
	pthread_mutex_unlock(&port->lock);
}

unsigned uart_port_take(uart_port *port, size_t *readable, size_t *writable)
{
	pthread_mutex_lock(&port->lock);
	unsigned happened = uart_core_take(&port->core);
	*readable = port->core.received;
	*writable = uart_core_writable(&port->core);
	pthread_mutex_unlock(&port->lock);
	return happened;
}

size_t uart_port_read(uart_port *port, uint8_t *into, size_t limit)
{
	pthread_mutex_lock(&port->lock);
	bool full = uart_core_room(&port->core) == 0;
	size_t count = uart_core_read(&port->core, into, limit);
	pthread_mutex_unlock(&port->lock);
	if (full && count > 0) wake(port);
	return count;
}

bool uart_port_write(uart_port *port, const uint8_t *bytes, size_t count, size_t *writable)
{
	pthread_mutex_lock(&port->lock);
	bool taken = uart_core_write(&port->core, bytes, count);
	*writable = uart_core_writable(&port->core);
	pthread_mutex_unlock(&port->lock);
	if (taken && count > 0) wake(port);
	return taken;
}

void uart_port_close(uart_port *port)
{
	uart_disable_rx_intr(port->uart);
	pthread_mutex_lock(&port->lock);
	port->open = false;
	uart_core_close(&port->core);
	pthread_mutex_unlock(&port->lock);
}
