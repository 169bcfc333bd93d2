/*
 * If a record was sent only in part, Mbed TLS must be called again with the same length, and nothing else may be sent
 * before. Mbed TLS may hold received data, which poll() does not report. A record takes memory until it is sent.
 * Therefore a new record is begun only when the socket has room and the memory lock permits it.
 */
#include "stream-connection.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mbedtls/platform.h"

#include "memory-lock.h"
#include "stream-socket.h"

enum {
	/* Length of the longest outgoing record. It fits the chip's buffers. */
	RECORD_SIZE = 2048,
	/* Number of bytes that one connection reads before others are served. */
	READ_BUDGET = 16384,
	/* Number of pieces that are moved in one direction before the other direction has its turn. */
	TURN_PIECES = 4,
	/* RFC 5246, 6.2.1: bytes of a header, lowest and highest content type, major version. 6.2.3: longest record, 16 KB
	   and 2 KB. */
	RECORD_HEADER = 5,
	FIRST_CONTENT_TYPE = 20,
	LAST_CONTENT_TYPE = 23,
	TLS_MAJOR = 3,
	RECORD_LIMIT = 16384 + 2048,
	/* RFC 5246, 7.2: level and description. */
	ALERT_SIZE = 2,
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Allocates the rings with Mbed TLS's allocator, because on an ESP32 a part of the memory can only be used through it.
 * Returns NULL if memory is short.
 */
static stream_rings *make_rings(void)
{
	return mbedtls_calloc(1, sizeof(stream_rings));
}

static uint8_t *ring_space(byte_ring *ring, size_t *size)
{
	size_t end = (ring->start + ring->used) % STREAM_RING_SIZE;
	*size = smaller(STREAM_RING_SIZE - ring->used, STREAM_RING_SIZE - end);
	return ring->bytes + end;
}

static uint8_t *ring_content(byte_ring *ring, size_t *size)
{
	*size = smaller(ring->used, STREAM_RING_SIZE - ring->start);
	return ring->bytes + ring->start;
}

static void ring_drop(byte_ring *ring, size_t size)
{
	ring->start = (ring->start + size) % STREAM_RING_SIZE;
	ring->used -= size;
}

static size_t ring_copy_out(byte_ring *ring, void *into, size_t size)
{
	size_t copied = 0, piece;
	while (copied < size && ring->used > 0) {
		const uint8_t *bytes = ring_content(ring, &piece);
		piece = smaller(piece, size - copied);
		memcpy((uint8_t *)into + copied, bytes, piece);
		ring_drop(ring, piece);
		copied += piece;
	}
	return copied;
}

static void ring_copy_in(byte_ring *ring, const void *bytes, size_t size)
{
	size_t copied = 0, piece;
	while (copied < size) {
		uint8_t *into = ring_space(ring, &piece);
		piece = smaller(piece, size - copied);
		memcpy(into, (const uint8_t *)bytes + copied, piece);
		ring->used += piece;
		copied += piece;
	}
}

bool connection_event(const stream_connection *connection, stream_event *event)
{
	if (connection->state != CONNECTION_OPEN) return false;
	const stream_rings *rings = connection->rings;
	size_t room = STREAM_RING_SIZE - rings->sent.used;
	if (room > connection->promised) *event = (stream_event){ .kind = STREAM_WRITABLE, .count = room };
	else if (connection->fresh && rings->received.used > 0)
		*event = (stream_event){ .kind = STREAM_READABLE, .count = rings->received.used };
	else if (connection->ended && !connection->ended_reported && rings->received.used == 0)
		*event = (stream_event){ .kind = STREAM_ENDED };
	else return false;
	return true;
}

void connection_reported(stream_connection *connection, const stream_event *event)
{
	switch (event->kind) {
	case STREAM_WRITABLE: connection->promised = event->count; break;
	case STREAM_READABLE: connection->fresh = false; break;
	case STREAM_ENDED: connection->ended_reported = true; break;
	default: break;
	}
}

size_t connection_read(stream_connection *connection, void *into, size_t size, bool *wake)
{
	byte_ring *ring = &connection->rings->received;
	bool was_full = ring->used == STREAM_RING_SIZE;
	size_t copied = ring_copy_out(ring, into, size);
	*wake = copied > 0 && (was_full || (connection->ended && ring->used == 0));
	return copied;
}

size_t connection_write(stream_connection *connection, const void *bytes, size_t size, bool *wake)
{
	byte_ring *ring = &connection->rings->sent;
	*wake = false;
	if (size > connection->promised) return SIZE_MAX;
	if (!connection->broken && size > 0) {
		if (connection->reply == REPLY_NONE) connection->reply = REPLY_BEGUN;
		*wake = ring->used == 0;
		ring_copy_in(ring, bytes, size);
	}
	return connection->promised = STREAM_RING_SIZE - ring->used;
}

static int tls_send(void *context, const unsigned char *bytes, size_t size)
{
	int count = socket_send(((stream_connection *)context)->socket, bytes, size);
	if (count >= 0) return count;
	return count == SOCKET_AGAIN ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

/*
 * Returns 0 if Mbed TLS may receive `size` bytes now, SOCKET_AGAIN if it must wait, or SOCKET_BROKEN. After a record's
 * header Mbed TLS allocates memory for the whole record (16 KB are usual in an upload). If that fails, it ends the
 * connection. During a handshake nothing is checked here, because memory was checked before the handshake.
 */
static int receive_permit(stream_connection *connection, size_t size)
{
	uint8_t header[RECORD_HEADER];
	bool waited = connection->record_refused;
	uint64_t now_ms = socket_clock_ms();
	connection->record_refused = false;
	if (size != RECORD_HEADER || !connection->rings) return 0;
	int count = socket_peek(connection->socket, header, RECORD_HEADER);
	/* The socket reports an error only once, so the error is returned here. */
	if (count <= 0) return count;
	size_t length = RECORD_LIMIT;
	if (count == RECORD_HEADER) {
		/* These five bytes are not a header but the end of a record, for which Mbed TLS already has memory. */
		if (header[0] < FIRST_CONTENT_TYPE || header[0] > LAST_CONTENT_TYPE || header[1] != TLS_MAJOR) return 0;
		length = (size_t)header[3] << 8 | header[4];
		if (length > RECORD_LIMIT) return 0;
	}
	if (!waited) connection->record_since_ms = now_ms;
	connection->record_refused = !memory_lock_receive(connection, length, connection->record_since_ms, now_ms);
	if (connection->record_refused) return SOCKET_AGAIN;
	connection->record_left = RECORD_HEADER + length;
	return 0;
}

/* Mbed TLS calls this function repeatedly while a peer sends data that Mbed TLS ignores. `budget` limits that. */
static int tls_receive(void *context, unsigned char *into, size_t size)
{
	stream_connection *connection = context;
	if (connection->budget == 0) return MBEDTLS_ERR_SSL_WANT_READ;
	int count = receive_permit(connection, size);
	if (count == 0) count = socket_receive(connection->socket, into, smaller(size, connection->budget));
	if (count == SOCKET_AGAIN) return MBEDTLS_ERR_SSL_WANT_READ;
	if (count < 0) return MBEDTLS_ERR_SSL_INTERNAL_ERROR;
	connection->budget -= (size_t)count;
	connection->record_left -= smaller((size_t)count, connection->record_left);
	return count;
}

/* Returns the same results as socket_receive. */
static int receive_some(stream_connection *connection, void *into, size_t size)
{
	if (!connection->party) return socket_receive(connection->socket, into, size);
	int count = mbedtls_ssl_read(&connection->tls, into, size);
	switch (count) {
	case MBEDTLS_ERR_SSL_WANT_READ: return SOCKET_AGAIN;
	case MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY: return 0;
	case 0:
	case MBEDTLS_ERR_SSL_CONN_EOF: connection->truncated = true; return 0;
	/*
	 * MBEDTLS_ERR_SSL_WANT_WRITE also means a broken connection: the peer has requested a renegotiation, which is
	 * refused, and does not read the alert.
	 */
	default: return count > 0 ? count : SOCKET_BROKEN;
	}
}

/* Returns the same results as socket_send. */
static int send_some(stream_connection *connection, const void *bytes, size_t size)
{
	if (!connection->party) return socket_send(connection->socket, bytes, size);
	if (connection->unsent_record == 0) connection->unsent_record = smaller(size, RECORD_SIZE);
	int count = mbedtls_ssl_write(&connection->tls, bytes, connection->unsent_record);
	if (count == MBEDTLS_ERR_SSL_WANT_WRITE) return SOCKET_AGAIN;
	connection->unsent_record = 0;
	return count >= 0 ? count : SOCKET_BROKEN;
}

bool connection_begin(stream_connection *connection, int socket, tls_party *party)
{
	connection->socket = socket;
	connection->party = party;
	connection->ended = connection->broken = connection->fresh = connection->ended_reported = false;
	connection->promised = 0;
	connection->unsent_record = connection->record_left = 0;
	connection->has_record = connection->ready = false;
	connection->handshake_error = 0;
	connection->truncated = false;
	connection->known = false;
	connection->refused = connection->record_refused = connection->blocked = false;
	connection->silent_since_ms = socket_clock_ms();
	if (party) {
		mbedtls_ssl_init(&connection->tls);
		connection->handshake_wants = POLLIN;
		if (mbedtls_ssl_setup(&connection->tls, &party->config) == 0) {
			mbedtls_ssl_set_bio(&connection->tls, connection, tls_send, tls_receive, NULL);
			return true;
		}
	} else {
		connection->rings = make_rings();
		if (connection->rings) return true;
	}
	close(connection_detach(connection));
	return false;
}

connection_step connection_handshake(stream_connection *connection)
{
	connection->budget = READ_BUDGET;
	int step = compat_handshake_step(&connection->tls);
	int result = mbedtls_ssl_handshake(&connection->tls);
	/* The clock is read again, because the message may have taken a second to process. */
	if (compat_handshake_step(&connection->tls) != step) connection->silent_since_ms = socket_clock_ms();
	if (result == MBEDTLS_ERR_SSL_WANT_READ || result == MBEDTLS_ERR_SSL_WANT_WRITE) {
		connection->handshake_wants = result == MBEDTLS_ERR_SSL_WANT_READ ? POLLIN : POLLOUT;
		return STEP_AGAIN;
	}
	connection->handshake_error = result;
	stream_rings *rings = result == 0 ? make_rings() : NULL;
	if (!rings) return STEP_FAILED;
	pthread_mutex_lock(connection->lock);
	connection->rings = rings;
	connection->state = CONNECTION_WAITING;
	pthread_mutex_unlock(connection->lock);
	return STEP_DONE;
}

int connection_alert(const stream_connection *connection)
{
	uint8_t record[RECORD_HEADER + ALERT_SIZE];
	if (connection->handshake_error == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE) return compat_fatal_alert(&connection->tls);
	/* A peer that sends an alert and closes makes our next message fail before the alert is read. */
	bool unread = connection->handshake_error == MBEDTLS_ERR_SSL_INTERNAL_ERROR
		&& socket_peek(connection->socket, record, sizeof(record)) == sizeof(record)
		&& record[0] == MBEDTLS_SSL_MSG_ALERT && record[1] == TLS_MAJOR && record[3] == 0 && record[4] == ALERT_SIZE
		&& record[5] == MBEDTLS_SSL_ALERT_LEVEL_FATAL;
	return unread ? record[6] : TLS_NO_ALERT;
}

static bool may_send(stream_connection *connection)
{
	if (connection->unsent_record > 0) return true;
	bool room = socket_has_room(connection->socket);
	connection->blocked = connection->party && !room;
	if (!room) return false;
	connection->refused = !memory_lock_send(connection, socket_clock_ms());
	return !connection->refused;
}

static connection_step send_ring(stream_connection *connection)
{
	byte_ring *ring = &connection->rings->sent;
	connection->refused = connection->blocked = false;
	for (int piece = 0; piece < TURN_PIECES; piece++) {
		size_t size;
		pthread_mutex_lock(connection->lock);
		const uint8_t *bytes = ring_content(ring, &size);
		pthread_mutex_unlock(connection->lock);
		if (size == 0) return STEP_DONE;
		if (!may_send(connection)) return STEP_AGAIN;
		int count = send_some(connection, bytes, size);
		connection->blocked = connection->unsent_record > 0;
		if (count < 0) return count == SOCKET_AGAIN ? STEP_AGAIN : STEP_FAILED;
		pthread_mutex_lock(connection->lock);
		ring_drop(ring, (size_t)count);
		/* When the ring is empty, it restarts at 0. The next bytes then form one record instead of two. */
		if (ring->used == 0) ring->start = 0;
		pthread_mutex_unlock(connection->lock);
	}
	return STEP_AGAIN;
}

static connection_step receive_ring(stream_connection *connection)
{
	byte_ring *ring = &connection->rings->received;
	for (int piece = 0; piece < TURN_PIECES; piece++) {
		size_t size;
		pthread_mutex_lock(connection->lock);
		uint8_t *into = ring_space(ring, &size);
		pthread_mutex_unlock(connection->lock);
		if (size == 0) return STEP_AGAIN;
		int count = receive_some(connection, into, size);
		if (count < 0) return count == SOCKET_AGAIN ? STEP_AGAIN : STEP_FAILED;
		pthread_mutex_lock(connection->lock);
		ring->used += (size_t)count;
		if (count > 0) connection->fresh = true;
		else connection->ended = true;
		pthread_mutex_unlock(connection->lock);
		if (count == 0) return STEP_DONE;
	}
	return STEP_AGAIN;
}

connection_step connection_transfer(stream_connection *connection)
{
	connection->budget = READ_BUDGET;
	if (send_ring(connection) == STEP_FAILED) return STEP_FAILED;
	/* Reading may have to send an alert. An alert must not be sent in the middle of a record. */
	if (connection->ended || connection->blocked) return STEP_AGAIN;
	bool had_record = connection->has_record;
	connection_step step = receive_ring(connection);
	/* Mbed TLS frees a record that was completely read. */
	connection->has_record = connection->party
		&& (connection->record_left > 0 || mbedtls_ssl_check_pending(&connection->tls));
	if (had_record && !connection->has_record) memory_lock_received(connection);
	return step == STEP_FAILED ? STEP_FAILED : STEP_AGAIN;
}

connection_step connection_finish(stream_connection *connection)
{
	connection->record_refused = false;
	if (!connection->ended) {
		/* Received bytes are discarded, because a client that cannot send its whole request would never read our reply. */
		int result = socket_discard(connection->socket);
		if (result == SOCKET_BROKEN) return STEP_FAILED;
		connection->ended = result == 0;
	}
	connection_step step = send_ring(connection);
	if (step != STEP_DONE) return step;
	if (connection->party) {
		int result = mbedtls_ssl_close_notify(&connection->tls);
		if (result == MBEDTLS_ERR_SSL_WANT_WRITE) return STEP_AGAIN;
		if (result != 0) return STEP_FAILED;
	}
	return shutdown(connection->socket, SHUT_WR) == 0 ? STEP_DONE : STEP_FAILED;
}

short connection_wants(stream_connection *connection, uint32_t *limit_ms)
{
	short wants = 0, sends = connection->refused ? 0 : POLLOUT;
	pthread_mutex_lock(connection->lock);
	switch (connection->state) {
	case CONNECTION_FREE: break;
	case CONNECTION_HANDSHAKING: wants = connection->handshake_wants; break;
	case CONNECTION_WAITING:
	case CONNECTION_OPEN:
		if (connection->broken) break;
		if (connection->rings->sent.used > 0) wants |= sends;
		if (connection->ended || connection->blocked) break;
		if (connection->rings->received.used == STREAM_RING_SIZE || connection->record_refused) break;
		wants |= POLLIN;
		if (connection->party && mbedtls_ssl_check_pending(&connection->tls)) *limit_ms = 0;
		break;
	case CONNECTION_CLOSING:
		wants = connection->ended ? sends : sends | POLLIN;
		break;
	}
	pthread_mutex_unlock(connection->lock);
	if ((connection->refused || connection->record_refused) && *limit_ms > ASK_AGAIN_MS) *limit_ms = ASK_AGAIN_MS;
	return wants;
}

int connection_detach(stream_connection *connection)
{
	int socket = connection->socket;
	tls_party *party = connection->party;
	if (party) mbedtls_ssl_free(&connection->tls);
	memory_lock_leave(connection);
	connection->refused = connection->record_refused = false;
	pthread_mutex_lock(connection->lock);
	connection->socket = -1;
	connection->party = NULL;
	connection->unsent_record = 0;
	connection->ended = connection->broken = true;
	if (connection->rings) connection->rings->sent.used = 0;
	if (party && --party->references > 0) party = NULL;
	pthread_mutex_unlock(connection->lock);
	tls_party_free(party);
	return socket;
}

void connection_release(stream_connection *connection)
{
	pthread_mutex_lock(connection->lock);
	stream_rings *rings = connection->rings;
	connection->rings = NULL;
	connection->state = CONNECTION_FREE;
	pthread_mutex_unlock(connection->lock);
	mbedtls_free(rings);
}
