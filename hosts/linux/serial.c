/*
 * A serial port of Linux as a class of XS (serial.ts). It is a real port, a pseudo-terminal, or a TCP connection to a
 * remote port. The code runs in the machine's thread, called by the GLib main loop. Each event is a call
 * `onSerial(kind, count)` of the target that the constructor received.
 *
 * With 7E1 the kernel puts FF 00 before a damaged character (termios PARMRK); the character then becomes a byte of 0x80
 * or more. "Drained" means that the kernel's queue is empty and that enough time has passed to send the characters at
 * the line's speed. An empty queue alone is not enough, because the kernel does not know the buffer of a USB converter,
 * and a pseudo-terminal has no speed. Limits: RECEIVE_LIMIT unread bytes and SEND_LIMIT unsent bytes. If more bytes are
 * received, the newest are lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "xs-range.h"

enum { RECEIVE_LIMIT = 4096, SEND_LIMIT = 1024, READ_PIECE = 512, POLL_MS = 5 };
/* HOST_SIZE: size of a host name. CONNECT_MS: longest time that the machine waits for a TCP connection. */
enum { HOST_SIZE = 256, CONNECT_MS = 1000 };
enum { FORMAT_7E1, FORMAT_8N1, FORMAT_8E1, FORMAT_8N2 };
/* Kinds of events. The count of EVENT_ERROR is SERIAL_ERROR_… of the host contract. */
enum { EVENT_READABLE = 1, EVENT_WRITABLE, EVENT_DRAINED, EVENT_ERROR };
enum { ERROR_GONE = 1, ERROR_OVERRUN, ERROR_CHARACTER };

typedef struct {
	xsMachine *the;
	xsSlot target;
	int descriptor;
	guint readable, later;
	gint64 quiet_at_us;
	unsigned baud, bits_per_character;
	bool is_socket, marks;
	/* Number of received bytes of an incomplete mark (FF 00). */
	unsigned mark;
	/* True if room for writing, or the end of sending, must still be reported. */
	bool room_wanted, drain_wanted;
	/*
	 * `remembered` is true while the target is a root of the machine's garbage collection, from construction to close.
	 * `failed` is true if the port has failed.
	 */
	bool remembered, failed;
	size_t received, sending;
	uint8_t receive[RECEIVE_LIMIT], send[SEND_LIMIT];
} port;

static void report(port *self, int kind, size_t count)
{
	if (!self->remembered) return;
	xsMachine *the = self->the;
	xsBeginHost(the);
	xsmcVars(2);
	xsmcSetInteger(xsVar(0), kind);
	xsmcSetInteger(xsVar(1), (xsIntegerValue)count);
	xsCall2(self->target, xsID_onSerial, xsVar(0), xsVar(1));
	xsEndHost(the);
}

static void shut(port *self)
{
	if (self->readable) g_source_remove(self->readable);
	if (self->later) g_source_remove(self->later);
	self->readable = self->later = 0;
	if (self->descriptor >= 0) close(self->descriptor);
	self->descriptor = -1;
}

static void fail(port *self)
{
	if (self->failed) return;
	self->failed = true;
	shut(self);
	report(self, EVENT_ERROR, ERROR_GONE);
}

void xs_serial_destructor(void *data)
{
	if (!data) return;
	shut(data);
	free(data);
}

static speed_t speed_of(unsigned baud)
{
	static const struct {
		unsigned baud;
		speed_t speed;
	} speeds[] = {
		{300, B300}, {600, B600}, {1200, B1200}, {2400, B2400}, {4800, B4800}, {9600, B9600},
		{19200, B19200}, {38400, B38400}, {57600, B57600}, {115200, B115200},
	};
	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
		if (speeds[i].baud == baud) return speeds[i].speed;
	return B0;
}

/*
 * Sets speed and format. Returns false if the port refuses, as pseudo-terminals and some adapters refuse parity. In 8E1
 * a damaged character is passed on as received, because each telegram has its own check.
 */
static bool set_line(int descriptor, speed_t speed, int format)
{
	bool seven = format == FORMAT_7E1;
	struct termios line;
	if (tcgetattr(descriptor, &line) < 0) return false;
	cfmakeraw(&line);
	line.c_cflag &= ~(tcflag_t)(CSIZE | PARENB | PARODD | CSTOPB | CRTSCTS | HUPCL);
	line.c_cflag |= CREAD | CLOCAL | (seven ? CS7 : CS8) | (seven || format == FORMAT_8E1 ? PARENB : 0)
		| (format == FORMAT_8N2 ? CSTOPB : 0);
	line.c_iflag &= ~(tcflag_t)(INPCK | PARMRK | IGNPAR | ISTRIP);
	if (seven) line.c_iflag |= INPCK | PARMRK;
	line.c_cc[VMIN] = 0;
	line.c_cc[VTIME] = 0;
	cfsetispeed(&line, speed);
	cfsetospeed(&line, speed);
	if (tcsetattr(descriptor, TCSANOW, &line) < 0) return false;
	struct termios real;
	if (tcgetattr(descriptor, &real) < 0) return false;
	return cfgetospeed(&real) == speed && (real.c_cflag & (CSIZE | PARENB)) == (line.c_cflag & (CSIZE | PARENB));
}

