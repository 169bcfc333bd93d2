/*
 * A UART of the chip, with ESP-IDF's driver and a small task that handles the driver's events. Another thread owns the
 * port. A call from the owner waits for at most one step of the task, about 100 us.
 *
 * A port with its task and buffers (about 4.6 KB and the ring) is created when it is first opened, and then kept. With
 * RTS and CTS the peer keeps bytes that do not fit; otherwise the newest bytes are lost and counted. At 7E1 each character causes
 * an interrupt, so that a missing stop bit certainly belongs to the newest character. At 8N1 an interrupt occurs every
 * 32 characters, or after a silence of two characters; missing stop bits are not reported.
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
	/* Numbers of the UART and its GPIOs. rts and cts may be UART_NO_PIN. */
	int uart, transmit, receive, rts, cts;
	unsigned invert;
	/*
	 * Size of the ring buffer of ESP-IDF's driver, more than 128 bytes. While flash is erased, no task runs, but the
	 * driver's interrupt still stores received bytes in this ring. An erase takes 45 ms, and 400 ms at most according
	 * to data sheets.
	 */
	int ring;
	/* Called in the port's task when there are events. It is not called again before uart_port_take. */
	void (*notify)(uart_port *port, void *machine);
	void *machine;
	void *owner;
} uart_options;

/* Returns NULL on failure, with `message` for the user. The opened line has 9600 Bd and 8N1. */
uart_port *uart_port_open(const uart_options *options, char message[UART_MESSAGE_SIZE]);
void *uart_port_owner(const uart_port *port);
/* Takes effect immediately. Returns false if the UART refuses the settings. */
bool uart_port_configure(uart_port *port, unsigned baud, uart_format format);
/* Returns true if the receive line of a UART now has the level of an idle line, or if the UART was never opened. */
bool uart_port_idle(int uart);
/* Changes the GPIOs of a UART, immediately if it was opened. The previous ones become inputs. */
void uart_port_choose(int uart, int transmit, int receive);
/* Changes `invert` of the options of a UART, immediately if it is open. */
void uart_port_invert(int uart, unsigned invert);
unsigned uart_port_take(uart_port *port, size_t *readable, size_t *writable);
size_t uart_port_read(uart_port *port, uint8_t *into, size_t limit);
/* Writes all bytes and returns true, or writes none and returns false if there is not enough room. */
bool uart_port_write(uart_port *port, const uint8_t *bytes, size_t count, size_t *writable);
/* Discards unsent bytes. No callback follows. The port may be opened again immediately. */
void uart_port_close(uart_port *port);

#endif
