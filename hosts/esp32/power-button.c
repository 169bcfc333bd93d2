/*
 * A button with debouncing. The interrupt triggers on the level opposite to the last sample, so that no change is
 * missed.
 */
#include <pthread.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "driver/gpio.h"
#include "esp_timer.h"

#include "machine-post.h"
#include "power-debounce.h"

static struct {
	xsMachine *the;
	xsSlot target;
	gpio_num_t pin;
	esp_timer_handle_t rest;
	pthread_mutex_t lock;
	power_debounce state;
} button = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool next_change(bool *pressed)
{
	pthread_mutex_lock(&button.lock);
	bool changed = power_debounce_next(&button.state, pressed);
	pthread_mutex_unlock(&button.lock);
	return changed;
}

static void deliver(void *context)
{
	(void)context;
	bool pressed;
	while (next_change(&pressed)) {
		xsBeginHost(button.the);
		xsmcVars(1);
		xsmcSetBoolean(xsVar(0), pressed);
		xsCall1(button.target, xsID_onButton, xsVar(0));
		xsEndHost(button.the);
	}
}

/* Runs in the interrupt. */
static void on_level(void *context)
{
	(void)context;
	gpio_intr_disable(button.pin);
	esp_timer_start_once(button.rest, DEBOUNCE_MS * 1000);
}

/* Runs in the timer task. */
static void on_settled(void *context)
{
	(void)context;
	bool pressed = gpio_get_level(button.pin) == 0;
	pthread_mutex_lock(&button.lock);
	bool post = power_debounce_sample(&button.state, pressed);
	pthread_mutex_unlock(&button.lock);
	if (post) machine_post(button.the, deliver, NULL);
	gpio_set_intr_type(button.pin, pressed ? GPIO_INTR_HIGH_LEVEL : GPIO_INTR_LOW_LEVEL);
	gpio_intr_enable(button.pin);
}

static bool start(void)
{
	const gpio_config_t input = {
		.pin_bit_mask = 1ULL << button.pin,
		.mode = GPIO_MODE_INPUT,
		.pull_up_en = GPIO_PULLUP_ENABLE,
		.intr_type = GPIO_INTR_LOW_LEVEL,
	};
	const esp_timer_create_args_t rest = { .callback = on_settled, .name = "button" };
	if (esp_timer_create(&rest, &button.rest) != ESP_OK) return false;
	esp_err_t service = gpio_install_isr_service(0);
	if (service != ESP_OK && service != ESP_ERR_INVALID_STATE) return false;
	/* The pin is configured last, because its interrupt may occur immediately. */
	return gpio_isr_handler_add(button.pin, on_level, NULL) == ESP_OK && gpio_config(&input) == ESP_OK;
}

/* Arguments: target, pin. Calls `target.onButton(pressed)` as long as the machine exists. Call once. */
void xs_power_button(xsMachine *the)
{
	button.the = the;
	button.pin = (gpio_num_t)xsmcToInteger(xsArg(1));
	button.target = xsArg(0);
	xsRemember(button.target);
	if (!start()) xsUnknownError("The button at GPIO %d can't be watched.", (int)button.pin);
}
