/*
 * Uses a UDP port, for datagram.test.ts: returns each datagram to its sender, with a letter before it. Prints
 * "ready <port>", answers each command line with a line, and exits with 0 at the end of its input.
 *
 *   datagram-peer <port> <address | -> <group | ->
 *
 *   count: numbers of datagrams read, and of notifications
 *   hold: ignore notifications      resume: read again, beginning with waiting datagrams
 *   one: read one datagram for each notification      slow: read 50 ms after a notification
 *   send <address> <port> <bytes>      break: shut the socket down; "failed" follows after the notification
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../hosts/native/access-point.h"
#include "../../../hosts/native/datagram.h"
#include "../../../hosts/native/ipv4.h"
#include "bell.h"

enum { ADDRESS_SIZE = 100, DESCRIPTORS = 64, SLOW_US = 50000 };

static datagram_socket *port;
static unsigned received, notified;
static bool is_held, one, slow, failed;

bool access_point_bind(int socket)
{
	return socket >= 0;
}

static void echo(void)
{
	static uint8_t reply[DATAGRAM_LIMIT + 1];
	/* A separate buffer, so that the sanitizer detects a read beyond the end. */
	uint8_t *bytes = malloc(DATAGRAM_LIMIT);
	datagram_peer from;
	int length;
	MUST(bytes);
	if (slow) usleep(SLOW_US);
	while ((length = datagram_read(port, bytes, &from)) >= 0) {
		MUST(length <= DATAGRAM_LIMIT);
		received++;
		reply[0] = 'e';
		memcpy(reply + 1, bytes, (size_t)length);
		size_t size = length < DATAGRAM_LIMIT ? (size_t)length + 1 : DATAGRAM_LIMIT;
		datagram_write(port, reply, size, from);
		if (one) break;
	}
	free(bytes);
	datagram_listen(port);
}

static void hear(void)
{
	hear_ring();
	notified++;
	/* No further notification may arrive before datagram_listen. */
	usleep(1000);
	struct pollfd again = { .fd = bell[0], .events = POLLIN };
	MUST(poll(&again, 1, 0) == 0);
	if (datagram_failed(port)) {
		MUST(!failed);
		failed = true;
		printf("failed\n");
		datagram_listen(port);
	} else if (!is_held) echo();
}

/* Breaks the socket, as when the system takes it away. */
static void break_socket(void)
{
	for (int fd = 3; fd < DESCRIPTORS; fd++) {
		int type = 0;
		socklen_t size = sizeof(type);
		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_DGRAM) continue;
		/* The socket for wake-ups is the connected one. */
		struct sockaddr_storage peer;
		size = sizeof(peer);
		if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0) shutdown(fd, SHUT_RDWR);
	}
}

static void send_pattern(const char *line)
{
	char text[ADDRESS_SIZE];
	unsigned to_port, size;
	static uint8_t bytes[DATAGRAM_LIMIT + 1];
	datagram_peer to;
	MUST(sscanf(line, "send %99s %u %u", text, &to_port, &size) == 3 && size <= sizeof(bytes));
	MUST(ipv4_parse(text, &to.address));
	to.port = (uint16_t)to_port;
	for (unsigned i = 0; i < size; i++) bytes[i] = (uint8_t)i;
	datagram_write(port, bytes, size, to);
	printf("sent\n");
}

static void execute(const char *line)
{
	if (strcmp(line, "count") == 0) {
		printf("%u in %u\n", received, notified);
		return;
	}
	if (strncmp(line, "send ", 5) == 0) {
		send_pattern(line);
		return;
	}
	if (strcmp(line, "hold") == 0) is_held = true;
	else if (strcmp(line, "one") == 0) one = true;
	else if (strcmp(line, "slow") == 0) slow = true;
	else if (strcmp(line, "break") == 0) break_socket();
	else if (strcmp(line, "resume") == 0) {
		is_held = false;
		echo();
	} else MUST(!"a known command");
	printf("%s\n", line);
}

static void check_addresses(void)
{
	static const char *const bad[] = { "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4",
		"1..2.3", "1.2.3.", "0x1.2.3.4", "1.2.3.-4", "1.2.3.1000", "1.2.3.00", "a.b.c.d", "::1" };
	static const char *const good[] = { "0.0.0.0", "255.255.255.255", "192.168.4.1", "10.0.20.100" };
	uint32_t address;
	char text[IPV4_TEXT_SIZE];
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) MUST(!ipv4_parse(bad[i], &address));
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		MUST(ipv4_parse(good[i], &address));
		ipv4_write(address, text);
		MUST(strcmp(text, good[i]) == 0);
	}
}

int main(int count, char **arguments)
{
	char message[DATAGRAM_MESSAGE_SIZE] = "";
	MUST(count == 4);
	MUST(pipe(bell) == 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	check_addresses();
	datagram_options options = { .port = (uint16_t)atoi(arguments[1]), .notify = ring, .context = bell };
	if (strcmp(arguments[2], "-") != 0) MUST(ipv4_parse(arguments[2], &options.address));
	if (strcmp(arguments[3], "-") != 0) MUST(ipv4_parse(arguments[3], &options.group));
	port = datagram_open(&options, message);
	if (!port) {
		printf("%s\n", message);
		return 1;
	}
	printf("ready %u\n", datagram_port(port));
	struct pollfd waits[] = { { .fd = 0, .events = POLLIN }, { .fd = bell[0], .events = POLLIN } };
	for (;;) {
		if (poll(waits, 2, -1) < 0) continue;
		if (waits[0].revents && !read_command(execute)) break;
		if (waits[1].revents) hear();
	}
	datagram_close(port);
	close(bell[0]);
	close(bell[1]);
	return 0;
}
