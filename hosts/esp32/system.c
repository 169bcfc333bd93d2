#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "esp_attr.h"
#include "esp_mac.h"
#include "esp_system.h"
#include "esp_timer.h"

#include "power-retained.h"
#include "start-cause.h"

enum { LINE_LIMIT = 400, REASON_LIMIT = 160, MAC_SIZE = 6 };

static RTC_NOINIT_ATTR retained_record ending;

/*
 * Copies the text and replaces control characters by blanks. If the text does not fit, it is cut between two UTF-8
 * characters.
 */
static void one_line(char *line, size_t size, const char *text)
{
	size_t length = 0;
	for (; *text && length < size - 1; text++) line[length++] = (unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text;
	for (; length > 0 && ((unsigned char)*text & 0xc0) == 0x80; text--) length--;
	line[length] = 0;
}

void xs_system_trace(xsMachine *the)
{
	char line[LINE_LIMIT];
	one_line(line, sizeof(line), xsmcToString(xsArg(0)));
	puts(line);
}

void xs_system_monotonic(xsMachine *the)
{
	xsmcSetNumber(xsResult, (double)(esp_timer_get_time() / 1000));
}

/* Unix time, ms. The clock continues through restarts and begins at 0 after a power cut. */
void xs_system_utc(xsMachine *the)
{
	struct timeval now;
	gettimeofday(&now, NULL);
	xsmcSetNumber(xsResult, (double)now.tv_sec * 1000 + (double)(now.tv_usec / 1000));
}

void xs_system_set_utc(xsMachine *the)
{
	int64_t utc_ms = (int64_t)xsmcToNumber(xsArg(0));
	struct timeval now = { .tv_sec = (time_t)(utc_ms / 1000), .tv_usec = (suseconds_t)(utc_ms % 1000 * 1000) };
	settimeofday(&now, NULL);
}

void xs_system_mac(xsMachine *the)
{
	uint8_t mac[MAC_SIZE] = { 0 };
	char text[2 * MAC_SIZE + 1];
	esp_efuse_mac_get_default(mac);
	for (size_t i = 0; i < MAC_SIZE; i++) snprintf(text + 2 * i, 3, "%02x", mac[i]);
	xsmcSetString(xsResult, text);
}

void xs_system_restart(xsMachine *the)
{
	(void)the;
	retained_keep(&ending, START_ASKED_FOR, strlen(START_ASKED_FOR));
	esp_restart();
}

void xs_system_fail(xsMachine *the)
{
	char reason[REASON_LIMIT];
	one_line(reason, sizeof(reason), xsmcToString(xsArg(0)));
	retained_keep(&ending, reason, strlen(reason));
	esp_restart();
}

/*
 * Returns the end of the previous program as [cause, is a fault, is low voltage]. Erases the stored reason, so that a later start does
 * not report it again.
 */
void xs_system_ending(xsMachine *the)
{
	char kept[RETAINED_LIMIT + 1];
	int size = retained_recall(&ending, (uint8_t *)kept);
	kept[size > 0 ? size : 0] = 0;
	start_cause cause = start_cause_of(esp_reset_reason(), size > 0 ? kept : NULL);
	retained_forget(&ending);
	xsmcVars(1);
	xsmcSetNewArray(xsResult, 0);
	xsmcSetString(xsVar(0), (xsStringValue)cause.text);
	xsmcSetIndex(xsResult, 0, xsVar(0));
	xsmcSetBoolean(xsVar(0), cause.is_fault);
	xsmcSetIndex(xsResult, 1, xsVar(0));
	xsmcSetBoolean(xsVar(0), start_cause_is_low_voltage(esp_reset_reason()));
	xsmcSetIndex(xsResult, 2, xsVar(0));
}

/* Returns true after power-on. On some boards, pressing the reset button or flashing looks like power-on. */
void xs_system_switched_on(xsMachine *the)
{
	xsmcSetBoolean(xsResult, esp_reset_reason() == ESP_RST_POWERON);
}

/*
 * Arguments: what, exception. The engine calls this function on an abort, but not on a stack overflow. The function
 * allocates nothing, because memory may be full. It returns undefined; the chip then restarts.
 */
static void on_abort(xsMachine *the)
{
	char reason[REASON_LIMIT], line[2 * REASON_LIMIT];
	const char *what = "?", *message = "";
	xsmcVars(1);
	if (xsmcArgc > 0 && xsmcTypeOf(xsArg(0)) == xsStringType) what = xsmcToString(xsArg(0));
	if (xsmcArgc > 1 && xsmcTypeOf(xsArg(1)) == xsReferenceType) {
		xsmcGet(xsVar(0), xsArg(1), xsID_message);
		if (xsmcTypeOf(xsVar(0)) == xsStringType) message = xsmcToString(xsVar(0));
	}
	snprintf(line, sizeof(line), "the engine gave up: %s%s%s", what, *message ? ": " : "", message);
	one_line(reason, sizeof(reason), line);
	retained_keep(&ending, reason, strlen(reason));
	puts(reason);
}

void xs_system_watch_aborts(xsMachine *the)
{
	xsmcVars(1);
	xsVar(0) = xsNewHostFunction(on_abort, 2);
	xsmcSet(xsGlobal, xsID_abort, xsVar(0));
}
