#include "uart-fake.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIFO = 128, RING_MAX = 8192, WIRE_MAX = 65536, PINS = 64, EVENTS_MAX = 64 };
/* A little slower than the nominal speed. */
enum { CHARACTER_TENTH_BITS = 102 };

struct fake_queue {
	uart_event_t events[EVENTS_MAX];
	size_t limit, from, count;
};

typedef struct {
	bool installed, configured, calls;
	bool frame_errors, parity_errors, flow, full;
	int parity, stop_bits;
	unsigned baud, threshold, rts_at;
	uint32_t inverse;
	struct fake_queue queue;
	size_t ring_limit, ringed, fifo_count, send_count, wire_count;
	uint8_t ring[RING_MAX], fifo[FIFO], send[FIFO], wire[WIRE_MAX];
	/* Time at which the current character has been sent. */
	int64_t leaves_us;
} fake_uart;

bool fake_threads;
int fake_fails_at;
unsigned fake_mistakes;
static fake_uart uarts[SOC_UART_HP_NUM];
static int pulls[PINS];
int fake_level = -1, fake_transmit, fake_receive;
static int64_t now_us;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int64_t clock_us(void)
{
	struct timespec now;
	if (!fake_threads) return now_us;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static bool fails(void)
{
	return fake_fails_at > 0 && --fake_fails_at == 0;
}

static int64_t character_us(const fake_uart *u)
{
	return (CHARACTER_TENTH_BITS + (u->parity ? 10 : 0) + (u->stop_bits == UART_STOP_BITS_2 ? 10 : 0)) * 100000 / u->baud;
}

/* Moves the bytes that have been sent by now. */
static void send_on(fake_uart *u)
{
	int64_t now = clock_us();
	while (u->send_count > 0 && u->leaves_us <= now) {
		if (u->wire_count < WIRE_MAX) u->wire[u->wire_count++] = u->send[0];
		memmove(u->send, u->send + 1, --u->send_count);
		u->leaves_us += character_us(u);
	}
}

static fake_uart *enter(uart_port_t uart)
{
	pthread_mutex_lock(&lock);
	if (uart < 0 || uart >= SOC_UART_HP_NUM) abort();
	send_on(&uarts[uart]);
	return &uarts[uart];
}

static esp_err_t leave(esp_err_t result)
{
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return result;
}

static void event(fake_uart *u, uart_event_type_t type, bool timeout)
{
	struct fake_queue *q = &u->queue;
	if (!u->installed || q->count == q->limit) return;
	q->events[(q->from + q->count++) % q->limit] = (uart_event_t){ .type = type, .size = 1, .timeout_flag = timeout };
}

/* Calls the interrupt for received characters. */
static void called(fake_uart *u, bool timeout)
{
	if (!u->calls || u->full || u->fifo_count == 0) return;
	if (u->ring_limit - u->ringed < u->fifo_count) {
		u->full = true;
		event(u, UART_BUFFER_FULL, false);
		return;
	}
	memcpy(u->ring + u->ringed, u->fifo, u->fifo_count);
	u->ringed += u->fifo_count;
	u->fifo_count = 0;
	event(u, UART_DATA, timeout);
}

esp_err_t uart_driver_install(uart_port_t uart, int ring, int send_ring, int events, QueueHandle_t *queue, int flags)
{
	fake_uart *u = enter(uart);
	if (u->installed || ring <= FIFO || ring > RING_MAX || send_ring != 0 || events > EVENTS_MAX || flags != 0)
		fake_mistakes++;
	if (fails()) return leave(ESP_FAIL);
	u->installed = u->calls = true;
	u->threshold = 120;
	u->ring_limit = (size_t)ring;
	u->queue = (struct fake_queue){ .limit = (size_t)events };
	*queue = &u->queue;
	return leave(ESP_OK);
}

esp_err_t uart_driver_delete(uart_port_t uart)
{
	fake_uart *u = enter(uart);
	u->installed = u->configured = false;
	return leave(ESP_OK);
}

esp_err_t uart_param_config(uart_port_t uart, const uart_config_t *config)
{
	fake_uart *u = enter(uart);
	if (config->data_bits != UART_DATA_8_BITS || config->parity != 0 || config->stop_bits != 1) fake_mistakes++;
	if (fails()) return leave(ESP_FAIL);
	u->configured = true;
	u->baud = (unsigned)config->baud_rate;
	u->parity = config->parity;
	u->stop_bits = config->stop_bits;
	u->flow = config->flow_ctrl == UART_HW_FLOWCTRL_CTS_RTS;
	u->rts_at = config->rx_flow_ctrl_thresh;
	u->fifo_count = u->send_count = 0;
	return leave(ESP_OK);
}

esp_err_t uart_set_line_inverse(uart_port_t uart, uint32_t mask)
{
	fake_uart *u = enter(uart);
	if (fails()) return leave(ESP_FAIL);
	u->inverse = mask;
	return leave(ESP_OK);
}

esp_err_t uart_set_pin(uart_port_t uart, int transmit, int receive, int rts, int cts)
{
	fake_uart *u = enter(uart);
	if (!u->configured || rts >= PINS || cts >= PINS) fake_mistakes++;
	fake_transmit = transmit;
	fake_receive = receive;
	if (fails() || transmit < 0 || receive < 0 || transmit >= PINS || receive >= PINS) return leave(ESP_FAIL);
	return leave(ESP_OK);
}

esp_err_t uart_set_rx_timeout(uart_port_t uart, uint8_t characters)
{
	enter(uart);
	if (characters == 0) fake_mistakes++;
	return leave(fails() ? ESP_FAIL : ESP_OK);
}

esp_err_t uart_set_rx_full_threshold(uart_port_t uart, int threshold)
{
	fake_uart *u = enter(uart);
	if (!u->installed || threshold < 1 || threshold >= FIFO) return leave(ESP_FAIL);
	/* The real driver also applies the threshold only if interrupts are enabled and the ring is not full. */
	if (u->calls && !u->full) u->threshold = (unsigned)threshold;
	if (u->fifo_count >= u->threshold) called(u, false);
	return leave(ESP_OK);
}

esp_err_t uart_enable_intr_mask(uart_port_t uart, uint32_t mask)
{
	fake_uart *u = enter(uart);
	if (fails()) return leave(ESP_FAIL);
	if (mask & UART_FRM_ERR_INT_ENA_M) u->frame_errors = true;
	if (mask & UART_PARITY_ERR_INT_ENA_M) u->parity_errors = true;
	return leave(ESP_OK);
}

esp_err_t uart_enable_rx_intr(uart_port_t uart)
{
	fake_uart *u = enter(uart);
	u->calls = true;
	return leave(ESP_OK);
}

esp_err_t uart_disable_rx_intr(uart_port_t uart)
{
	fake_uart *u = enter(uart);
	u->calls = false;
	return leave(ESP_OK);
}

esp_err_t uart_flush_input(uart_port_t uart)
{
	fake_uart *u = enter(uart);
	u->fifo_count = u->ringed = 0;
	u->full = false;
	return leave(ESP_OK);
}

esp_err_t uart_set_baudrate(uart_port_t uart, uint32_t baud)
{
	fake_uart *u = enter(uart);
	if (baud > 5000000) return leave(ESP_FAIL);
	u->baud = baud;
	return leave(ESP_OK);
}

esp_err_t uart_set_parity(uart_port_t uart, int parity)
{
	fake_uart *u = enter(uart);
	if (fails() || !u->configured) return leave(ESP_FAIL);
	u->parity = parity;
	return leave(ESP_OK);
}

esp_err_t uart_set_stop_bits(uart_port_t uart, int stop_bits)
{
	fake_uart *u = enter(uart);
	if (fails() || !u->configured) return leave(ESP_FAIL);
	u->stop_bits = stop_bits;
	return leave(ESP_OK);
}

esp_err_t uart_wait_tx_done(uart_port_t uart, TickType_t ticks)
{
	fake_uart *u = enter(uart);
	if (ticks != 0) fake_mistakes++;
	return leave(u->send_count == 0 ? ESP_OK : ESP_ERR_TIMEOUT);
}

int uart_tx_chars(uart_port_t uart, const char *bytes, uint32_t size)
{
	fake_uart *u = enter(uart);
	size_t count = FIFO - u->send_count;
	if (count > size) count = size;
	if (u->send_count == 0) u->leaves_us = clock_us() + character_us(u);
	memcpy(u->send + u->send_count, bytes, count);
	u->send_count += count;
	return leave((int)count);
}

int uart_read_bytes(uart_port_t uart, void *into, uint32_t limit, TickType_t ticks)
{
	fake_uart *u = enter(uart);
	if (ticks != 0) fake_mistakes++;
	size_t count = u->ringed < limit ? u->ringed : limit;
	memcpy(into, u->ring, count);
	u->ringed -= count;
	memmove(u->ring, u->ring + count, u->ringed);
	if (u->full && u->ring_limit - u->ringed >= u->fifo_count) {
		u->full = false;
		memcpy(u->ring + u->ringed, u->fifo, u->fifo_count);
		u->ringed += u->fifo_count;
		u->fifo_count = 0;
	}
	return leave((int)count);
}

/* As in ESP-IDF, the pin becomes an input with a pull-up. */
esp_err_t gpio_reset_pin(gpio_num_t gpio)
{
	pulls[gpio] = GPIO_PULLUP_ONLY;
	return ESP_OK;
}

/* An unconnected pin has the level of its pull resistor. */
int gpio_get_level(gpio_num_t gpio)
{
	return fake_level >= 0 ? fake_level : pulls[gpio] == GPIO_PULLUP_ONLY;
}

esp_err_t gpio_set_pull_mode(gpio_num_t gpio, int mode)
{
	pulls[gpio] = mode;
	return ESP_OK;
}

int64_t esp_timer_get_time(void)
{
	pthread_mutex_lock(&lock);
	int64_t now = clock_us();
	pthread_mutex_unlock(&lock);
	return now;
}

BaseType_t xQueueReceive(QueueHandle_t queue, void *into, TickType_t ticks)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	int64_t ns = until.tv_nsec + (int64_t)(ticks == portMAX_DELAY ? 0 : ticks) * 1000000;
	until.tv_sec += ns / 1000000000;
	until.tv_nsec = ns % 1000000000;
	pthread_mutex_lock(&lock);
	while (queue->count == 0 && fake_threads) {
		if (ticks == portMAX_DELAY) pthread_cond_wait(&changed, &lock);
		else if (pthread_cond_timedwait(&changed, &lock, &until) != 0) break;
	}
	bool came = queue->count > 0;
	if (came) {
		memcpy(into, &queue->events[queue->from], sizeof(uart_event_t));
		queue->from = (queue->from + 1) % queue->limit;
		queue->count--;
	}
	pthread_mutex_unlock(&lock);
	return came ? pdTRUE : pdFALSE;
}

