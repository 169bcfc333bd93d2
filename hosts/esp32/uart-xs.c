/*
 * Each event reaches JavaScript as a separate call `onUART(happened, readable, writable)` of the target that the
 * constructor received.
 */
#include <stdlib.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "machine-post.h"
#include "uart-port.h"
#include "xs-range.h"

typedef struct {
	xsMachine *the;
	xsSlot target;
	/* NULL if closed. */
	uart_port *port;
} uart_binding;

/* Delivers the events to the present listener, because the port outlives its listeners. */
static void deliver(void *context)
{
	uart_port *port = context;
	size_t readable, writable;
	unsigned happened = uart_port_take(port, &readable, &writable);
	uart_binding *binding = uart_port_owner(port);
	if (!binding || happened == 0) return;
	xsBeginHost(binding->the);
	xsmcVars(3);
	xsmcSetInteger(xsVar(0), (xsIntegerValue)happened);
	xsmcSetInteger(xsVar(1), (xsIntegerValue)readable);
	xsmcSetInteger(xsVar(2), (xsIntegerValue)writable);
	xsCall3(binding->target, xsID_onUART, xsVar(0), xsVar(1), xsVar(2));
	xsEndHost(binding->the);
}

/* Posts a delivery. Runs in the port's task. */
static void notify(uart_port *port, void *machine)
{
	machine_post(machine, deliver, port);
}

void xs_uart_destructor(void *data)
{
	uart_binding *binding = data;
	if (!binding) return;
	if (binding->port) uart_port_close(binding->port);
	free(binding);
}

/* Arguments: target, uart, transmit, receive, rts, cts, invert, ring. */
void xs_uart(xsMachine *the)
{
	char message[UART_MESSAGE_SIZE];
	uart_options options = {
		.uart = (int)xsmcToInteger(xsArg(1)),
		.transmit = (int)xsmcToInteger(xsArg(2)),
		.receive = (int)xsmcToInteger(xsArg(3)),
		.rts = (int)xsmcToInteger(xsArg(4)),
		.cts = (int)xsmcToInteger(xsArg(5)),
		.invert = (unsigned)xsmcToInteger(xsArg(6)),
		.ring = (int)xsmcToInteger(xsArg(7)),
		.notify = notify,
		.machine = the,
	};
	uart_binding *binding = options.owner = calloc(1, sizeof(uart_binding));
	if (!binding) xsUnknownError("out of memory");
	binding->the = the;
	binding->port = uart_port_open(&options, message);
	if (!binding->port) {
		free(binding);
		xsUnknownError("%s", message);
	}
	binding->target = xsArg(0);
	xsRemember(binding->target);
	xsmcSetHostData(xsThis, binding);
}

static uart_binding *binding_of(xsMachine *the)
{
	return xsmcGetHostData(xsThis);
}

/* Argument: uart. Returns true if the receive line has its idle level. */
void xs_uart_is_idle(xsMachine *the)
{
	xsmcSetBoolean(xsResult, uart_port_idle((int)xsmcToInteger(xsArg(0))));
}

/* Arguments: uart, transmit, receive. */
void xs_uart_choose(xsMachine *the)
{
	uart_port_choose((int)xsmcToInteger(xsArg(0)), (int)xsmcToInteger(xsArg(1)), (int)xsmcToInteger(xsArg(2)));
}

/* Arguments: uart, invert. */
void xs_uart_invert(xsMachine *the)
{
	uart_port_invert((int)xsmcToInteger(xsArg(0)), (unsigned)xsmcToInteger(xsArg(1)));
}

void xs_uart_configure(xsMachine *the)
{
	uart_binding *binding = binding_of(the);
	xsIntegerValue baud = xsmcToInteger(xsArg(0));
	xsIntegerValue format = xsmcToInteger(xsArg(1));
	bool known = format >= UART_7E1 && format <= UART_8N2;
	bool taken = binding->port && known && baud > 0
		&& uart_port_configure(binding->port, (unsigned)baud, (uart_format)format);
	xsmcSetBoolean(xsResult, taken);
}

void xs_uart_read(xsMachine *the)
{
	uart_binding *binding = binding_of(the);
	size_t limit;
	uint8_t *into = xs_range(the, 0, true, &limit);
	xsmcSetInteger(xsResult, binding->port ? (xsIntegerValue)uart_port_read(binding->port, into, limit) : 0);
}

void xs_uart_write(xsMachine *the)
{
	uart_binding *binding = binding_of(the);
	size_t count, writable = 0;
	const uint8_t *bytes = xs_range(the, 0, false, &count);
	if (binding->port && !uart_port_write(binding->port, bytes, count, &writable)) xsRangeError("more than may be written");
	xsmcSetInteger(xsResult, (xsIntegerValue)writable);
}

void xs_uart_close(xsMachine *the)
{
	uart_binding *binding = binding_of(the);
	if (!binding->port) return;
	uart_port_close(binding->port);
	binding->port = NULL;
	xsForget(binding->target);
}
