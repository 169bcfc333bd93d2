/*
 * GPIO interrupts are level-triggered: the handler is called as long as the level persists and the interrupt is
 * enabled.
 */
#include "binding-fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../must.h"

enum { TIMERS = 8, PINS = 64, STORM = 1000 };

struct fake_timer {
	esp_timer_create_args_t arguments;
	bool runs;
	uint64_t left_us;
};

int idf_fails_at;
int idf_levels[PINS];
bool idf_outputs[PINS];
const uint8_t *idf_partition;
size_t idf_partition_size;
size_t idf_heap, idf_heap_piece, idf_iram, idf_iram_piece;
void *(*idf_tls_calloc)(size_t count, size_t size);
void (*idf_tls_free)(void *memory);
unsigned idf_tasks, idf_task_names = 32;
int idf_stack_step = 1;

static struct fake_timer timers[TIMERS];
static unsigned timer_count;
static struct {
	bool enabled;
	int type;
	void (*handler)(void *context);
	void *context;
} interrupts[PINS];
static bool service;

static bool fails(void)
{
	return idf_fails_at > 0 && --idf_fails_at == 0;
}

static bool is_called_for(int pin)
{
	return interrupts[pin].enabled && interrupts[pin].handler
		&& (interrupts[pin].type == GPIO_INTR_LOW_LEVEL ? idf_levels[pin] == 0 : idf_levels[pin] != 0);
}

static void interrupt(void)
{
	for (int pin = 0; pin < PINS; pin++) {
		unsigned count = 0;
		for (; is_called_for(pin); count++) {
			MUST(count < STORM);
			interrupts[pin].handler(interrupts[pin].context);
		}
	}
}

void idf_pass(unsigned ms)
{
	interrupt();
	for (unsigned i = 0; i < ms; i++) {
		for (unsigned t = 0; t < timer_count; t++) {
			struct fake_timer *timer = &timers[t];
			if (!timer->runs) continue;
			timer->left_us -= timer->left_us < 1000 ? timer->left_us : 1000;
			if (timer->left_us > 0) continue;
			timer->runs = false;
			timer->arguments.callback(timer->arguments.arg);
		}
		interrupt();
	}
}

esp_err_t gpio_config(const gpio_config_t *config)
{
	if (fails()) return ESP_FAIL;
	for (int pin = 0; pin < PINS; pin++) {
		if (!(config->pin_bit_mask >> pin & 1)) continue;
		MUST(config->mode == GPIO_MODE_INPUT && config->pull_up_en == GPIO_PULLUP_ENABLE && config->pull_down_en == 0);
		interrupts[pin].type = config->intr_type;
		interrupts[pin].enabled = true;
	}
	return ESP_OK;
}

esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level)
{
	idf_levels[pin] = (int)level;
	return ESP_OK;
}

esp_err_t gpio_set_direction(gpio_num_t pin, int mode)
{
	MUST(mode == GPIO_MODE_OUTPUT);
	idf_outputs[pin] = true;
	return ESP_OK;
}

int gpio_get_level(gpio_num_t pin)
{
	return idf_levels[pin];
}

esp_err_t gpio_set_intr_type(gpio_num_t pin, int type)
{
	interrupts[pin].type = type;
	return ESP_OK;
}

esp_err_t gpio_intr_enable(gpio_num_t pin)
{
	interrupts[pin].enabled = true;
	return ESP_OK;
}

esp_err_t gpio_intr_disable(gpio_num_t pin)
{
	interrupts[pin].enabled = false;
	return ESP_OK;
}

esp_err_t gpio_install_isr_service(int flags)
{
	MUST(flags == 0);
	if (fails()) return ESP_ERR_NO_MEM;
	if (service) return ESP_ERR_INVALID_STATE;
	service = true;
	return ESP_OK;
}

esp_err_t gpio_isr_handler_add(gpio_num_t pin, void (*handler)(void *context), void *context)
{
	MUST(service);
	if (fails()) return ESP_FAIL;
	interrupts[pin].handler = handler;
	interrupts[pin].context = context;
	return ESP_OK;
}

