/*
 * State between the chip's UART and JavaScript: two ring buffers, the parity of 7E1, and pending events.
 *
 * A 7E1 character equals an 8N1 character with the parity of the other bits in bit 7. For 7E1 the UART runs at 8N1,
 * with the parity in software, because the UART's own parity check does not show which byte was wrong. Received bytes
 * up to 0x7f are good; bytes from 0x80 on are damaged. In the other formats bytes pass unchanged; for 8E1 the UART only
 * reports that some byte was damaged.
 *
 * Limits: UART_RECEIVE_LIMIT unread bytes and UART_SEND_LIMIT unsent bytes. Further received bytes are lost, so the
 * caller checks uart_core_room first.
 */
#ifndef UART_CORE_H
#define UART_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * These rings only pass bytes on: received bytes that JavaScript has not read yet wait in the ring of ESP-IDF's driver,
 * and JavaScript sends more when there is room. When UART_REPORT_AT bytes were received, they are reported without waiting for more.
 */
enum { UART_RECEIVE_LIMIT = 256, UART_SEND_LIMIT = 256, UART_REPORT_AT = 32 };

/* Pending events; serial.ts has the same numbers. */
enum { UART_READABLE = 1, UART_WRITABLE = 2, UART_DRAINED = 4, UART_DAMAGED = 8, UART_LOST = 16 };

/* Formats of the line, as the host contract numbers them (modules/io/host.ts). */
typedef enum { UART_7E1, UART_8N1, UART_8E1, UART_8N2 } uart_format;

typedef struct {
	uart_format format;
	/* True while written bytes may not have left the UART. */
	bool draining;
	/* True while the owner's thread was notified and has not called uart_core_take yet. */
	bool posted;
	unsigned happened;
	size_t unreported;
	size_t receive_from, received;
	size_t send_from, sending;
	uint8_t receive[UART_RECEIVE_LIMIT], send[UART_SEND_LIMIT];
} uart_core;

/* Opens the port. The first event reports room for writing. */
void uart_core_open(uart_core *core);
/* Closes the port. No event follows. */
void uart_core_close(uart_core *core);

size_t uart_core_room(const uart_core *core);
void uart_core_receive(uart_core *core, const uint8_t *bytes, size_t count);
/* Marks the newest character as damaged: it had no stop bit or a wrong parity bit. */
void uart_core_damage(uart_core *core);
void uart_core_lose(uart_core *core);
void uart_core_silence(uart_core *core);

/*
 * Sets *piece to the next contiguous bytes to send and returns their number. Afterwards uart_core_sent records how many
 * bytes the line accepted.
 */
size_t uart_core_next(const uart_core *core, const uint8_t **piece);
void uart_core_sent(uart_core *core, size_t count);
/*
 * Returns true if all bytes were passed to the line. In this case UART_DRAINED must be reported when they have left the
 * line.
 */
bool uart_core_drains(const uart_core *core);
void uart_core_drained(uart_core *core);

/* All functions from here on are called by the owner. */
size_t uart_core_read(uart_core *core, uint8_t *into, size_t limit);
/* Writes all bytes and returns true, or writes none and returns false if there is not enough room. */
bool uart_core_write(uart_core *core, const uint8_t *bytes, size_t count);
size_t uart_core_writable(const uart_core *core);

/* Returns true if the owner's thread must be notified. */
bool uart_core_post(uart_core *core);
unsigned uart_core_take(uart_core *core);

#endif