BaseType_t xQueueSend(QueueHandle_t queue, const void *from, TickType_t ticks)
{
	pthread_mutex_lock(&lock);
	if (ticks != 0) fake_mistakes++;
	bool room = queue->count < queue->limit;
	if (room) memcpy(&queue->events[(queue->from + queue->count++) % queue->limit], from, sizeof(uart_event_t));
	leave(ESP_OK);
	return room ? pdTRUE : pdFALSE;
}

typedef struct {
	void (*run)(void *);
	void *context;
} fake_task;

static void *start(void *data)
{
	fake_task task = *(fake_task *)data;
	free(data);
	task.run(task.context);
	return NULL;
}

BaseType_t xTaskCreate(
	void (*run)(void *), const char *name, uint32_t stack, void *context, unsigned priority, void *out)
{
	pthread_t thread;
	if (!name || stack < 1024 || priority == 0 || out) fake_mistakes++;
	if (fails()) return pdFALSE;
	if (!fake_threads) return pdPASS;
	fake_task *task = malloc(sizeof(fake_task));
	*task = (fake_task){ .run = run, .context = context };
	if (pthread_create(&thread, NULL, start, task) != 0) abort();
	pthread_detach(thread);
	return pdPASS;
}

void fake_pass(int64_t us)
{
	pthread_mutex_lock(&lock);
	now_us += us;
	for (int i = 0; i < SOC_UART_HP_NUM; i++) send_on(&uarts[i]);
	leave(ESP_OK);
}

