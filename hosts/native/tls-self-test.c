#include "tls-self-test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Greatest number of bytes under way in one direction. Longer data are passed in parts. */
enum { PIPE_SIZE = 1024 };

typedef struct {
	size_t used;
	unsigned char bytes[PIPE_SIZE];
} byte_pipe;

typedef struct {
	mbedtls_ssl_context tls;
	byte_pipe *in, *out;
	bool moved;
	bool done;
} side;

typedef struct {
	mbedtls_ssl_config client_config;
	side client, server;
	byte_pipe to_client, to_server;
} self_test;

static int pipe_send(void *context, const unsigned char *bytes, size_t size)
{
	side *self = context;
	byte_pipe *out = self->out;
	if (out->used == PIPE_SIZE) return MBEDTLS_ERR_SSL_WANT_WRITE;
	if (size > PIPE_SIZE - out->used) size = PIPE_SIZE - out->used;
	memcpy(out->bytes + out->used, bytes, size);
	out->used += size;
	self->moved = true;
	return (int)size;
}

static int pipe_receive(void *context, unsigned char *into, size_t size)
{
	side *self = context;
	byte_pipe *in = self->in;
	if (in->used == 0) return MBEDTLS_ERR_SSL_WANT_READ;
	if (size > in->used) size = in->used;
	memcpy(into, in->bytes, size);
	in->used -= size;
	memmove(in->bytes, in->bytes + size, in->used);
	self->moved = true;
	return (int)size;
}

static int set_up(self_test *test, tls_identity *identity)
{
	int error = mbedtls_ssl_config_defaults(
		&test->client_config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
	if (error != 0) return error;
	compat_conf_any_client(&test->client_config);
	mbedtls_ssl_conf_authmode(&test->client_config, MBEDTLS_SSL_VERIFY_NONE);
	test->client.in = test->server.out = &test->to_client;
	test->server.in = test->client.out = &test->to_server;
	error = mbedtls_ssl_setup(&test->client.tls, &test->client_config);
	if (error == 0) error = mbedtls_ssl_setup(&test->server.tls, &identity->party.config);
	mbedtls_ssl_set_bio(&test->client.tls, &test->client, pipe_send, pipe_receive, NULL);
	mbedtls_ssl_set_bio(&test->server.tls, &test->server, pipe_send, pipe_receive, NULL);
	return error;
}

static int step(side *self)
{
	if (self->done) return 0;
	int error = mbedtls_ssl_handshake(&self->tls);
	self->done = error == 0;
	return error == MBEDTLS_ERR_SSL_WANT_READ || error == MBEDTLS_ERR_SSL_WANT_WRITE ? 0 : error;
}

static int shake_hands(self_test *test)
{
	while (!test->client.done || !test->server.done) {
		test->client.moved = test->server.moved = false;
		int error = step(&test->client);
		if (error == 0) error = step(&test->server);
		if (error != 0) return error;
		bool over = test->client.done && test->server.done;
		if (!over && !test->client.moved && !test->server.moved) return MBEDTLS_ERR_SSL_CONN_EOF;
	}
	return 0;
}

void tls_self_test(tls_identity *identity, char *message, size_t size)
{
	self_test *test = calloc(1, sizeof(self_test));
	message[0] = 0;
	if (!test) {
		snprintf(message, size, "out of memory");
		return;
	}
	mbedtls_ssl_config_init(&test->client_config);
	mbedtls_ssl_init(&test->client.tls);
	mbedtls_ssl_init(&test->server.tls);
	int error = set_up(test, identity);
	if (error == 0) error = shake_hands(test);
	if (error == MBEDTLS_ERR_SSL_ALLOC_FAILED) snprintf(message, size, "out of memory");
	else if (error != 0)
		snprintf(message, size, "no client can connect with this certificate and key (Mbed TLS error -0x%04x)",
			(unsigned)-error);
	mbedtls_ssl_free(&test->client.tls);
	mbedtls_ssl_free(&test->server.tls);
	mbedtls_ssl_config_free(&test->client_config);
	free(test);
}
