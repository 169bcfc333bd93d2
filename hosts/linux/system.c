/* Access to files, restart, sleep and memory use. The runner calls `gateway_memory`. */
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "xsAll.h"

#include "mc.xs.h"
#include "xs.h"

void xs_system_setting(xsMachine *the)
{
	const char *value = getenv(xsToString(xsArg(0)));
	if (value) xsResult = xsString((xsStringValue)value);
}

/* Argument: path. Returns the file as an ArrayBuffer. Throws an Error with a message for the user. */
void xs_system_read_file(xsMachine *the)
{
	static const long limit = 65536;
	xsStringValue path = xsToString(xsArg(0));
	FILE *file = fopen(path, "rb");
	if (!file) xsUnknownError("%s can't be read", path);
	fseek(file, 0, SEEK_END);
	long size = ftell(file);
	if (size < 0 || size > limit) {
		fclose(file);
		xsUnknownError("%s is too large", path);
	}
	rewind(file);
	xsResult = xsArrayBuffer(NULL, (xsIntegerValue)size);
	size_t count = fread(xsToArrayBuffer(xsResult), 1, (size_t)size, file);
	fclose(file);
	if (count != (size_t)size) xsUnknownError("%s can't be read", path);
}

void xs_system_print(xsMachine *the)
{
	printf("%s\n", xsToString(xsArg(0)));
	fflush(stdout);
}

static struct {
	bool is_up;
	/* Line that waits for the network, or NULL. */
	char *line;
} start;

static gboolean on_limit(gpointer data)
{
	(void)data;
	if (start.line) {
		printf("%s\n", start.line);
		fflush(stdout);
	}
	free(start.line);
	start.line = NULL;
	return G_SOURCE_REMOVE;
}

/* Arguments: line, limit in ms. */
void xs_system_ready(xsMachine *the)
{
	int limit_ms = xsToInteger(xsArg(1));
	start.line = strdup(xsToString(xsArg(0)));
	if (start.is_up || limit_ms == 0)
		on_limit(NULL);
	else
		g_timeout_add((guint)limit_ms, on_limit, NULL);
}

void xs_system_up(xsMachine *the)
{
	(void)the;
	start.is_up = true;
	on_limit(NULL);
}

void xs_system_trace(xsMachine *the)
{
	fprintf(stderr, "%s\n", xsToString(xsArg(0)));
}

void xs_system_exit(xsMachine *the)
{
	exit(xsToInteger(xsArg(0)));
}

/* Defined in the runner. */
extern void runner_restart(void) __attribute__((weak));

/* Arguments: utcMs, httpPort, httpsPort. Stores these strings for the next start. */
static void store_for_restart(xsMachine *the)
{
	setenv("GATEWAY_UTC_MS", xsToString(xsArg(0)), 1);
	setenv("GATEWAY_HTTP_PORT", xsToString(xsArg(1)), 1);
	setenv("GATEWAY_HTTPS_PORT", xsToString(xsArg(2)), 1);
	setenv("GATEWAY_RESTARTED", "1", 1);
}

void xs_system_restart(xsMachine *the)
{
	store_for_restart(the);
	unsetenv("GATEWAY_WAKE");
	if (runner_restart) runner_restart();
}

/*
 * Arguments: utcMs, httpPort, httpsPort, ms. Restarts the runner, which waits for `ms` or the button, sets GATEWAY_WAKE
 * to the reason for waking, and starts the firmware.
 */
void xs_system_sleep(xsMachine *the)
{
	char ms[24];
	snprintf(ms, sizeof(ms), "%.0f", xsToNumber(xsArg(3)));
	store_for_restart(the);
	setenv("GATEWAY_SLEEP_MS", ms, 1);
	if (runner_restart) runner_restart();
}

void xs_system_monotonic(xsMachine *the)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	xsResult = xsNumber((double)now.tv_sec * 1000 + (double)(now.tv_nsec / 1000000));
}

enum {
	/* Kind with which unused cells of the stack are filled. No used cell has this kind. */
	UNUSED_KIND = 0x5a,
	/*
	 * Number of untouched cells in a row that mark the end of the used stack. A single call may leave some of its cells
	 * untouched.
	 */
	UNUSED_RUN = 32,
};

void xs_system_watch_stack(xsMachine *the)
{
	for (txSlot *slot = the->stackBottom; slot < the->stack - 16; slot++) slot->kind = UNUSED_KIND;
}

/*
 * Collects garbage, then prints the slots in use and in total, the bytes of chunks, the deepest stack since the last
 * call or the start, and the number of property names.
 */
void gateway_memory(xsMachine *the)
{
	fxBeginHost(the);
	fxCollectGarbage(the);
	fxEndHost(the);
	/* This searches from the end of the stack that function calls use. Regular expressions use the other end. */
	txSlot *deepest = the->stack;
	for (txSlot *slot = the->stack; slot > the->stackBottom && deepest - slot < UNUSED_RUN; slot--)
		if (slot[-1].kind != UNUSED_KIND) deepest = slot - 1;
	printf(
		"memory slots %ld of %ld, chunks %ld of %ld bytes, stack %ld of %ld, names %ld, slot %zu bytes\n",
		(long)the->currentHeapCount, (long)the->maximumHeapCount, (long)the->currentChunksSize,
		(long)the->maximumChunksSize, (long)(the->stackTop - deepest), (long)(the->stackTop - the->stackBottom),
		(long)(the->keyIndex - the->keyOffset), sizeof(txSlot));
	fflush(stdout);
	xs_system_watch_stack(the);
}