bool fake_hear(uart_port_t uart, uint8_t byte, bool stopped)
{
	fake_uart *u = enter(uart);
	if (u->flow && u->fifo_count >= u->rts_at) {
		leave(ESP_OK);
		return false;
	}
	if (u->fifo_count == FIFO) {
		u->fifo_count = 0;
		event(u, UART_FIFO_OVF, false);
	}
	u->fifo[u->fifo_count++] = byte;
	if (u->fifo_count >= u->threshold) called(u, false);
	if (!stopped && u->frame_errors) event(u, UART_FRAME_ERR, false);
	leave(ESP_OK);
	return true;
}

bool fake_hear_wrong_parity(uart_port_t uart, uint8_t byte)
{
	if (!fake_hear(uart, byte, true)) return false;
	fake_uart *u = enter(uart);
	if (u->parity == UART_PARITY_DISABLE) fake_mistakes++;
	else if (u->parity_errors) event(u, UART_PARITY_ERR, false);
	leave(ESP_OK);
	return true;
}

void fake_silence(uart_port_t uart)
{
	called(enter(uart), true);
	leave(ESP_OK);
}

size_t fake_sent(uart_port_t uart, uint8_t *into, size_t limit)
{
	fake_uart *u = enter(uart);
	size_t count = u->wire_count < limit ? u->wire_count : limit;
	memcpy(into, u->wire, count);
	u->wire_count -= count;
	memmove(u->wire, u->wire + count, u->wire_count);
	leave(ESP_OK);
	return count;
}

bool fake_quiet(uart_port_t uart)
{
	bool quiet = enter(uart)->send_count == 0;
	leave(ESP_OK);
	return quiet;
}

int fake_stop_bits(uart_port_t uart)
{
	int stop_bits = enter(uart)->stop_bits;
	leave(ESP_OK);
	return stop_bits;
}

int fake_parity(uart_port_t uart)
{
	int parity = enter(uart)->parity;
	leave(ESP_OK);
	return parity;
}

unsigned fake_baud(uart_port_t uart)
{
	unsigned baud = enter(uart)->baud;
	leave(ESP_OK);
	return baud;
}

uint32_t fake_inverse(uart_port_t uart)
{
	return uarts[uart].inverse;
}

int fake_pull(gpio_num_t gpio)
{
	return pulls[gpio];
}

bool fake_installed(uart_port_t uart)
{
	return uarts[uart].installed;
}

size_t fake_waiting(uart_port_t uart)
{
	size_t count = enter(uart)->queue.count;
	leave(ESP_OK);
	return count;
}
