#include "stream-client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client-thread.h"
#include "stream-socket.h"
#include "thread-start.h"

enum {
	/*
	 * Stack of the thread on ESP-IDF, bytes. On an emulated ESP32 a handshake used 3.1 KB of it, also if the peer had a
	 * key of RSA with 4096 bits or of P-521.
	 */
	STACK_SIZE = 8192,
	/* Time for unsent data after stream_client_close. */
	LINGER_MS = 3000,
};

client_list clients = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = -1 };

static void lock(void)
{
	pthread_mutex_lock(&clients.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&clients.lock);
}

void client_wake(void)
{
	if (!clients.woken && clients.wake >= 0) clients.woken = socket_wake(clients.wake);
}

bool client_event(const stream_client *client, stream_event *event)
{
	if (client->state == CLIENT_STATE_FAILED) {
		*event = (stream_event){ .kind = STREAM_ENDED, .count = client->code };
		return !client->is_code_reported;
	}
	const stream_connection *connection = &client->connection;
	/*
	 * When the server has ended its direction, a client reports nothing more. (A server's port does, because it may still
	 * reply.)
	 */
	if (client->state != CLIENT_STATE_OPEN || connection->ended_reported) return false;
	if (!connection_event(connection, event)) return false;
	if (event->kind == STREAM_ENDED)
		event->count = connection->broken || connection->truncated ? CLIENT_BROKEN : CLIENT_ENDED;
	return true;
}

bool stream_client_next(stream_client *client, stream_event *event)
{
	lock();
	bool found = client_event(client, event);
	if (!found) client->notified = false;
	else if (client->state == CLIENT_STATE_FAILED) client->is_code_reported = true;
	else connection_reported(&client->connection, event);
	unlock();
	return found;
}

size_t stream_client_read(stream_client *client, void *into, size_t size)
{
	size_t copied = 0;
	bool wanted = false;
	lock();
	if (client->state == CLIENT_STATE_OPEN) copied = connection_read(&client->connection, into, size, &wanted);
	if (wanted) client_wake();
	unlock();
	return copied;
}

size_t stream_client_write(stream_client *client, const void *bytes, size_t size)
{
	size_t room = SIZE_MAX;
	bool wanted = false;
	lock();
	if (client->state == CLIENT_STATE_OPEN) room = connection_write(&client->connection, bytes, size, &wanted);
	if (wanted) client_wake();
	unlock();
	return room;
}

void stream_client_address(stream_client *client, char address[IPV4_TEXT_SIZE])
{
	lock();
	memcpy(address, client->address, IPV4_TEXT_SIZE);
	unlock();
}

bool stream_client_resumed(stream_client *client)
{
	lock();
	bool resumed = client->resumed;
	unlock();
	return resumed;
}

size_t stream_client_session(stream_client *client, uint8_t into[TRUST_SESSION_LIMIT])
{
	lock();
	size_t size = client->session_size;
	if (into && size > 0) memcpy(into, client->session, size);
	unlock();
	return size;
}

void stream_client_close(stream_client *client)
{
	lock();
	client->closed = true;
	if (client->state == CLIENT_STATE_OPEN) client->connection.state = CONNECTION_CLOSING;
	client->deadline_ms = socket_clock_ms() + LINGER_MS;
	client_wake();
	unlock();
}

int stream_client_count(void)
{
	int count = 0;
	lock();
	for (const stream_client *each = clients.first; each; each = each->next) count++;
	if (count == 0 && !clients.running) count = -1;
	unlock();
	return count;
}

/* Starts the thread if it does not run. The caller must hold the lock. */
static bool start_thread(void)
{
	pthread_t thread;
	if (clients.running) return true;
	clients.wake = socket_open_wake();
	clients.running = clients.wake >= 0 && thread_start(&thread, STACK_SIZE, client_thread_run, NULL);
	if (clients.running) {
		pthread_detach(thread);
		return true;
	}
	if (clients.wake >= 0) close(clients.wake);
	clients.wake = -1;
	return false;
}

/* Adds the client to the list. Returns false if the list is full or the thread cannot be started. */
static bool enlist(stream_client *client)
{
	int living = 0;
	lock();
	for (const stream_client *each = clients.first; each; each = each->next)
		if (!each->closed) living++;
	bool placed = living < CLIENT_LIMIT && start_thread();
	if (placed) {
		client->next = clients.first;
		clients.first = client;
		client_wake();
	}
	unlock();
	return placed;
}

stream_client *stream_client_open(const stream_client_options *options, char message[TRUST_MESSAGE_SIZE])
{
	size_t length = strlen(options->host);
	message[0] = 0;
	stream_client *client = length <= CLIENT_HOST_LIMIT ? calloc(1, sizeof(stream_client)) : NULL;
	if (!client) return NULL;
	client->notify = options->notify;
	client->context = options->context;
	client->connection.lock = &clients.lock;
	client->connection.socket = client->socket = client->request = -1;
	client->deadline_ms = socket_clock_ms() + options->timeout_ms;
	client->port = options->port;
	client->gate = (gate_party){ .granted = client_granted, .context = NULL };
	memcpy(client->host, options->host, length + 1);
	if (options->tls) client->trust = tls_trust_create(options->tls, message);
	if ((!options->tls || client->trust) && enlist(client)) return client;
	if (client->trust) tls_party_free(tls_trust_party(client->trust));
	free(client);
	return NULL;
}
