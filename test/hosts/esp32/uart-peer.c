/*
 * Tests of a serial port (uart-port.c) on a modelled UART (uart-fake/), for uart.test.ts. Exits with 0, or prints the
 * failed line.
 *
 *   uart-peer <case>             one of `cases` below
 *   uart-peer random <seed>      random data both ways, compared with a model of the line
 *   uart-peer threads            the port's task and its user in two threads
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Included, so that the test can run the port's task. */
#include "../../../hosts/esp32/uart-port.c"

#include "../must.h"
#include "uart-fake.h"

/* RING and RADIO_RING: as METER_RING and RADIO_RING of boards.ts. */
enum { UART = 1, MS = 1000, SENT_MAX = 70000, RING = 2048, RADIO_RING = 512 };

static unsigned notified;
static int owner, machine;
/* Events reported since the listener's last read. */
static unsigned told;
static size_t readable, writable;

static void on_notify(uart_port *port, void *context)
{
	MUST(port && context == &machine);
	notified++;
}

static const uart_options PLAIN = {
	.uart = UART, .transmit = 4, .receive = 5, .rts = UART_NO_PIN, .cts = UART_NO_PIN, .ring = RING,
	.notify = on_notify, .machine = &machine, .owner = &owner,
};

/* Runs the task until it would sleep; returns true if it did anything. */
static bool turn(uart_port *port)
{
	uart_event_t event;
	bool came = false;
	while (xQueueReceive(port->events, &event, 0) == pdTRUE) {
		came = true;
		if (step(port, &event)) port->options.notify(port, port->options.machine);
	}
	return came;
}

static void deliver(uart_port *port)
{
	MUST(notified <= 1);
	if (notified == 0) return;
	notified = 0;
	unsigned happened = uart_port_take(port, &readable, &writable);
	MUST(!(happened & UART_READABLE) || readable > 0);
	told |= happened;
}

/* Advances time by milliseconds; the task wakes as scheduled. */
static void pass(uart_port *port, unsigned ms)
{
	static TickType_t left = 0;
	for (unsigned i = 0; i < ms; i++) {
		fake_pass(MS);
		if (turn(port) || left == 0) left = task_timeout(port);
		if (left != portMAX_DELAY && --left == 0) {
			if (step(port, NULL)) on_notify(port, &machine);
		}
		deliver(port);
	}
}

static unsigned take_told(void)
{
	unsigned all = told;
	told = 0;
	return all;
}

static uart_port *open_with(const uart_options *options)
{
	char message[UART_MESSAGE_SIZE] = "";
	uart_port *port = uart_port_open(options, message);
	if (!port) fprintf(stderr, "%s\n", message);
	MUST(port);
	MUST(notified == 0);
	turn(port);
	deliver(port);
	MUST(take_told() == UART_WRITABLE && writable == UART_SEND_LIMIT && readable == 0);
	return port;
}

static void hear(const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) MUST(fake_hear(UART, bytes[i], true));
}

static uint8_t even(uint8_t character)
{
	unsigned ones = 0;
	for (unsigned bit = 0; bit < 7; bit++) ones += character >> bit & 1;
	return (uint8_t)(character | (ones % 2) << 7);
}

