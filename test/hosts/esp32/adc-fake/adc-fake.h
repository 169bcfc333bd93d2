/*
 * Fake of ESP-IDF's ADC, temperature sensor and sleep on a chip like the ESP32-S3, for power.c in entropy-peer.c. Calls
 * that affect the random generator or may end a sleep are lines of the output. Calls named in adc_refused fail.
 */
#ifndef ADC_FAKE_H
#define ADC_FAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "esp_err.h"

#define SOC_TEMP_SENSOR_SUPPORTED 1
#define ADC_CALI_SCHEME_CURVE_FITTING_SUPPORTED 1
#define SOC_PM_SUPPORT_EXT0_WAKEUP 1
#define SOC_PM_SUPPORT_EXT1_WAKEUP 1
#define RTC_NOINIT_ATTR

extern const char *adc_refused;
/* Cause of the wake-up: bits of ESP_SLEEP_WAKEUP_… and of pins. */
extern uint32_t adc_wake_causes;
extern uint64_t adc_wake_pins;

typedef enum { ADC_UNIT_1, ADC_UNIT_2 } adc_unit_t;
typedef int adc_channel_t;
typedef struct adc_oneshot_unit *adc_oneshot_unit_handle_t;
typedef struct adc_cali *adc_cali_handle_t;
typedef struct {
	adc_unit_t unit_id;
} adc_oneshot_unit_init_cfg_t;
typedef struct {
	int atten, bitwidth;
} adc_oneshot_chan_cfg_t;
typedef struct {
	adc_unit_t unit_id;
	adc_channel_t chan;
	int atten, bitwidth;
} adc_cali_curve_fitting_config_t;
enum { ADC_ATTEN_DB_12 = 3, ADC_BITWIDTH_DEFAULT = 0 };

esp_err_t adc_oneshot_io_to_channel(int pin, adc_unit_t *unit, adc_channel_t *channel);
esp_err_t adc_oneshot_new_unit(const adc_oneshot_unit_init_cfg_t *config, adc_oneshot_unit_handle_t *unit);
esp_err_t adc_oneshot_config_channel(
	adc_oneshot_unit_handle_t unit, adc_channel_t channel, const adc_oneshot_chan_cfg_t *config);
esp_err_t adc_oneshot_get_calibrated_result(
	adc_oneshot_unit_handle_t unit, adc_cali_handle_t calibration, adc_channel_t channel, int *millivolts);
esp_err_t adc_oneshot_del_unit(adc_oneshot_unit_handle_t unit);
esp_err_t adc_cali_create_scheme_curve_fitting(
	const adc_cali_curve_fitting_config_t *config, adc_cali_handle_t *calibration);
esp_err_t adc_cali_delete_scheme_curve_fitting(adc_cali_handle_t calibration);

typedef struct temperature_sensor *temperature_sensor_handle_t;
typedef struct {
	int from, to;
} temperature_sensor_config_t;
#define TEMPERATURE_SENSOR_CONFIG_DEFAULT(least, most) \
	{ \
		.from = (least), .to = (most) \
	}
esp_err_t temperature_sensor_install(const temperature_sensor_config_t *config, temperature_sensor_handle_t *sensor);
esp_err_t temperature_sensor_enable(temperature_sensor_handle_t sensor);
esp_err_t temperature_sensor_get_celsius(temperature_sensor_handle_t sensor, float *celsius);
esp_err_t temperature_sensor_disable(temperature_sensor_handle_t sensor);
esp_err_t temperature_sensor_uninstall(temperature_sensor_handle_t sensor);

typedef int gpio_num_t;
enum { GPIO_MODE_OUTPUT = 2 };
esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level);
esp_err_t gpio_set_direction(gpio_num_t pin, int mode);
esp_err_t gpio_hold_en(gpio_num_t pin);
esp_err_t gpio_hold_dis(gpio_num_t pin);

enum {
	ESP_SLEEP_WAKEUP_UNDEFINED,
	ESP_SLEEP_WAKEUP_ALL,
	ESP_SLEEP_WAKEUP_EXT0,
	ESP_SLEEP_WAKEUP_EXT1,
	ESP_SLEEP_WAKEUP_TIMER,
	ESP_SLEEP_WAKEUP_GPIO,
	ESP_SLEEP_WAKEUP_UART,
	ESP_SLEEP_WAKEUP_UART1,
	ESP_SLEEP_WAKEUP_UART2,
	ESP_EXT1_WAKEUP_ANY_LOW = 0,
	ESP_EXT1_WAKEUP_ANY_HIGH = 1,
};
esp_err_t esp_sleep_disable_wakeup_source(int source);
esp_err_t esp_sleep_enable_timer_wakeup(uint64_t us);
bool esp_sleep_is_valid_wakeup_gpio(gpio_num_t pin);
esp_err_t esp_sleep_enable_ext0_wakeup(gpio_num_t pin, int level);
esp_err_t esp_sleep_enable_ext1_wakeup_io(uint64_t mask, int mode);
uint32_t esp_sleep_get_wakeup_causes(void);
uint64_t esp_sleep_get_ext1_wakeup_status(void);
void esp_deep_sleep_start(void);

#endif
