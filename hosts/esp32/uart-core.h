/*
 * State of a serial port between the chip's UART and JavaScript: two rings, the parity of 7E1, and the pending events.
 * Plain C without time, tasks or locks; uart-port.c adds those.
 *
 * On the wire a 7E1 character equals an 8N1 character whose bit 7 is the parity of the others. So the UART runs at 8N1 for
 * it, and parity is made and checked here: the UART's own check cannot tell which byte was wrong. Received bytes: 0x00
 * to 0x7f are good, 0x80 and above damaged. With 8N1 and 8E1, whose parity is the UART's, bytes pass unchanged; in 8E1 it
 * is told that one of them was damaged.
 *
 * Limits: UART_RECEIVE_LIMIT unread bytes; newer ones are lost, so the caller checks uart_core_room before it hands
 * bytes over. UART_SEND_LIMIT bytes wait to be sent.
 */
#ifndef UART_CORE_H
#define UART_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* UART_TELL_AT: number of bytes that are reported without waiting for more. */
enum { UART_RECEIVE_LIMIT = 1024, UART_SEND_LIMIT = 1024, UART_TELL_AT = 32 };

/* Pending events; serial.ts has the same numbers. */
enum { UART_READABLE = 1, UART_WRITABLE = 2, UART_DRAINED = 4, UART_DAMAGED = 8, UART_LOST = 16 };

/* Formats of the line, as the host contract numbers them (modules/io/host.ts). */
typedef enum { UART_7E1, UART_8N1, UART_8E1 } uart_format;

typedef struct {
	uart_format format;
	/* Bytes were written that are not known to have left. */
	bool draining;
	/* The owner's thread was called, and has not come to uart_core_take yet. */
	bool posted;
	unsigned happened;
	/* Received bytes that were not reported yet. */
	size_t untold;
	size_t receive_from, received;
	size_t send_from, sending;
	uint8_t receive[UART_RECEIVE_LIMIT], send[UART_SEND_LIMIT];
} uart_core;

/* Empties the port for a new listener. Its first event reports room for writing. */
void uart_core_open(uart_core *core);
/* Empty, and nothing happens any more. */
void uart_core_close(uart_core *core);

/* Room for bytes from the line. */
size_t uart_core_room(const uart_core *core);
void uart_core_receive(uart_core *core, const uint8_t *bytes, size_t count);
/* The newest character had no stop bit, or the wrong parity bit. */
void uart_core_damage(uart_core *core);
/* Characters were lost on the way. */
void uart_core_lose(uart_core *core);
/* The line is silent: waiting bytes are reported. */
void uart_core_silence(uart_core *core);

/* The next contiguous piece to send, and the number of bytes that the line accepted. */
size_t uart_core_next(const uart_core *core, const uint8_t **piece);
void uart_core_sent(uart_core *core, size_t count);
/* Everything was handed over; its transmission is reported when it is complete. */
bool uart_core_drains(const uart_core *core);
void uart_core_drained(uart_core *core);

/* For the owner. */
size_t uart_core_read(uart_core *core, uint8_t *into, size_t limit);
/* False, and nothing happens, when that is more than there is room for. */
bool uart_core_write(uart_core *core, const uint8_t *bytes, size_t count);
size_t uart_core_writable(const uart_core *core);

/* True: call the owner's thread, once; there it takes what has happened. */
bool uart_core_post(uart_core *core);
unsigned uart_core_take(uart_core *core);

#endif