static void opens(void)
{
	static const int bad[] = { -1, SOC_UART_HP_NUM, 99 };
	char message[UART_MESSAGE_SIZE] = "";
	uart_options options = PLAIN;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		options.uart = bad[i];
		MUST(!uart_port_open(&options, message) && strstr(message, "This chip has no UART"));
	}
	options = PLAIN;
	options.invert = UART_INVERT_RECEIVE;
	uart_port *port = open_with(&options);
	MUST(fake_inverse(UART) == UART_SIGNAL_RXD_INV && fake_pull(5) == GPIO_PULLDOWN_ONLY);
	MUST(uart_port_owner(port) == &owner);
	MUST(!uart_port_open(&PLAIN, message) && strcmp(message, "UART 1 is in use.") == 0);
	uart_port_close(port);
	MUST(!uart_port_owner(port));
	options.invert = UART_INVERT_TRANSMIT;
	MUST(open_with(&options) == port && fake_inverse(UART) == UART_SIGNAL_TXD_INV && fake_pull(5) == GPIO_PULLUP_ONLY);
	uart_port_invert(UART, UART_INVERT_RECEIVE);
	MUST(fake_inverse(UART) == UART_SIGNAL_RXD_INV && fake_pull(5) == GPIO_PULLDOWN_ONLY);
	MUST(uart_port_idle(UART));
	fake_level = 1;
	MUST(!uart_port_idle(UART) && uart_port_idle(0));
	uart_port_invert(UART, 0);
	MUST(uart_port_idle(UART));
	fake_level = -1;
	MUST(fake_inverse(UART) == 0 && fake_pull(5) == GPIO_PULLUP_ONLY);
	uart_port_invert(UART, UART_INVERT_RECEIVE);
	uart_port_choose(UART, 3, 7);
	MUST(fake_transmit == 3 && fake_receive == 7);
	MUST(fake_pull(5) == GPIO_PULLUP_ONLY && fake_pull(7) == GPIO_PULLDOWN_ONLY);
	uart_port_choose(0, 3, 7);
	/* A UART that was never opened gets its levels when it is. */
	uart_port_invert(0, UART_INVERT_RECEIVE);
	MUST(!uart_port_configure(port, 0, UART_7E1) && !uart_port_configure(port, 90000000, UART_7E1));
	options = PLAIN;
	options.uart = 2;
	MUST(open_with(&options) != port && fake_pull(5) == GPIO_PULLUP_ONLY);
}

/* Whichever driver call fails, nothing is left behind, and the next attempt starts afresh. */
static void fails_well(void)
{
	char message[UART_MESSAGE_SIZE] = "";
	int at = 1;
	for (;; at++) {
		fake_fails_at = at;
		if (uart_port_open(&PLAIN, message)) break;
		MUST(strncmp(message, "UART 1 can't be started", 23) == 0);
		MUST(at > 7 || !fake_installed(UART));
	}
	/* A successful opening makes at least 7 calls that can fail. */
	MUST(at >= 8);
}

