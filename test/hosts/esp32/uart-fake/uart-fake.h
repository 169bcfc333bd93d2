/*
 * Fake of ESP-IDF v6.0's UART driver for uart-peer.c: the calls and types that hosts/esp32/uart-port.c uses, and the
 * other end of the line. As in the real driver, the interrupt moves characters from the UART's 128 bytes into a ring at
 * a threshold or after a silence, and puts events into a queue that may be full.
 */
#ifndef UART_FAKE_H
#define UART_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int esp_err_t;
enum { ESP_OK = 0, ESP_FAIL = -1, ESP_ERR_TIMEOUT = 0x107 };

typedef int BaseType_t;
typedef uint32_t TickType_t;
typedef struct fake_queue *QueueHandle_t;
enum { pdFALSE = 0, pdTRUE = 1, pdPASS = 1 };
#define portMAX_DELAY UINT32_MAX
#define pdMS_TO_TICKS(ms) (ms)

typedef int uart_port_t;
enum { SOC_UART_HP_NUM = 3 };
enum { UART_DATA_8_BITS = 3, UART_PARITY_DISABLE = 0, UART_PARITY_EVEN = 2, UART_STOP_BITS_1 = 1, UART_STOP_BITS_2 = 3, UART_SCLK_DEFAULT = 4 };
enum { UART_HW_FLOWCTRL_DISABLE = 0, UART_HW_FLOWCTRL_CTS_RTS = 3 };
enum { UART_SIGNAL_RXD_INV = 4, UART_SIGNAL_TXD_INV = 32 };
enum { UART_PARITY_ERR_INT_ENA_M = 4, UART_FRM_ERR_INT_ENA_M = 8 };
typedef enum {
	UART_DATA,
	UART_BREAK,
	UART_BUFFER_FULL,
	UART_FIFO_OVF,
	UART_FRAME_ERR,
	UART_PARITY_ERR,
	UART_EVENT_MAX,
} uart_event_type_t;
typedef struct {
	uart_event_type_t type;
	size_t size;
	bool timeout_flag;
} uart_event_t;
typedef struct {
	int baud_rate, data_bits, parity, stop_bits, flow_ctrl;
	uint8_t rx_flow_ctrl_thresh;
	int source_clk;
} uart_config_t;

typedef int gpio_num_t;
enum { GPIO_PULLUP_ONLY, GPIO_PULLDOWN_ONLY };

esp_err_t uart_driver_install(uart_port_t uart, int ring, int send_ring, int events, QueueHandle_t *queue, int flags);
esp_err_t uart_driver_delete(uart_port_t uart);
esp_err_t uart_param_config(uart_port_t uart, const uart_config_t *config);
esp_err_t uart_set_line_inverse(uart_port_t uart, uint32_t mask);
esp_err_t uart_set_pin(uart_port_t uart, int transmit, int receive, int rts, int cts);
esp_err_t uart_set_rx_timeout(uart_port_t uart, uint8_t characters);
esp_err_t uart_set_rx_full_threshold(uart_port_t uart, int threshold);
esp_err_t uart_enable_intr_mask(uart_port_t uart, uint32_t mask);
esp_err_t uart_enable_rx_intr(uart_port_t uart);
esp_err_t uart_disable_rx_intr(uart_port_t uart);
esp_err_t uart_flush_input(uart_port_t uart);
esp_err_t uart_set_baudrate(uart_port_t uart, uint32_t baud);
esp_err_t uart_set_parity(uart_port_t uart, int parity);
esp_err_t uart_set_stop_bits(uart_port_t uart, int stop_bits);
esp_err_t uart_wait_tx_done(uart_port_t uart, TickType_t ticks);
int uart_tx_chars(uart_port_t uart, const char *bytes, uint32_t size);
int uart_read_bytes(uart_port_t uart, void *into, uint32_t limit, TickType_t ticks);
esp_err_t gpio_set_pull_mode(gpio_num_t gpio, int mode);
int gpio_get_level(gpio_num_t gpio);
esp_err_t gpio_reset_pin(gpio_num_t gpio);
int64_t esp_timer_get_time(void);
BaseType_t xQueueReceive(QueueHandle_t queue, void *event, TickType_t ticks);
BaseType_t xQueueSend(QueueHandle_t queue, const void *event, TickType_t ticks);
BaseType_t xTaskCreate(
	void (*run)(void *), const char *name, uint32_t stack, void *context, unsigned priority, void *out);

/* ---- For the test. Calls take the fake's lock, and may come from any thread. ---- */

/* True: tasks are threads in real time. False: the test runs the task and sets the time. */
extern bool fake_threads;
/* Number of the driver call that fails, among those that can fail; 0: none. */
extern int fake_fails_at;
/* Driver calls in an order that the real driver forbids. */
extern unsigned fake_mistakes;

void fake_pass(int64_t us);
/* A character arrives, with or without a stop bit. Returns false if the UART asks the other end to wait (RTS). */
bool fake_hear(uart_port_t uart, uint8_t byte, bool stopped);
/* A character arrives; its ninth bit is not the parity that the UART expects. */
bool fake_hear_wrong_parity(uart_port_t uart, uint8_t byte);
/* The line was quiet for longer than the driver's time-out. */
void fake_silence(uart_port_t uart);
/* Characters sent since the last call, and the speed of the last one. */
size_t fake_sent(uart_port_t uart, uint8_t *into, size_t limit);
/* No output is pending. */
bool fake_quiet(uart_port_t uart);
unsigned fake_baud(uart_port_t uart);
int fake_parity(uart_port_t uart);
int fake_stop_bits(uart_port_t uart);
uint32_t fake_inverse(uart_port_t uart);
int fake_pull(gpio_num_t gpio);
/* Level of all connected pins; -1 if they are unconnected. */
extern int fake_level;
/* Pins of the UART, as the last call has set them. */
extern int fake_transmit, fake_receive;
bool fake_installed(uart_port_t uart);
size_t fake_waiting(uart_port_t uart);

#endif
