/*
 * Tests of the parts of the ESP32 host's power natives that need no chip, for power.test.ts. Exits with 0, or
 * prints the failed line.
 *
 *   power-peer retained      memory that survives a restart
 *   power-peer cause         cause of the start
 *   power-peer debounce      a button
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hosts/esp32/power-debounce.h"
#include "../../../hosts/esp32/power-retained.h"
#include "../../../hosts/esp32/start-cause.h"
#include "../must.h"

static void cause(void)
{
	static const esp_reset_reason_t faults[] = {
		ESP_RST_PANIC, ESP_RST_INT_WDT, ESP_RST_TASK_WDT, ESP_RST_WDT, ESP_RST_BROWNOUT, ESP_RST_PWR_GLITCH,
		ESP_RST_CPU_LOCKUP,
	};
	static const esp_reset_reason_t others[] = {
		ESP_RST_UNKNOWN, ESP_RST_POWERON, ESP_RST_EXT, ESP_RST_DEEPSLEEP, ESP_RST_SDIO, ESP_RST_USB, ESP_RST_JTAG,
		ESP_RST_EFUSE,
	};
	/* A stored reason counts only after a restart by software; otherwise it is outdated. */
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		start_cause found = start_cause_of(faults[i], START_ASKED_FOR);
		MUST(found.is_fault && strlen(found.text) > 0 && strcmp(found.text, START_ASKED_FOR) != 0);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		start_cause found = start_cause_of(others[i], "no sockets");
		MUST(!found.is_fault && strlen(found.text) > 0 && strcmp(found.text, "no sockets") != 0);
	}
	MUST(start_cause_is_low_voltage(ESP_RST_BROWNOUT) && start_cause_is_low_voltage(ESP_RST_PWR_GLITCH));
	MUST(!start_cause_is_low_voltage(ESP_RST_POWERON) && !start_cause_is_low_voltage(ESP_RST_PANIC));
	MUST(!start_cause_of(ESP_RST_SW, START_ASKED_FOR).is_fault);
	MUST(strcmp(start_cause_of(ESP_RST_SW, START_ASKED_FOR).text, START_ASKED_FOR) == 0);
	MUST(start_cause_of(ESP_RST_SW, "no sockets").is_fault);
	MUST(strcmp(start_cause_of(ESP_RST_SW, "no sockets").text, "no sockets") == 0);
	MUST(start_cause_of(ESP_RST_SW, NULL).is_fault);
}

static void retained(void)
{
	static const size_t sizes[] = { 0, 1, 5, RETAINED_LIMIT - 1, RETAINED_LIMIT };
	retained_record record;
	uint8_t bytes[RETAINED_LIMIT + 1], into[RETAINED_LIMIT];
	for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (uint8_t)(i * 5 + 1);
	/* After a power cut the memory has arbitrary contents. */
	for (int filler = 0; filler < 256; filler++) {
		memset(&record, filler, sizeof(record));
		MUST(retained_recall(&record, into) == -1);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t size = sizes[i];
		MUST(retained_keep(&record, bytes, size) && retained_recall(&record, NULL) == (int)size);
		MUST(retained_recall(&record, into) == (int)size && memcmp(into, bytes, size) == 0);
		/* A change of any relevant bit is detected. */
		size_t counts = offsetof(retained_record, bytes) + size;
		for (size_t bit = 0; bit < counts * 8; bit++) {
			((uint8_t *)&record)[bit / 8] ^= (uint8_t)(1 << bit % 8);
			MUST(retained_recall(&record, into) == -1);
			((uint8_t *)&record)[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
	MUST(!retained_keep(&record, bytes, RETAINED_LIMIT + 1) && retained_recall(&record, into) == -1);
	MUST(retained_keep(&record, bytes, 3));
	retained_forget(&record);
	MUST(retained_recall(&record, into) == -1);
}

static void debounce(void)
{
	power_debounce button = { 0 };
	bool pressed;
	MUST(!power_debounce_next(&button, &pressed));
	/* A contact that bounces back to its initial level is not a press. */
	MUST(!power_debounce_sample(&button, false));
	MUST(power_debounce_sample(&button, true));
	MUST(!power_debounce_sample(&button, true));
	/* Several changes before the report: one call reports all, in order. */
	MUST(!power_debounce_sample(&button, false) && !power_debounce_sample(&button, true));
	for (unsigned i = 0; i < 3; i++) MUST(power_debounce_next(&button, &pressed) && pressed == (i % 2 == 0));
	/* A change during the report needs no second call; a change after it does. */
	MUST(!power_debounce_sample(&button, false));
	MUST(power_debounce_next(&button, &pressed) && !pressed);
	MUST(!power_debounce_next(&button, &pressed));
	MUST(power_debounce_sample(&button, true));
	MUST(power_debounce_next(&button, &pressed) && pressed);
	MUST(!power_debounce_next(&button, &pressed));
	/* Without a listener the number of changes is limited; order and last state are right. */
	for (unsigned i = 0; i < 1001; i++) power_debounce_sample(&button, i % 2 == 1);
	unsigned reports = 0;
	bool before = true;
	for (; power_debounce_next(&button, &pressed); reports++) {
		MUST(pressed != before);
		before = pressed;
	}
	MUST(reports <= DEBOUNCE_UNREPORTED && reports >= DEBOUNCE_UNREPORTED - 1 && !before);
}

int main(int count, char **arguments)
{
	MUST(count == 2);
	if (strcmp(arguments[1], "retained") == 0) retained();
	else if (strcmp(arguments[1], "cause") == 0) cause();
	else if (strcmp(arguments[1], "debounce") == 0) debounce();
	else MUST(!"a known case");
	return 0;
}
