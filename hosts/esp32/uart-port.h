/*
 * A UART of the chip, with ESP-IDF's driver and a small task on its event queue. One other thread owns the port; its
 * calls wait for at most one step of the task, about 100 us.
 *
 * A port with its task and buffers (about 8.5 KB) is created when first opened and then kept. With RTS and CTS the peer
 * keeps bytes that do not fit; otherwise the newest are lost and counted. 7E1: one interrupt per character, so that a
 * missing stop bit certainly belongs to the newest one. 8N1: one interrupt per 32 characters or after a silence of two;
 * missing stop bits are not reported.
 */
#ifndef UART_PORT_H
#define UART_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uart-core.h"

enum { UART_NO_PIN = -1, UART_MESSAGE_SIZE = 80 };
/* An inverted line is low when idle. */
enum { UART_INVERT_TRANSMIT = 1, UART_INVERT_RECEIVE = 2 };

typedef struct uart_port uart_port;

typedef struct {
	/* UART and GPIO numbers; rts and cts may be UART_NO_PIN. */
	int uart, transmit, receive, rts, cts;
	unsigned invert;
	/* Called in the port's task, and not again before uart_port_take. */
	void (*notify)(uart_port *port, void *machine);
	void *machine;
	void *owner;
} uart_options;

/* NULL on failure, with `message` for the user. The line is at 9600 Bd, 8N1. */
uart_port *uart_port_open(const uart_options *options, char message[UART_MESSAGE_SIZE]);
void *uart_port_owner(const uart_port *port);
/* Takes effect at once. False if the UART refuses. */
bool uart_port_configure(uart_port *port, unsigned baud, uart_format format);
unsigned uart_port_take(uart_port *port, size_t *readable, size_t *writable);
size_t uart_port_read(uart_port *port, uint8_t *into, size_t limit);
/* Writes all bytes, or none if there is not enough room; returns whether it has written. */
bool uart_port_write(uart_port *port, const uint8_t *bytes, size_t count, size_t *writable);
/* Discards unsent bytes. No callback follows; the port may be opened again at once. */
void uart_port_close(uart_port *port);

#endif
