/*
 * Fakes of the ESP-IDF calls that the small XS bindings (led.c, power-button.c, factory-data.c, wifi-xs.c,
 * ethernet-xs.c) and free-heap.c use, for their tests.
 */
#ifndef BINDING_FAKE_H
#define BINDING_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int esp_err_t;
enum { ESP_OK = 0, ESP_FAIL = -1, ESP_ERR_NO_MEM = 0x101, ESP_ERR_INVALID_STATE = 0x103, ESP_ERR_INVALID_SIZE = 0x104 };

typedef int gpio_num_t;
enum { GPIO_MODE_INPUT = 1, GPIO_MODE_OUTPUT = 2, GPIO_PULLUP_ENABLE = 1 };
enum { GPIO_INTR_LOW_LEVEL = 4, GPIO_INTR_HIGH_LEVEL = 5 };
typedef struct {
	uint64_t pin_bit_mask;
	int mode, pull_up_en, pull_down_en, intr_type;
} gpio_config_t;
esp_err_t gpio_config(const gpio_config_t *config);
esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level);
esp_err_t gpio_set_direction(gpio_num_t pin, int mode);
int gpio_get_level(gpio_num_t pin);
esp_err_t gpio_set_intr_type(gpio_num_t pin, int type);
esp_err_t gpio_intr_enable(gpio_num_t pin);
esp_err_t gpio_intr_disable(gpio_num_t pin);
esp_err_t gpio_install_isr_service(int flags);
esp_err_t gpio_isr_handler_add(gpio_num_t pin, void (*handler)(void *context), void *context);

typedef struct fake_timer *esp_timer_handle_t;
typedef struct {
	void (*callback)(void *context);
	void *arg;
	const char *name;
} esp_timer_create_args_t;
esp_err_t esp_timer_create(const esp_timer_create_args_t *arguments, esp_timer_handle_t *timer);
esp_err_t esp_timer_start_once(esp_timer_handle_t timer, uint64_t us);
esp_err_t esp_timer_stop(esp_timer_handle_t timer);

typedef struct {
	size_t size;
} esp_partition_t;
enum { ESP_PARTITION_TYPE_DATA = 1, ESP_PARTITION_SUBTYPE_ANY = 0xff };
const esp_partition_t *esp_partition_find_first(int type, int subtype, const char *label);
esp_err_t esp_partition_read(const esp_partition_t *partition, size_t offset, void *into, size_t size);

enum { ESP_MAC_WIFI_STA, ESP_MAC_ETH = 3 };
esp_err_t esp_read_mac(uint8_t *mac, int type);

enum { MALLOC_CAP_8BIT = 4, MALLOC_CAP_INTERNAL = 1 << 11, MALLOC_CAP_IRAM_8BIT = 1 << 13 };
size_t heap_caps_get_free_size(uint32_t caps);
size_t heap_caps_get_largest_free_block(uint32_t caps);
/* Allocates from IRAM if its `idf_iram` bytes are enough, otherwise from the `idf_heap` bytes of the heap. */
void *heap_caps_calloc_prefer(size_t count, size_t size, size_t kinds, ...);
void heap_caps_free(void *memory);
/* The firmware defines these two functions, and ESP-IDF calls them. */
void esp_heap_trace_alloc_hook(void *memory, size_t size, uint32_t kind);
void esp_heap_trace_free_hook(void *memory);

/* Mbed TLS. The two pointers are the functions that the firmware has set. */
int mbedtls_platform_set_calloc_free(void *(*take)(size_t count, size_t size), void (*give_back)(void *memory));
extern void *(*idf_tls_calloc)(size_t count, size_t size);
extern void (*idf_tls_free)(void *memory);

/*
 * FreeRTOS. It has `idf_tasks` tasks with the names "task 0", "task 1" and so on; after `idf_task_names` tasks the
 * names repeat. The first task has left 100 bytes of its stack unused. Each further task has left `idf_stack_step`
 * bytes more than the task before it.
 */
typedef unsigned UBaseType_t;
typedef struct {
	const char *pcTaskName;
	uint32_t usStackHighWaterMark;
} TaskStatus_t;
UBaseType_t uxTaskGetNumberOfTasks(void);
UBaseType_t uxTaskGetSystemState(TaskStatus_t *tasks, UBaseType_t count, uint32_t *total);
extern unsigned idf_tasks, idf_task_names;
extern int idf_stack_step;

/* ---- For the test ---- */

/* Free bytes, and bytes in the largest free piece, of the heap and of IRAM. */
extern size_t idf_heap, idf_heap_piece, idf_iram, idf_iram_piece;

/* Counts down at each call that can fail. The call at which it reaches 0 fails. At 0 no call fails. */
extern int idf_fails_at;
/* Level of each pin, and whether the pin was made an output. */
extern int idf_levels[64];
extern bool idf_outputs[64];
/* Lets `ms` pass: due timers and pending interrupts call their functions. */
void idf_pass(unsigned ms);
/* Contents of the factory data partition; NULL if there is no such partition. */
extern const uint8_t *idf_partition;
extern size_t idf_partition_size;

#endif
