#include "adc-fake.h"

#include <stdio.h>
#include <string.h>

const char *adc_refused = "";
uint32_t adc_wake_causes;
uint64_t adc_wake_pins;

static esp_err_t record(const char *call)
{
	puts(call);
	return strcmp(call, adc_refused) == 0 ? ESP_FAIL : ESP_OK;
}

esp_err_t adc_oneshot_io_to_channel(int pin, adc_unit_t *unit, adc_channel_t *channel)
{
	*unit = ADC_UNIT_1;
	*channel = pin - 1;
	return ESP_OK;
}

esp_err_t adc_oneshot_new_unit(const adc_oneshot_unit_init_cfg_t *config, adc_oneshot_unit_handle_t *unit)
{
	(void)config;
	*unit = NULL;
	return record("unit");
}

esp_err_t adc_oneshot_config_channel(
	adc_oneshot_unit_handle_t unit, adc_channel_t channel, const adc_oneshot_chan_cfg_t *config)
{
	(void)unit, (void)channel, (void)config;
	return record("channel");
}

esp_err_t adc_oneshot_get_calibrated_result(
	adc_oneshot_unit_handle_t unit, adc_cali_handle_t calibration, adc_channel_t channel, int *millivolts)
{
	(void)unit, (void)calibration, (void)channel;
	*millivolts = 1234;
	return ESP_OK;
}

esp_err_t adc_oneshot_del_unit(adc_oneshot_unit_handle_t unit)
{
	(void)unit;
	return record("no unit");
}

esp_err_t adc_cali_create_scheme_curve_fitting(
	const adc_cali_curve_fitting_config_t *config, adc_cali_handle_t *calibration)
{
	(void)config;
	*calibration = NULL;
	return ESP_OK;
}

esp_err_t adc_cali_delete_scheme_curve_fitting(adc_cali_handle_t calibration)
{
	(void)calibration;
	return ESP_OK;
}

esp_err_t temperature_sensor_install(const temperature_sensor_config_t *config, temperature_sensor_handle_t *sensor)
{
	(void)config;
	*sensor = NULL;
	return record("sensor");
}

esp_err_t temperature_sensor_enable(temperature_sensor_handle_t sensor)
{
	(void)sensor;
	return ESP_OK;
}

esp_err_t temperature_sensor_get_celsius(temperature_sensor_handle_t sensor, float *celsius)
{
	(void)sensor;
	*celsius = 21;
	return ESP_OK;
}

esp_err_t temperature_sensor_disable(temperature_sensor_handle_t sensor)
{
	(void)sensor;
	return ESP_OK;
}

esp_err_t temperature_sensor_uninstall(temperature_sensor_handle_t sensor)
{
	(void)sensor;
	return record("no sensor");
}

esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level)
{
	(void)pin, (void)level;
	return ESP_OK;
}

esp_err_t gpio_set_direction(gpio_num_t pin, int mode)
{
	(void)pin, (void)mode;
	return ESP_OK;
}

esp_err_t gpio_hold_en(gpio_num_t pin)
{
	printf("holds %d\n", pin);
	return ESP_OK;
}

esp_err_t gpio_hold_dis(gpio_num_t pin)
{
	(void)pin;
	return ESP_OK;
}

esp_err_t esp_sleep_disable_wakeup_source(int source)
{
	(void)source;
	return ESP_OK;
}

esp_err_t esp_sleep_enable_timer_wakeup(uint64_t us)
{
	printf("wakes after %llu us\n", (unsigned long long)us);
	return ESP_OK;
}

/* The ESP32-S3's wake-up pins. */
bool esp_sleep_is_valid_wakeup_gpio(gpio_num_t pin)
{
	return pin >= 0 && pin <= 21;
}

esp_err_t esp_sleep_enable_ext0_wakeup(gpio_num_t pin, int level)
{
	printf("wakes when %d is %d\n", pin, level);
	return strcmp("ext0", adc_refused) == 0 ? ESP_FAIL : ESP_OK;
}

esp_err_t esp_sleep_enable_ext1_wakeup_io(uint64_t mask, int mode)
{
	printf("wakes when one of 0x%llx is %d\n", (unsigned long long)mask, mode);
	return strcmp("ext1", adc_refused) == 0 ? ESP_FAIL : ESP_OK;
}

uint32_t esp_sleep_get_wakeup_causes(void)
{
	return adc_wake_causes;
}

uint64_t esp_sleep_get_ext1_wakeup_status(void)
{
	return adc_wake_pins;
}

void esp_deep_sleep_start(void)
{
	record("deep sleep");
}
