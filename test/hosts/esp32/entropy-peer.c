/*
 * Start of the firmware (prelaunch.c) and measurements (power.c) on a fake of ESP-IDF, for entropy.test.ts. The random
 * generator must have a noise source whenever a number is drawn. Each call is a line of the output.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "adc-fake/adc-fake.h"
#include "esp_random.h"
#include "storage-nvs.h"
#include "tls-memory.h"
#include "xs-fake.h"

void sdk_prelaunch(void);
void modPrelaunch(void);
fake_native xs_power_millivolts, xs_power_temperature, xs_power_deep_sleep, xs_power_wake_reason, xs_power_output;

static xsMachine machine;

/* With encryption enabled, NVS makes its keys here. */
void tls_memory_start(void)
{
}

bool storage_nvs_start(void)
{
	printf("storage %d\n", esp_random() != 0);
	return true;
}

static void step(const char *what)
{
	printf("-- %s\n", what);
}

static void measure(const char *what)
{
	xsSlot result;
	RUN(xs_power_millivolts, FAKE_NOTHING, &result, FAKE_INT(1));
	printf("%d mV\n", result.kind == FAKE_INTEGER ? (int)result.value.integer : -1);
	step(what);
	adc_refused = "";
}

static void temperature(const char *what)
{
	xsSlot result;
	RUN(xs_power_temperature, FAKE_NOTHING, &result);
	printf("%d degrees\n", result.kind == FAKE_NUMBER ? (int)result.value.number : -1);
	step(what);
	adc_refused = "";
}

static void wakes(uint32_t causes, uint64_t pins)
{
	xsSlot result;
	adc_wake_causes = causes;
	adc_wake_pins = pins;
	RUN(xs_power_wake_reason, FAKE_NOTHING, &result, FAKE_INT(2));
	printf("%d\n", (int)result.value.integer);
}

int main(void)
{
	modPrelaunch();
	step("prelaunch");
	measure("voltage");
	adc_refused = "unit";
	measure("no unit");
	adc_refused = "channel";
	measure("no channel");
	temperature("temperature");
	adc_refused = "sensor";
	temperature("no sensor");
	THROWS("RangeError: no time to sleep for", xs_power_deep_sleep, FAKE_NOTHING, FAKE_INT(-1), FAKE_INT(-1), FAKE_INT(-1));
	step("no sleep");
	RUN(xs_power_deep_sleep, FAKE_NOTHING, NULL, FAKE_INT(1000), FAKE_INT(-1), FAKE_INT(-1));
	step("deep sleep");
	RUN(xs_power_deep_sleep, FAKE_NOTHING, NULL, FAKE_INT(900000), FAKE_INT(0), FAKE_INT(2));
	step("sleep by pins");
	RUN(xs_power_deep_sleep, FAKE_NOTHING, NULL, FAKE_INT(1000), FAKE_INT(22), FAKE_INT(40));
	step("sleep by pins that can't wake it");
	RUN(xs_power_output, FAKE_NOTHING, NULL, FAKE_INT(5), FAKE_BOOL(false));
	RUN(xs_power_output, FAKE_NOTHING, NULL, FAKE_INT(22), FAKE_BOOL(true));
	RUN(xs_power_deep_sleep, FAKE_NOTHING, NULL, FAKE_INT(1000), FAKE_INT(-1), FAKE_INT(-1));
	step("sleep with outputs");
	adc_refused = "ext0";
	THROWS("RangeError: the pin can't end sleep", xs_power_deep_sleep, FAKE_NOTHING, FAKE_INT(1), FAKE_INT(0), FAKE_INT(2));
	adc_refused = "ext1";
	THROWS("RangeError: the pin can't end sleep", xs_power_deep_sleep, FAKE_NOTHING, FAKE_INT(1), FAKE_INT(0), FAKE_INT(2));
	step("refused sleep");
	wakes(0, 0);
	wakes(1u << ESP_SLEEP_WAKEUP_UNDEFINED, 0);
	wakes(1u << ESP_SLEEP_WAKEUP_TIMER, 0);
	wakes(1u << ESP_SLEEP_WAKEUP_EXT1, 1);
	wakes(1u << ESP_SLEEP_WAKEUP_EXT0, 0);
	wakes(1u << ESP_SLEEP_WAKEUP_GPIO, 1u << 2);
	wakes(1u << ESP_SLEEP_WAKEUP_TIMER | 1u << ESP_SLEEP_WAKEUP_EXT1, 1);
	step("wake reasons");
	fake_end_machine(&machine);
	return 0;
}
