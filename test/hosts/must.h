/* Shared by the C programs of the tests (`*-peer.c`) and their fakes: conditions that must be true, and cases. */
#ifndef MUST_H
#define MUST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Like assert, but not disabled by NDEBUG. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s, line %d: failed: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

typedef struct {
	const char *name;
	void (*run)(void);
} test_case;

/* Runs the case of this name. The name of the last row is NULL. */
static inline void run_case(const char *name, const test_case *cases)
{
	while (cases->name && strcmp(name, cases->name) != 0) cases++;
	MUST(cases->name);
	cases->run();
}

#endif
