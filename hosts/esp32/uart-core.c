#include "uart-core.h"

#include <string.h>

static bool has_even_parity(uint8_t byte)
{
	/* Bit n is the parity of the four-bit value n. */
	return ((0x6996u >> ((byte ^ (byte >> 4)) & 15)) & 1) == 0;
}

static void clear(uart_core *core)
{
	core->draining = false;
	core->happened = 0;
	core->unreported = core->receive_from = core->received = core->send_from = core->sending = 0;
}

void uart_core_open(uart_core *core)
{
	clear(core);
	core->happened = UART_WRITABLE;
}

void uart_core_close(uart_core *core)
{
	clear(core);
}

size_t uart_core_room(const uart_core *core)
{
	return UART_RECEIVE_LIMIT - core->received;
}

void uart_core_receive(uart_core *core, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t byte = bytes[i];
		if (core->received == UART_RECEIVE_LIMIT) {
			core->happened |= UART_LOST;
			break;
		}
		if (core->format == UART_7E1 && has_even_parity(byte)) byte &= 0x7f;
		else if (core->format == UART_7E1) {
			byte |= 0x80;
			core->happened |= UART_DAMAGED;
		}
		core->receive[(core->receive_from + core->received++) % UART_RECEIVE_LIMIT] = byte;
		core->unreported++;
	}
	if (core->unreported >= UART_REPORT_AT) uart_core_silence(core);
}

void uart_core_damage(uart_core *core)
{
	if (core->format == UART_8N1 || core->format == UART_8N2) return;
	core->happened |= UART_DAMAGED;
	if (core->format == UART_7E1 && core->received > 0)
		core->receive[(core->receive_from + core->received - 1) % UART_RECEIVE_LIMIT] |= 0x80;
}

void uart_core_lose(uart_core *core)
{
	core->happened |= UART_LOST;
}

void uart_core_silence(uart_core *core)
{
	if (core->unreported > 0) core->happened |= UART_READABLE;
	core->unreported = 0;
}

size_t uart_core_next(const uart_core *core, const uint8_t **piece)
{
	size_t count = UART_SEND_LIMIT - core->send_from;
	*piece = core->send + core->send_from;
	return count < core->sending ? count : core->sending;
}

void uart_core_sent(uart_core *core, size_t count)
{
	if (count == 0 || count > core->sending) return;
	core->send_from = (core->send_from + count) % UART_SEND_LIMIT;
	core->sending -= count;
	core->happened |= UART_WRITABLE;
}

bool uart_core_drains(const uart_core *core)
{
	return core->draining && core->sending == 0;
}

void uart_core_drained(uart_core *core)
{
	if (!uart_core_drains(core)) return;
	core->draining = false;
	core->happened |= UART_DRAINED;
}

size_t uart_core_read(uart_core *core, uint8_t *into, size_t limit)
{
	size_t count = limit < core->received ? limit : core->received;
	size_t first = UART_RECEIVE_LIMIT - core->receive_from;
	if (first > count) first = count;
	if (count == 0) return 0;
	memcpy(into, core->receive + core->receive_from, first);
	memcpy(into + first, core->receive, count - first);
	core->receive_from = (core->receive_from + count) % UART_RECEIVE_LIMIT;
	core->received -= count;
	if (core->unreported > core->received) core->unreported = core->received;
	if (core->received == 0) core->happened &= ~(unsigned)UART_READABLE;
	return count;
}

bool uart_core_write(uart_core *core, const uint8_t *bytes, size_t count)
{
	if (count > uart_core_writable(core)) return false;
	for (size_t i = 0; i < count; i++) {
		uint8_t byte = bytes[i];
		if (core->format == UART_7E1) byte = has_even_parity(byte & 0x7f) ? byte & 0x7f : byte | 0x80;
		core->send[(core->send_from + core->sending++) % UART_SEND_LIMIT] = byte;
	}
	if (count > 0) {
		core->draining = true;
		core->happened &= ~(unsigned)UART_DRAINED;
	}
	return true;
}

size_t uart_core_writable(const uart_core *core)
{
	return UART_SEND_LIMIT - core->sending;
}

bool uart_core_post(uart_core *core)
{
	if (core->posted || core->happened == 0) return false;
	core->posted = true;
	return true;
}

unsigned uart_core_take(uart_core *core)
{
	unsigned happened = core->happened;
	core->posted = false;
	core->happened = 0;
	return happened;
}