esp_err_t esp_timer_create(const esp_timer_create_args_t *arguments, esp_timer_handle_t *timer)
{
	if (fails()) return ESP_ERR_NO_MEM;
	MUST(timer_count < TIMERS);
	*timer = &timers[timer_count++];
	(*timer)->arguments = *arguments;
	return ESP_OK;
}

esp_err_t esp_timer_start_once(esp_timer_handle_t timer, uint64_t us)
{
	if (timer->runs) return ESP_ERR_INVALID_STATE;
	timer->runs = true;
	timer->left_us = us;
	return ESP_OK;
}

esp_err_t esp_timer_stop(esp_timer_handle_t timer)
{
	if (!timer->runs) return ESP_ERR_INVALID_STATE;
	timer->runs = false;
	return ESP_OK;
}

const esp_partition_t *esp_partition_find_first(int type, int subtype, const char *label)
{
	static esp_partition_t partition;
	MUST(type == ESP_PARTITION_TYPE_DATA && subtype == ESP_PARTITION_SUBTYPE_ANY);
	if (!idf_partition || strcmp(label, "factory_data") != 0) return NULL;
	partition.size = idf_partition_size;
	return &partition;
}

esp_err_t esp_partition_read(const esp_partition_t *partition, size_t offset, void *into, size_t size)
{
	if (fails()) return ESP_FAIL;
	if (offset > partition->size || size > partition->size - offset) return ESP_ERR_INVALID_SIZE;
	memcpy(into, idf_partition + offset, size);
	return ESP_OK;
}

size_t heap_caps_get_free_size(uint32_t caps)
{
	MUST(caps == MALLOC_CAP_8BIT || caps == MALLOC_CAP_IRAM_8BIT);
	return caps == MALLOC_CAP_8BIT ? idf_heap : idf_iram;
}

void *heap_caps_calloc_prefer(size_t count, size_t size, size_t kinds, ...)
{
	va_list list;
	va_start(list, kinds);
	MUST(kinds == 2);
	MUST(va_arg(list, int) == (MALLOC_CAP_INTERNAL | MALLOC_CAP_IRAM_8BIT));
	MUST(va_arg(list, int) == (MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT));
	va_end(list);
	size_t *from = count * size <= idf_iram ? &idf_iram : &idf_heap;
	if (count * size > *from) return NULL;
	*from -= count * size;
	return calloc(count, size);
}

void heap_caps_free(void *memory)
{
	free(memory);
}

int mbedtls_platform_set_calloc_free(void *(*take)(size_t count, size_t size), void (*give_back)(void *memory))
{
	idf_tls_calloc = take;
	idf_tls_free = give_back;
	return 0;
}

size_t heap_caps_get_largest_free_block(uint32_t caps)
{
	MUST(caps == MALLOC_CAP_8BIT || caps == MALLOC_CAP_IRAM_8BIT);
	return caps == MALLOC_CAP_8BIT ? idf_heap_piece : idf_iram_piece;
}

UBaseType_t uxTaskGetNumberOfTasks(void)
{
	return idf_tasks;
}

UBaseType_t uxTaskGetSystemState(TaskStatus_t *tasks, UBaseType_t count, uint32_t *total)
{
	static char names[32][16];
	MUST(!total && idf_tasks <= 32);
	if (count < idf_tasks) return 0;
	for (unsigned i = 0; i < idf_tasks; i++) {
		snprintf(names[i], sizeof(names[i]), "task %u", i % idf_task_names);
		tasks[i] = (TaskStatus_t){ .pcTaskName = names[i], .usStackHighWaterMark = 100 + i * idf_stack_step };
	}
	return idf_tasks;
}

esp_err_t esp_read_mac(uint8_t *mac, int type)
{
	MUST(type == ESP_MAC_WIFI_STA || type == ESP_MAC_ETH);
	for (unsigned i = 0; i < 6; i++) mac[i] = (uint8_t)((type == ESP_MAC_ETH ? 0xe0 : 0xa0) + i);
	return ESP_OK;
}
