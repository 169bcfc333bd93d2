/* Shared by stream-client-peer.c and stream-server-peer.c: files, the bytes they send, and memory that only chips have. */
#ifndef STREAM_PEER_H
#define STREAM_PEER_H

#include <stddef.h>
#include <stdint.h>

#include "../must.h"

enum { FILE_LIMIT = 65536 };

/* Returns the file's text, which the caller frees. */
static inline char *read_file(const char *path)
{
	char *text = calloc(1, FILE_LIMIT);
	FILE *file = fopen(path, "r");
	MUST(text && file);
	MUST(fread(text, 1, FILE_LIMIT - 1, file) > 0);
	fclose(file);
	return text;
}

/* The byte at this position of what is sent. */
static inline uint8_t pattern(size_t position)
{
	return (uint8_t)(position * 31 + (position >> 8));
}

size_t free_tls_memory(void)
{
	return 0;
}

size_t free_tls_piece(void)
{
	return 0;
}

#endif
