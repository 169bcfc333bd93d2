/* Measurements, outputs and sleep. Only sleep and measurements wait; a measurement takes less than 2 ms. */
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
/* Causes of a wake-up, as in modules/io/flash.ts. */
enum { WAKE_NONE, WAKE_TIMER, WAKE_BUTTON, WAKE_SUPPLY };

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

/* Argument: pin. Returns mV, or undefined if the pin cannot be measured. Only ADC 1 works while Wi-Fi is on. */
void xs_power_millivolts(xsMachine *the)
{
	adc_unit_t unit;
	adc_channel_t channel;
	if (adc_oneshot_io_to_channel((int)xsmcToInteger(xsArg(0)), &unit, &channel) != ESP_OK) return;
	int millivolts = unit == ADC_UNIT_1 ? measure_unit_1(channel) : -1;
	if (millivolts >= 0) xsmcSetInteger(xsResult, millivolts);
}

#if SOC_TEMP_SENSOR_SUPPORTED

/* Returns NAN on failure. The sensor needs the same power supply as the ADC. */
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

static uint64_t outputs;

void xs_power_output(xsMachine *the)
{
	gpio_num_t pin = (gpio_num_t)xsmcToInteger(xsArg(0));
	uint32_t level = xsmcToBoolean(xsArg(1)) ? 1 : 0;
	/* The level is set before the direction, so that the pin never shows the opposite level. */
	gpio_set_level(pin, level);
	gpio_set_direction(pin, GPIO_MODE_OUTPUT);
	/* Sleep may have left the pin on hold. */
	gpio_hold_dis(pin);
	outputs |= 1ULL << pin;
}

static bool can_wake(int pin)
{
	return pin != NO_PIN && esp_sleep_is_valid_wakeup_gpio((gpio_num_t)pin);
}

static bool wake_when_low(int pin)
{
	uint64_t mask = 1ULL << pin;
#if SOC_PM_SUPPORT_EXT1_WAKEUP
#if CONFIG_IDF_TARGET_ESP32
	return esp_sleep_enable_ext1_wakeup_io(mask, ESP_EXT1_WAKEUP_ALL_LOW) == ESP_OK;
#else
	return esp_sleep_enable_ext1_wakeup_io(mask, ESP_EXT1_WAKEUP_ANY_LOW) == ESP_OK;
#endif
#else
	return esp_sleep_enable_gpio_wakeup_on_hp_periph_powerdown(mask, ESP_GPIO_WAKEUP_GPIO_LOW) == ESP_OK;
#endif
}

/* Lets a high pin end sleep. On a chip where all EXT1 pins share one level, EXT0 is used, which can watch one pin. */
static bool wake_when_high(int pin)
{
#if SOC_PM_SUPPORT_EXT0_WAKEUP
	return esp_sleep_enable_ext0_wakeup((gpio_num_t)pin, 1) == ESP_OK;
#elif SOC_PM_SUPPORT_EXT1_WAKEUP
	return esp_sleep_enable_ext1_wakeup_io(1ULL << pin, ESP_EXT1_WAKEUP_ANY_HIGH) == ESP_OK;
#else
	return esp_sleep_enable_gpio_wakeup_on_hp_periph_powerdown(1ULL << pin, ESP_GPIO_WAKEUP_GPIO_HIGH) == ESP_OK;
#endif
}

/*
 * Arguments: ms, button, supply. Never returns. The firmware restarts after `ms`, when GPIO `button` is low, or when
 * GPIO `supply` is high. NO_PIN disables a pin. A pin that cannot wake the chip is ignored.
 */
void xs_power_deep_sleep(xsMachine *the)
{
	double ms = xsmcToNumber(xsArg(0));
	int button = (int)xsmcToInteger(xsArg(1)), supply = (int)xsmcToInteger(xsArg(2));
	esp_sleep_disable_wakeup_source(ESP_SLEEP_WAKEUP_ALL);
	if (!(ms >= 0) || esp_sleep_enable_timer_wakeup((uint64_t)(ms * 1000)) != ESP_OK) xsRangeError("no time to sleep for");
	if ((can_wake(button) && !wake_when_low(button)) || (can_wake(supply) && !wake_when_high(supply)))
		xsRangeError("the pin can't end sleep");
	/* Outputs on pins that can wake the chip keep their level during sleep, so that a coprocessor stays in reset. */
	for (int pin = 0; pin < 64; pin++)
		if (outputs >> pin & 1 && can_wake(pin)) gpio_hold_en((gpio_num_t)pin);
	entropy_pause(ENTROPY_SLEEP);
	esp_deep_sleep_start();
}

static uint64_t waking_pins(void)
{
#if SOC_PM_SUPPORT_EXT1_WAKEUP
	return esp_sleep_get_ext1_wakeup_status();
#else
	return esp_sleep_get_gpio_wakeup_status();
#endif
}

/*
 * Argument: supply. Returns the cause of this start, one of WAKE_…. If neither timer nor supply ended a sleep, the
 * button did.
 */
void xs_power_wake_reason(xsMachine *the)
{
	int supply = (int)xsmcToInteger(xsArg(0));
	uint32_t causes = esp_sleep_get_wakeup_causes() & ~(1u << ESP_SLEEP_WAKEUP_UNDEFINED);
	int reason = WAKE_BUTTON;
	if (causes == 0) reason = WAKE_NONE;
	else if (causes == 1u << ESP_SLEEP_WAKEUP_TIMER) reason = WAKE_TIMER;
	else if (causes & 1u << ESP_SLEEP_WAKEUP_EXT0) reason = WAKE_SUPPLY;
	else if (supply != NO_PIN && waking_pins() & 1ULL << supply) reason = WAKE_SUPPLY;
	xsmcSetInteger(xsResult, reason);
}

void xs_power_retain(xsMachine *the)
{
	void *bytes;
	xsUnsignedValue size;
	xsmcGetBufferReadable(xsArg(0), &bytes, &size);
	if (!retained_keep(&retained, bytes, size)) xsRangeError("more than can be retained");
}

void xs_power_retained(xsMachine *the)
{
	uint8_t bytes[RETAINED_LIMIT];
	int size = retained_recall(&retained, bytes);
	if (size >= 0) xsmcSetArrayBuffer(xsResult, bytes, size);
}
