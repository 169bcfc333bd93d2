/*
 * Common parts of the programs that own a native part for its tests: a broken promise of the part ends the program, a
 * bell carries callbacks from the part's threads to the owner's, and lines on the input are orders.
 */
#ifndef MUST_H
#define MUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Whatever NDEBUG says. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* A pipe, made by main: a byte for each ring. */
static int bell[2];

/* For `notify`, with the bell as its context. */
static inline void ring(void *context)
{
	MUST(context == bell);
	MUST(write(bell[1], "", 1) == 1);
}

/* Takes one ring off the bell. */
static inline void hear_ring(void)
{
	char byte;
	MUST(read(bell[0], &byte, 1) == 1);
}

/* Reads one byte of the input, and obeys the line that it ends. False at the end of the input. */
static inline bool read_order(void (*obey)(const char *line))
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
	obey(line);
	return true;
}

#endif
