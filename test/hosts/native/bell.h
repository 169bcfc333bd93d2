/* Shared by the native peers: a bell carries callbacks from other threads to main, and lines of the input are commands. */
#ifndef BELL_H
#define BELL_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "../must.h"

/* A pipe that main creates; each ring is a byte. */
static int bell[2];

/* A `notify` callback that rings the bell. */
static inline void ring(void *context)
{
	MUST(context == bell);
	MUST(write(bell[1], "", 1) == 1);
}

/* Removes one ring from the bell. */
static inline void hear_ring(void)
{
	char byte;
	MUST(read(bell[0], &byte, 1) == 1);
}

/* Reads one byte of the input, and executes a completed line. Returns false at the end of the input. */
static inline bool read_command(void (*execute)(const char *line))
{
	static char line[600];
	static size_t length;
	char c;
	if (read(0, &c, 1) != 1) return false;
	MUST(length < sizeof(line));
	line[length++] = c;
	if (c != '\n') return true;
	line[length - 1] = 0;
	length = 0;
	execute(line);
	return true;
}

#endif