static void parity(void)
{
	uint8_t bytes[256], sent[256];
	uart_port *port = open_with(&PLAIN);
	MUST(uart_port_configure(port, 9600, UART_7E1) && fake_baud(UART) == 9600);
	for (unsigned i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
	for (unsigned i = 0; i < 256; i++) MUST(fake_hear(UART, (uint8_t)i, true));
	turn(port);
	deliver(port);
	MUST(take_told() == (UART_READABLE | UART_DAMAGED) && readable == 256);
	MUST(uart_port_read(port, bytes, sizeof(bytes)) == 256);
	for (unsigned i = 0; i < 256; i++) MUST(bytes[i] == (even(i & 127) == i ? (i & 127) : (i | 128)));
	/* Bit 7 of written bytes is ignored. */
	for (unsigned i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
	size_t room;
	MUST(uart_port_write(port, bytes, 256, &room) && room == UART_SEND_LIMIT - 256);
	pass(port, 300);
	MUST(fake_sent(UART, sent, sizeof(sent)) == 256);
	for (unsigned i = 0; i < 256; i++) MUST(sent[i] == even(i & 127));
	MUST(take_told() == (UART_WRITABLE | UART_DRAINED) && writable == UART_SEND_LIMIT);
	/* In 8N1, bytes pass unchanged. */
	MUST(uart_port_configure(port, 9600, UART_8N1));
	for (unsigned i = 0; i < 256; i++) MUST(fake_hear(UART, (uint8_t)i, i % 2 == 0));
	fake_silence(UART);
	turn(port);
	deliver(port);
	MUST(take_told() == UART_READABLE && uart_port_read(port, sent, 256) == 256 && memcmp(sent, bytes, 256) == 0);
}

/* In 8E1 the UART makes and checks the ninth bit; the port passes bytes unchanged, and a character takes 11 bits. */
static void even_parity(void)
{
	uint8_t bytes[256], into[256];
	uart_port *port = open_with(&PLAIN);
	MUST(fake_parity(UART) == UART_PARITY_DISABLE);
	MUST(uart_port_configure(port, 2400, UART_8E1) && fake_parity(UART) == UART_PARITY_EVEN);
	for (unsigned i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
	for (unsigned i = 0; i < 256; i++) MUST(fake_hear(UART, (uint8_t)i, true));
	fake_silence(UART);
	turn(port);
	deliver(port);
	MUST(take_told() == UART_READABLE && uart_port_read(port, into, 256) == 256 && memcmp(into, bytes, 256) == 0);
	MUST(fake_hear_wrong_parity(UART, 0x68));
	fake_silence(UART);
	turn(port);
	pass(port, 10);
	MUST(take_told() == (UART_READABLE | UART_DAMAGED) && uart_port_read(port, into, 256) == 1 && into[0] == 0x68);
	/* 24 characters of 11 bits at 2400 Bd are 110 ms. */
	size_t room;
	MUST(uart_port_write(port, bytes + 128, 24, &room));
	pass(port, 105);
	MUST(!(take_told() & UART_DRAINED));
	pass(port, 20);
	MUST(take_told() & UART_DRAINED && fake_sent(UART, into, 256) == 24 && memcmp(into, bytes + 128, 24) == 0);
	MUST(uart_port_configure(port, 9600, UART_8N1) && fake_parity(UART) == UART_PARITY_DISABLE);
	MUST(uart_port_configure(port, 2400, UART_8E1));
	uart_port_close(port);
	MUST(open_with(&PLAIN) == port && fake_parity(UART) == UART_PARITY_DISABLE);
}

/* In 8N2 the UART sends a second stop bit, so that a character takes 11 bits; received bytes pass as in 8N1. */
static void two_stop_bits(void)
{
	uint8_t bytes[24], into[32];
	size_t room;
	uart_port *port = open_with(&PLAIN);
	MUST(fake_stop_bits(UART) == UART_STOP_BITS_1);
	MUST(uart_port_configure(port, 1200, UART_8N2) && fake_stop_bits(UART) == UART_STOP_BITS_2);
	MUST(fake_parity(UART) == UART_PARITY_DISABLE);
	MUST(fake_hear(UART, 0xc0, true) && fake_hear(UART, 0x3f, false));
	fake_silence(UART);
	turn(port);
	deliver(port);
	MUST(take_told() == UART_READABLE && uart_port_read(port, into, 32) == 2 && into[0] == 0xc0 && into[1] == 0x3f);
	/* 24 characters of 11 bits at 1200 Bd are 220 ms. */
	for (unsigned i = 0; i < 24; i++) bytes[i] = (uint8_t)(i + 128);
	MUST(uart_port_write(port, bytes, 24, &room));
	pass(port, 210);
	MUST(!(take_told() & UART_DRAINED));
	pass(port, 30);
	MUST(take_told() & UART_DRAINED && fake_sent(UART, into, 32) == 24 && memcmp(into, bytes, 24) == 0);
	MUST(uart_port_configure(port, 9600, UART_8N1) && fake_stop_bits(UART) == UART_STOP_BITS_1);
}

static void stop_bits(void)
{
	uint8_t into[8];
	uart_port *port = open_with(&PLAIN);
	uart_port_configure(port, 9600, UART_7E1);
	MUST(fake_hear(UART, even('a'), true) && fake_hear(UART, even('b'), false));
	turn(port);
	MUST(fake_hear(UART, even('c'), true));
	pass(port, 10);
	MUST(take_told() == (UART_READABLE | UART_DAMAGED) && readable == 3);
	MUST(uart_port_read(port, into, 8) == 3 && into[0] == 'a' && into[1] == ('b' | 128) && into[2] == 'c');
	/* The error is detected after the character was read, and must be reported. */
	MUST(fake_hear(UART, even('d'), true));
	turn(port);
	MUST(uart_port_read(port, into, 8) == 1);
	uart_event_t event = { .type = UART_BREAK };
	if (step(port, &event)) on_notify(port, &machine);
	deliver(port);
	MUST(take_told() & UART_DAMAGED);
}

/* Slow characters are reported one by one, fast ones together, both soon. */
static void tells(void)
{
	uint8_t into[100];
	uart_port *port = open_with(&PLAIN);
	uart_port_configure(port, 300, UART_7E1);
	for (unsigned i = 0; i < 5; i++) {
		MUST(fake_hear(UART, even('x'), true));
		pass(port, 10);
		MUST(take_told() == UART_READABLE && readable == 1 && uart_port_read(port, into, 100) == 1);
		pass(port, 23);
		MUST(take_told() == 0);
	}
	uart_port_configure(port, 9600, UART_7E1);
	unsigned count = 0;
	for (unsigned i = 0; i < 320; i++) {
		MUST(fake_hear(UART, even('x'), true));
		pass(port, 1);
		if (!(take_told() & UART_READABLE)) continue;
		count++;
		MUST(uart_port_read(port, into, 100) <= UART_REPORT_AT);
	}
	MUST(count == 10);
	pass(port, 10);
	take_told();
	uart_port_configure(port, 115200, UART_8N1);
	hear((const uint8_t *)"\376\1\2", 3);
	fake_silence(UART);
	turn(port);
	deliver(port);
	MUST(take_told() == UART_READABLE && readable == 3);
	/* The bytes are read before the line's silence is detected, so nothing is reported. */
	uart_port_configure(port, 9600, UART_7E1);
	hear((const uint8_t *)"f", 1);
	turn(port);
	MUST(uart_port_read(port, into, 100) == 4);
	pass(port, 20);
	MUST(!(take_told() & UART_READABLE));
	uart_port_configure(port, 115200, UART_8N1);
	/* The bytes are read when the report is already due, so nothing is reported either. */
	hear((const uint8_t *)"abc", 3);
	fake_silence(UART);
	turn(port);
	MUST(uart_port_read(port, into, 100) == 3);
	deliver(port);
	MUST(take_told() == 0);
}

/* The interrupt for the silence after a telegram is lost, so its last characters stay in the UART. */
static void ends(void)
{
	uint8_t into[100];
	uart_port *port = open_with(&PLAIN);
	uart_port_configure(port, 115200, UART_8N1);
	for (size_t length = 32; length < 64; length++) {
		uint8_t telegram[64] = { 0 };
		hear(telegram, length);
		pass(port, 20);
		MUST(take_told() == UART_READABLE && readable == length && uart_port_read(port, into, 100) == length);
		hear(telegram, 31);
		pass(port, 20);
		MUST(take_told() == 0);
		fake_silence(UART);
		pass(port, 20);
		MUST(take_told() == UART_READABLE && uart_port_read(port, into, 100) == 31);
	}
}

/* The port's ring, the driver's ring and the UART fill up before anything is lost. */
static void overruns(void)
{
	static uint8_t into[UART_RECEIVE_LIMIT + RING];
	uart_port *port = open_with(&PLAIN);
	for (unsigned i = 0; i < sizeof(into); i++) {
		MUST(fake_hear(UART, (uint8_t)(i * 7), true));
		if (i % 100 == 0) turn(port);
	}
	pass(port, 10);
	fake_silence(UART);
	pass(port, 10);
	MUST(take_told() == UART_READABLE && readable == UART_RECEIVE_LIMIT);
	for (unsigned i = 0; i < 1000; i++) fake_hear(UART, 1, true);
	pass(port, 10);
	MUST(take_told() == UART_LOST && readable == UART_RECEIVE_LIMIT);
	for (size_t count = 0; count < sizeof(into); pass(port, 1)) {
		size_t some = uart_port_read(port, into + count, sizeof(into) - count);
		MUST(some > 0);
		count += some;
	}
	for (unsigned i = 0; i < sizeof(into); i++) MUST(into[i] == (uint8_t)(i * 7));
	/* At an overflow the UART loses its contents, as the real one may. */
	pass(port, 10);
	while (uart_port_read(port, into, sizeof(into)) > 0) pass(port, 10);
	take_told();
	hear((const uint8_t *)"again", 5);
	fake_silence(UART);
	pass(port, 10);
	MUST(take_told() == UART_READABLE && uart_port_read(port, into, 100) == 5 && memcmp(into, "again", 5) == 0);
}

/* No task runs for 177 ms, while the other end sends continuously at 115200 Bd. */
static void outlasts_an_erase(void)
{
	enum { CHARACTERS = RING };
	static uint8_t into[CHARACTERS + 1];
	uart_port *port = open_with(&PLAIN);
	uart_port_configure(port, 115200, UART_8N1);
	for (unsigned i = 0; i < CHARACTERS; i++) MUST(fake_hear(UART, (uint8_t)(i * 7), true));
	fake_silence(UART);
	size_t count = 0;
	for (unsigned i = 0; i < 20; i++) {
		pass(port, 5);
		count += uart_port_read(port, into + count, sizeof(into) - count);
	}
	MUST(count == CHARACTERS && !(take_told() & UART_LOST));
	for (unsigned i = 0; i < CHARACTERS; i++) MUST(into[i] == (uint8_t)(i * 7));
}

/* With RTS the other end waits, and nothing is lost. */
static void waits(void)
{
	static uint8_t into[UART_RECEIVE_LIMIT];
	uart_options options = PLAIN;
	options.rts = 6;
	options.cts = 7;
	options.ring = RADIO_RING;
	uart_port *port = open_with(&options);
	MUST(fake_pull(7) == GPIO_PULLDOWN_ONLY);
	uart_port_configure(port, 115200, UART_8N1);
	unsigned came = 0, seen = 0;
	while (came < 20000) {
		bool stopped = false;
		for (unsigned i = 0; i < 11 && !stopped && came < 20000; i++) {
			stopped = !fake_hear(UART, (uint8_t)(came * 3), true);
			if (!stopped) came++;
		}
		pass(port, 1);
		if (!stopped) continue;
		MUST(readable == UART_RECEIVE_LIMIT);
		size_t count = uart_port_read(port, into, sizeof(into) - 1);
		MUST(count == sizeof(into) - 1);
		for (size_t i = 0; i < count; i++) MUST(into[i] == (uint8_t)(seen++ * 3));
		turn(port);
		deliver(port);
	}
	fake_silence(UART);
	for (unsigned i = 0; i < 30; i++) {
		pass(port, 10);
		size_t count = uart_port_read(port, into, sizeof(into));
		for (size_t j = 0; j < count; j++) MUST(into[j] == (uint8_t)(seen++ * 3));
		fake_silence(UART);
	}
	MUST(seen == came && !(take_told() & UART_LOST));
}

static void drains(void)
{
	static uint8_t bytes[UART_SEND_LIMIT + 1];
	size_t room;
	uart_port *port = open_with(&PLAIN);
	uart_port_configure(port, 4800, UART_7E1);
	MUST(uart_port_write(port, bytes, 30, &room) && uart_port_write(port, bytes, 30, &room));
	for (unsigned ms = 0; ms < 127; ms++) {
		pass(port, 1);
		MUST(!(told & UART_DRAINED));
	}
	pass(port, 5);
	MUST(take_told() & UART_DRAINED);
	pass(port, 100);
	MUST(take_told() == 0);
	/* A new write comes after the end of the output was detected, but before it was reported. */
	MUST(uart_port_write(port, bytes, 1, &room));
	for (unsigned ms = 0; ms < 10 && notified == 0; ms++) {
		fake_pass(MS);
		turn(port);
		if (step(port, NULL)) on_notify(port, &machine);
	}
	fake_pass(5 * MS);
	step(port, NULL);
	MUST(uart_port_write(port, bytes, 1, &room));
	deliver(port);
	MUST(!(take_told() & UART_DRAINED));
	pass(port, 10);
	MUST(take_told() & UART_DRAINED);
	/* Exactly the free room can be written, and the speed may change in between. */
	MUST(!uart_port_write(port, bytes, UART_SEND_LIMIT + 1, &room) && room == UART_SEND_LIMIT);
	uart_port_configure(port, 115200, UART_7E1);
	MUST(uart_port_write(port, bytes, UART_SEND_LIMIT, &room) && room == 0);
	MUST(!uart_port_write(port, bytes, 1, &room) && uart_port_write(port, bytes, 0, &room));
	pass(port, 100);
	MUST((take_told() & UART_DRAINED) && writable == UART_SEND_LIMIT && fake_quiet(UART));
}

static void closes(void)
{
	uint8_t bytes[200] = { 0 }, sent[300];
	size_t room;
	uart_port *port = open_with(&PLAIN);
	uart_port_configure(port, 300, UART_7E1);
	MUST(uart_port_write(port, bytes, 200, &room));
	hear(bytes, 20);
	turn(port);
	MUST(notified == 1);
	uart_port_close(port);
	deliver(port);
	MUST(take_told() == 0 && readable == 0);
	hear(bytes, 100);
	MUST(fake_waiting(UART) == 0);
	pass(port, 100);
	MUST(notified == 0 && told == 0);
	fake_sent(UART, sent, sizeof(sent));
	/* A pending call for the previous port reaches the next one; the previous input is gone. */
	port = open_with(&PLAIN);
	pass(port, 1000);
	MUST(take_told() == 0 && uart_port_read(port, sent, 1) == 0 && fake_sent(UART, sent, sizeof(sent)) == 0);
	MUST(uart_port_write(port, bytes, 3, &room) && room == UART_SEND_LIMIT - 3);
	pass(port, 20);
	MUST(fake_sent(UART, sent, sizeof(sent)) == 3);
	/* The port is closed and reopened while a call is pending. */
	hear(bytes, 20);
	fake_silence(UART);
	turn(port);
	uart_port_close(port);
	char message[UART_MESSAGE_SIZE];
	MUST(uart_port_open(&PLAIN, message) == port);
	told = 0;
	pass(port, 10);
	MUST(take_told() == UART_WRITABLE && readable == 0);
	/* The port is closed while the driver has unread characters. */
	hear(bytes, 20);
	fake_silence(UART);
	uart_port_close(port);
	MUST(open_with(&PLAIN) == port);
	pass(port, 10);
	MUST(take_told() == 0 && uart_port_read(port, sent, 1) == 0);
}

static uint32_t chance_state;

static uint32_t chance(uint32_t below)
{
	chance_state = chance_state * 1664525u + 1013904223u;
	return (chance_state >> 8) % below;
}

static void talk_by_chance(unsigned seed)
{
	static uint8_t into[UART_RECEIVE_LIMIT], out[SENT_MAX];
	static const unsigned speeds[] = { 300, 2400, 9600, 57600, 115200 };
	chance_state = seed;
	uart_port *port = open_with(&PLAIN);
	uart_port_configure(port, 9600, UART_7E1);
	uint8_t heard_next = 0, read_next = 0, write_next = 0, sent_next = 0;
	size_t pending = 0, unread = 0;
	bool drain_due = false;
	size_t room = UART_SEND_LIMIT;
	for (unsigned round = 0; round < 20000; round++) {
		unsigned what = chance(6);
		if (what == 0 && room > 0) {
			size_t count = chance((uint32_t)room + 1);
			for (size_t i = 0; i < count; i++) out[i] = write_next++ & 127;
			MUST(uart_port_write(port, out, count, &room));
			pending += count;
			if (count > 0) {
				drain_due = true;
				told &= ~(unsigned)UART_DRAINED;
			}
		} else if (what == 1) {
			for (uint32_t i = chance(80); i > 0 && unread < UART_RECEIVE_LIMIT; i--, unread++) {
				MUST(fake_hear(UART, even(heard_next++ & 127), true));
				if (i % 8 == 0) turn(port);
			}
			turn(port);
		} else if (what == 2) {
			size_t count = uart_port_read(port, into, chance(200));
			for (size_t i = 0; i < count; i++) MUST(into[i] == (read_next++ & 127));
			unread -= count;
		} else if (what == 3 && fake_quiet(UART) && pending == 0) {
			MUST(uart_port_configure(port, speeds[chance(5)], UART_7E1));
		} else pass(port, chance(60));
		size_t count = fake_sent(UART, out, sizeof(out));
		for (size_t i = 0; i < count; i++) MUST(out[i] == even(sent_next++ & 127));
		MUST(count <= pending);
		pending -= count;
		MUST(!(told & (UART_DAMAGED | UART_LOST)));
		if (told & UART_DRAINED) {
			MUST(drain_due && pending == 0 && fake_quiet(UART));
			drain_due = false;
		}
		if (told & UART_WRITABLE) room = uart_core_writable(&port->core);
		told = 0;
	}
	pass(port, 40000);
	MUST(!drain_due || (told & UART_DRAINED));
	size_t count = uart_port_read(port, into, sizeof(into));
	for (size_t i = 0; i < count; i++) MUST(into[i] == (read_next++ & 127));
	MUST(count == unread && read_next == heard_next);
}

static atomic_uint calls;

static void on_call(uart_port *port, void *context)
{
	(void)port;
	(void)context;
	MUST(atomic_fetch_add(&calls, 1) == 0);
}

static void threads(void)
{
	static uint8_t bytes[UART_SEND_LIMIT], into[UART_RECEIVE_LIMIT];
	char message[UART_MESSAGE_SIZE];
	uart_options options = PLAIN;
	options.notify = on_call;
	fake_threads = true;
	for (unsigned round = 0; round < 20; round++) {
		uart_port *port = uart_port_open(&options, message);
		MUST(port && uart_port_configure(port, 115200, round % 2 == 0 ? UART_7E1 : UART_8N1));
		size_t room = 0, got = 0, put = 0, left = 0;
		bool drained = false, written = false;
		for (unsigned spins = 0; got < 300 || !drained || left < 250; spins++) {
			MUST(spins < 20000);
			if (put < 300) fake_hear(UART, even(put++ & 127), true);
			else fake_silence(UART);
			if (atomic_load(&calls) > 0) {
				atomic_store(&calls, 0);
				unsigned happened = uart_port_take(port, &readable, &room);
				MUST(!(happened & (UART_LOST | UART_DAMAGED)));
				if (happened & UART_DRAINED) drained = true;
				if (happened & UART_WRITABLE && !written) {
					MUST(uart_port_write(port, bytes, 250, &room));
					written = true;
				}
			}
			got += uart_port_read(port, into, sizeof(into));
			left += fake_sent(UART, into, sizeof(into));
			usleep(200);
		}
		MUST(got == 300 && left == 250);
		uart_port_close(port);
		usleep(1000);
		/* A call for the previous port may still come. */
		if (atomic_exchange(&calls, 0) > 0) MUST(uart_port_take(port, &readable, &room) == 0);
	}
}

static const test_case cases[] = {
	{ "opens", opens }, { "fails", fails_well }, { "parity", parity }, { "even-parity", even_parity },
	{ "two-stop-bits", two_stop_bits }, { "stop-bits", stop_bits }, { "tells", tells }, { "ends", ends },
	{ "overruns", overruns }, { "erase", outlasts_an_erase }, { "waits", waits }, { "drains", drains },
	{ "closes", closes }, { "threads", threads }, { NULL, NULL },
};

int main(int count, char **arguments)
{
	MUST(count >= 2);
	if (strcmp(arguments[1], "random") == 0) talk_by_chance((unsigned)strtoul(arguments[2], NULL, 10));
	else run_case(arguments[1], cases);
	MUST(fake_mistakes == 0);
	return 0;
}
