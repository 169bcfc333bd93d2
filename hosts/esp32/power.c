/*
 * Voltages, temperature, outputs and sleep of the chip, for power.ts. None of them waits, but for what a measurement
 * takes (under 2 ms) and for sleep itself.
 */
#include <math.h>
#include <string.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "driver/gpio.h"
#include "esp_adc/adc_cali.h"
#include "esp_adc/adc_cali_scheme.h"
#include "esp_adc/adc_oneshot.h"
#include "esp_attr.h"
#include "esp_sleep.h"
#include "soc/soc_caps.h"
#if SOC_TEMP_SENSOR_SUPPORTED
#include "driver/temperature_sensor.h"
#endif

#include "entropy.h"
#include "power-retained.h"

enum { ADC_SAMPLES = 16, NO_PIN = -1, TEMPERATURE_MIN = -10, TEMPERATURE_MAX = 80 };
/* Why the chip woke, as bits; power.ts has the same. */
enum { WAKE_TIMER = 1, WAKE_PIN = 2, WAKE_UART = 4, WAKE_OTHER = 8 };

static RTC_NOINIT_ATTR retained_record retained;

static esp_err_t calibrate(adc_channel_t channel, adc_cali_handle_t *calibration)
{
#if ADC_CALI_SCHEME_CURVE_FITTING_SUPPORTED
	const adc_cali_curve_fitting_config_t config = {
		.unit_id = ADC_UNIT_1, .chan = channel, .atten = ADC_ATTEN_DB_12, .bitwidth = ADC_BITWIDTH_DEFAULT,
	};
	return adc_cali_create_scheme_curve_fitting(&config, calibration);
#else
	(void)channel;
	const adc_cali_line_fitting_config_t config = {
		.unit_id = ADC_UNIT_1, .atten = ADC_ATTEN_DB_12, .bitwidth = ADC_BITWIDTH_DEFAULT, .default_vref = 1100,
	};
	return adc_cali_create_scheme_line_fitting(&config, calibration);
#endif
}

static void end_calibration(adc_cali_handle_t calibration)
{
#if ADC_CALI_SCHEME_CURVE_FITTING_SUPPORTED
	adc_cali_delete_scheme_curve_fitting(calibration);
#else
	adc_cali_delete_scheme_line_fitting(calibration);
#endif
}

/* The mean in mV, or -1. */
static int measure(adc_oneshot_unit_handle_t unit, adc_channel_t channel)
{
	const adc_oneshot_chan_cfg_t config = { .atten = ADC_ATTEN_DB_12, .bitwidth = ADC_BITWIDTH_DEFAULT };
	adc_cali_handle_t calibration;
	if (adc_oneshot_config_channel(unit, channel, &config) != ESP_OK) return -1;
	if (calibrate(channel, &calibration) != ESP_OK) return -1;
	int sum = 0, count = 0, millivolts;
	for (int i = 0; i < ADC_SAMPLES; i++) {
		if (adc_oneshot_get_calibrated_result(unit, calibration, channel, &millivolts) != ESP_OK) continue;
		sum += millivolts;
		count++;
	}
	end_calibration(calibration);
	return count > 0 ? (sum + count / 2) / count : -1;
}

static int measure_unit_1(adc_channel_t channel)
{
	const adc_oneshot_unit_init_cfg_t config = { .unit_id = ADC_UNIT_1 };
	adc_oneshot_unit_handle_t handle;
	int millivolts = -1;
	entropy_pause(ENTROPY_ADC);
	if (adc_oneshot_new_unit(&config, &handle) == ESP_OK) {
		millivolts = measure(handle, channel);
		adc_oneshot_del_unit(handle);
	}
	entropy_resume(ENTROPY_ADC);
	return millivolts;
}

/* (pin): mV there, or undefined where it can't be measured: only ADC 1 can beside Wi-Fi. */
void xs_power_millivolts(xsMachine *the)
{
	adc_unit_t unit;
	adc_channel_t channel;
	if (adc_oneshot_io_to_channel((int)xsmcToInteger(xsArg(0)), &unit, &channel) != ESP_OK) return;
	int millivolts = unit == ADC_UNIT_1 ? measure_unit_1(channel) : -1;
	if (millivolts >= 0) xsmcSetInteger(xsResult, millivolts);
}

#if SOC_TEMP_SENSOR_SUPPORTED

/* NAN where that fails. Its sensor and the ADC share what supplies them. */
static float measure_temperature(void)
{
	const temperature_sensor_config_t config = TEMPERATURE_SENSOR_CONFIG_DEFAULT(TEMPERATURE_MIN, TEMPERATURE_MAX);
	temperature_sensor_handle_t sensor;
	float celsius = NAN;
	if (temperature_sensor_install(&config, &sensor) != ESP_OK) return NAN;
	if (temperature_sensor_enable(sensor) == ESP_OK) {
		if (temperature_sensor_get_celsius(sensor, &celsius) != ESP_OK) celsius = NAN;
		temperature_sensor_disable(sensor);
	}
	temperature_sensor_uninstall(sensor);
	return celsius;
}

#endif