/* Stores received bytes without the marks. Counts damaged and lost characters. */
static void store(port *self, const uint8_t *bytes, size_t count, size_t *damaged, size_t *lost)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t byte = bytes[i];
		if (self->marks) {
			if (self->mark == 0 && byte == 0xff) {
				self->mark = 1;
				continue;
			}
			if (self->mark == 1 && byte == 0) {
				self->mark = 2;
				continue;
			}
			if (self->mark == 2) {
				byte |= 0x80;
				++*damaged;
			}
			self->mark = 0;
		}
		if (self->received < RECEIVE_LIMIT) self->receive[self->received++] = byte;
		else ++*lost;
	}
}

/*
 * Each call reads one piece, so that the listener can process it before more bytes arrive. A pseudo-terminal is faster
 * than any UART.
 */
static gboolean on_readable(gint descriptor, GIOCondition condition, gpointer data)
{
	port *self = data;
	uint8_t bytes[READ_PIECE];
	size_t before = self->received, damaged = 0, lost = 0;
	ssize_t count = read(descriptor, bytes, sizeof bytes);
	if (count > 0) store(self, bytes, (size_t)count, &damaged, &lost);
	else if (count < 0 ? errno != EAGAIN && errno != EINTR : self->is_socket || (condition & (G_IO_HUP | G_IO_ERR)) != 0)
		fail(self);
	if (damaged) report(self, EVENT_ERROR, ERROR_CHARACTER);
	if (lost) report(self, EVENT_ERROR, ERROR_OVERRUN);
	if (self->received > before) report(self, EVENT_READABLE, self->received);
	return G_SOURCE_CONTINUE;
}

static void write_pending(port *self)
{
	while (self->sending > 0) {
		ssize_t count = self->is_socket ? send(self->descriptor, self->send, self->sending, MSG_NOSIGNAL)
										: write(self->descriptor, self->send, self->sending);
		if (count < 0 && errno == EINTR) continue;
		if (count < 0 && errno != EAGAIN) {
			fail(self);
			return;
		}
		if (count <= 0) break;
		self->sending -= (size_t)count;
		memmove(self->send, self->send + count, self->sending);
		self->room_wanted = true;
	}
}

/* Reports room for writing and the end of sending. It is scheduled again until both are reported. */
static gboolean report_pending(gpointer data)
{
	port *self = data;
	self->later = 0;
	if (self->sending > 0) {
		write_pending(self);
		if (self->failed) return G_SOURCE_REMOVE;
	}
	if (self->room_wanted) {
		self->room_wanted = false;
		report(self, EVENT_WRITABLE, SEND_LIMIT - self->sending);
		if (self->descriptor < 0) return G_SOURCE_REMOVE;
	}
	if (self->drain_wanted && self->sending == 0) {
		int queued = 0;
		gint64 left_us = self->quiet_at_us - g_get_monotonic_time();
		if (left_us <= 0 && (ioctl(self->descriptor, TIOCOUTQ, &queued) < 0 || queued == 0)) {
			self->drain_wanted = false;
			report(self, EVENT_DRAINED, 0);
		} else if (!self->later) {
			guint wait_ms = left_us > 0 ? (guint)(left_us / 1000 + 1) : POLL_MS;
			self->later = g_timeout_add(wait_ms, report_pending, self);
		}
	} else if (self->sending > 0 && !self->later) self->later = g_timeout_add(POLL_MS, report_pending, self);
	return G_SOURCE_REMOVE;
}

/* Returns the address in the path, or NULL for the path of a device. */
static const char *address_in(const char *path)
{
	static const char scheme[] = "tcp://";
	return strncmp(path, scheme, sizeof scheme - 1) == 0 ? path + sizeof scheme - 1 : NULL;
}

/* Waits for the connection. Returns 0 or the error. */
static int wait_for(int descriptor)
{
	struct pollfd writable = { .fd = descriptor, .events = POLLOUT };
	int failure = 0;
	socklen_t size = sizeof failure;
	if (poll(&writable, 1, CONNECT_MS) != 1) return ETIMEDOUT;
	return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) < 0 ? errno : failure;
}