/* Degrees Celsius of the chip, or undefined where it has no sensor. */
void xs_power_temperature(xsMachine *the)
{
#if SOC_TEMP_SENSOR_SUPPORTED
	entropy_pause(ENTROPY_ADC);
	float celsius = measure_temperature();
	entropy_resume(ENTROPY_ADC);
	if (!isnan(celsius)) xsmcSetNumber(xsResult, (double)celsius);
#else
	(void)the;
#endif
}

/* (pin, level) */
void xs_power_output(xsMachine *the)
{
	gpio_num_t pin = (gpio_num_t)xsmcToInteger(xsArg(0));
	uint32_t level = xsmcToBoolean(xsArg(1)) ? 1 : 0;
	/* The level first, so that the pin never shows the other one. */
	gpio_set_level(pin, level);
	gpio_set_direction(pin, GPIO_MODE_OUTPUT);
}

/* Which events end the next sleep; false when the chip can't. The pin's is a low level. */
static bool wake_deep_by(int pin)
{
	if (pin == NO_PIN) return true;
	uint64_t mask = 1ULL << pin;
#if SOC_GPIO_SUPPORT_HP_PERIPH_PD_SLEEP_WAKEUP
	return esp_sleep_enable_gpio_wakeup_on_hp_periph_powerdown(mask, ESP_GPIO_WAKEUP_GPIO_LOW) == ESP_OK;
#elif CONFIG_IDF_TARGET_ESP32
	return esp_sleep_enable_ext1_wakeup_io(mask, ESP_EXT1_WAKEUP_ALL_LOW) == ESP_OK;
#else
	return esp_sleep_enable_ext1_wakeup_io(mask, ESP_EXT1_WAKEUP_ANY_LOW) == ESP_OK;
#endif
}

static bool wake_light_by(int pin)
{
	if (pin == NO_PIN) return true;
	return gpio_wakeup_enable((gpio_num_t)pin, GPIO_INTR_LOW_LEVEL) == ESP_OK && esp_sleep_enable_gpio_wakeup() == ESP_OK;
}

static void wake_after(xsMachine *the)
{
	double ms = xsmcToNumber(xsArg(0));
	esp_sleep_disable_wakeup_source(ESP_SLEEP_WAKEUP_ALL);
	if (!(ms >= 0) || esp_sleep_enable_timer_wakeup((uint64_t)(ms * 1000)) != ESP_OK) xsRangeError("no time to sleep for");
}

/* (ms, pin): stands still, with all that runs, for so long or until the pin is low. */
void xs_power_light_sleep(xsMachine *the)
{
	int pin = (int)xsmcToInteger(xsArg(1));
	wake_after(the);
	if (!wake_light_by(pin)) xsRangeError("the pin can't end sleep");
	entropy_pause(ENTROPY_SLEEP);
	xsmcSetBoolean(xsResult, esp_light_sleep_start() == ESP_OK);
	entropy_resume(ENTROPY_SLEEP);
	if (pin != NO_PIN) gpio_wakeup_disable((gpio_num_t)pin);
}

/* (ms, pin): does not come back; the firmware starts anew when it ends. */
void xs_power_deep_sleep(xsMachine *the)
{
	wake_after(the);
	if (!wake_deep_by((int)xsmcToInteger(xsArg(1)))) xsRangeError("the pin can't end sleep");
	entropy_pause(ENTROPY_SLEEP);
	esp_deep_sleep_start();
}

/* WAKE_…, 0: not from sleep. */
void xs_power_wake_reasons(xsMachine *the)
{
	static const struct {
		unsigned cause, reason;
	} reasons[] = {
		{ ESP_SLEEP_WAKEUP_TIMER, WAKE_TIMER }, { ESP_SLEEP_WAKEUP_EXT0, WAKE_PIN }, { ESP_SLEEP_WAKEUP_EXT1, WAKE_PIN },
		{ ESP_SLEEP_WAKEUP_GPIO, WAKE_PIN }, { ESP_SLEEP_WAKEUP_UART, WAKE_UART }, { ESP_SLEEP_WAKEUP_UART1, WAKE_UART },
		{ ESP_SLEEP_WAKEUP_UART2, WAKE_UART },
	};
	uint32_t causes = esp_sleep_get_wakeup_causes() & ~(1u << ESP_SLEEP_WAKEUP_UNDEFINED);
	unsigned told = 0;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (!(causes & 1u << reasons[i].cause)) continue;
		told |= reasons[i].reason;
		causes &= ~(1u << reasons[i].cause);
	}
	xsmcSetInteger(xsResult, (xsIntegerValue)(told | (causes ? WAKE_OTHER : 0)));
}

/* (bytes): kept until power is cut; at most RETAINED_LIMIT. */
void xs_power_retain(xsMachine *the)
{
	void *bytes;
	xsUnsignedValue size;
	xsmcGetBufferReadable(xsArg(0), &bytes, &size);
	if (!retained_keep(&retained, bytes, size)) xsRangeError("more than can be retained");
}

/* What was kept, or undefined. */
void xs_power_retained(xsMachine *the)
{
	uint8_t bytes[RETAINED_LIMIT];
	int size = retained_recall(&retained, bytes);
	if (size >= 0) xsmcSetArrayBuffer(xsResult, bytes, size);
}