/* Connects to `HOST:PORT`. Returns a descriptor, or -1 on failure, with the reason in *reason. */
static int open_socket(const char *address, const char **reason)
{
	const struct addrinfo wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	const int yes = 1;
	struct addrinfo *found;
	char host[HOST_SIZE];
	const char *colon = strrchr(address, ':');
	size_t length = colon ? (size_t)(colon - address) : 0;
	if (length == 0 || length >= sizeof host) {
		*reason = "that is not tcp://HOST:PORT";
		return -1;
	}
	memcpy(host, address, length);
	host[length] = 0;
	if (getaddrinfo(host, colon + 1, &wanted, &found) != 0) {
		*reason = "there is no such host";
		return -1;
	}
	int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), failure = 0;
	if (descriptor < 0 || connect(descriptor, found->ai_addr, found->ai_addrlen) < 0) failure = errno;
	freeaddrinfo(found);
	if (failure == EINPROGRESS) failure = wait_for(descriptor);
	if (failure == 0) {
		setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
		return descriptor;
	}
	*reason = strerror(failure);
	if (descriptor >= 0) close(descriptor);
	return -1;
}

/* Opens and locks the port. Returns a descriptor, or -1 on failure, with the reason in *reason. */
static int open_port(const char *path, const char **reason)
{
	if (address_in(path)) return open_socket(address_in(path), reason);
	int descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (descriptor < 0) {
		*reason = errno == EACCES ? "permission denied (is the user in the group dialout?)" : strerror(errno);
		return -1;
	}
	if (flock(descriptor, LOCK_EX | LOCK_NB) < 0) {
		*reason = "another program uses it";
		close(descriptor);
		return -1;
	}
	return descriptor;
}

/* Arguments: target, path, baud, format. */
void xs_serial(xsMachine *the)
{
	const char *reason;
	int descriptor = open_port(xsmcToString(xsArg(1)), &reason);
	if (descriptor < 0) xsUnknownError("The serial port %s can't be opened: %s", xsmcToString(xsArg(1)), reason);
	port *self = calloc(1, sizeof(port));
	if (!self) {
		close(descriptor);
		xsUnknownError("out of memory");
	}
	self->the = the;
	self->descriptor = descriptor;
	self->is_socket = address_in(xsmcToString(xsArg(1))) != NULL;
	self->target = xsArg(0);
	xsRemember(self->target);
	self->remembered = true;
	self->readable = g_unix_fd_add(descriptor, G_IO_IN | G_IO_HUP | G_IO_ERR, on_readable, self);
	self->room_wanted = true;
	self->later = g_timeout_add(0, report_pending, self);
	xsmcSetHostData(xsThis, self);
}

void xs_serial_configure(xsMachine *the)
{
	port *self = xsmcGetHostData(xsThis);
	unsigned baud = (unsigned)xsmcToInteger(xsArg(0));
	int format = xsmcToInteger(xsArg(1));
	speed_t speed = speed_of(baud);
	self->marks = format == FORMAT_7E1;
	self->mark = 0;
	self->baud = baud;
	self->bits_per_character = format == FORMAT_8E1 || format == FORMAT_8N2 ? 11 : 10;
	bool is_taken
		= speed != B0 && (self->is_socket ? format == FORMAT_8N1 || format == FORMAT_8N2 : set_line(self->descriptor, speed, format));
	xsmcSetBoolean(xsResult, self->descriptor >= 0 && is_taken);
}

void xs_serial_read(xsMachine *the)
{
	port *self = xsmcGetHostData(xsThis);
	size_t count;
	uint8_t *into = xs_range(the, 0, true, &count);
	if (count > self->received) count = self->received;
	memcpy(into, self->receive, count);
	self->received -= count;
	memmove(self->receive, self->receive + count, self->received);
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

/* Arguments: bytes, start, end. Returns the room left. The caller must not exceed the announced room. */
void xs_serial_write(xsMachine *the)
{
	port *self = xsmcGetHostData(xsThis);
	size_t count;
	const uint8_t *bytes = xs_range(the, 0, false, &count);
	if (self->descriptor < 0) count = 0;
	if (count > SEND_LIMIT - self->sending) xsRangeError("more than may be written");
	memcpy(self->send + self->sending, bytes, count);
	self->sending += count;
	if (count > 0) {
		gint64 now_us = g_get_monotonic_time();
		if (self->quiet_at_us < now_us) self->quiet_at_us = now_us;
		self->quiet_at_us += (gint64)count * self->bits_per_character * 1000000 / (self->baud ? self->baud : 300);
		self->drain_wanted = true;
		if (!self->later) self->later = g_timeout_add(0, report_pending, self);
	}
	xsmcSetInteger(xsResult, (xsIntegerValue)(SEND_LIMIT - self->sending));
}

void xs_serial_close(xsMachine *the)
{
	port *self = xsmcGetHostData(xsThis);
	shut(self);
	self->received = self->sending = 0;
	if (self->remembered) xsForget(self->target);
	self->remembered = false;
}

/* Argument: path. Returns true if the port itself supports 7E1. */
void xs_serial_has_parity(xsMachine *the)
{
	const char *reason, *path = xsmcToString(xsArg(0));
	int descriptor = address_in(path) ? -1 : open_port(path, &reason);
	xsmcSetBoolean(xsResult, descriptor >= 0 && set_line(descriptor, B300, FORMAT_7E1));
	if (descriptor >= 0) close(descriptor);
}
