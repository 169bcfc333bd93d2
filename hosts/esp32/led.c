/* The LED. A timer makes it blink without waking the XS machine. */
#include <pthread.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "driver/gpio.h"
#include "esp_timer.h"

/* Longest time on or off. */
enum { LONGEST_MS = 60000 };

static struct {
	/* Guards the members from here on. */
	pthread_mutex_t lock;
	esp_timer_handle_t timer;
	gpio_num_t pin;
	bool active_low, is_on;
	uint32_t on_ms, off_ms;
} light = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Sets the level before the direction, so that the pin never shows the opposite level. */
static void show(bool on)
{
	light.is_on = on;
	gpio_set_level(light.pin, on != light.active_low ? 1 : 0);
	gpio_set_direction(light.pin, GPIO_MODE_OUTPUT);
}

static void start_timer(void)
{
	esp_timer_start_once(light.timer, (uint64_t)(light.is_on ? light.on_ms : light.off_ms) * 1000);
}

/* Runs in the timer task. It may run once more after blinking has been stopped. */
static void toggle(void *context)
{
	(void)context;
	pthread_mutex_lock(&light.lock);
	if (light.on_ms > 0) {
		show(!light.is_on);
		start_timer();
	}
	pthread_mutex_unlock(&light.lock);
}

static bool has_timer(void)
{
	const esp_timer_create_args_t arguments = { .callback = toggle, .name = "led" };
	return light.timer || esp_timer_create(&arguments, &light.timer) == ESP_OK;
}

/*
 * Arguments: pin, activeLow, onMs, offMs. If onMs is 0 the LED stays off; otherwise, if offMs is 0, it stays on. If
 * memory is short, the LED stays on instead of blinking.
 */
void xs_led_blink(xsMachine *the)
{
	gpio_num_t pin = (gpio_num_t)xsmcToInteger(xsArg(0));
	bool active_low = xsmcToBoolean(xsArg(1));
	xsIntegerValue on_ms = xsmcToInteger(xsArg(2)), off_ms = xsmcToInteger(xsArg(3));
	if (on_ms < 0 || on_ms > LONGEST_MS || off_ms < 0 || off_ms > LONGEST_MS) xsRangeError("a time is 0 to 60000 ms");
	pthread_mutex_lock(&light.lock);
	bool blinks = on_ms > 0 && off_ms > 0 && has_timer();
	if (light.timer) esp_timer_stop(light.timer);
	light.pin = pin;
	light.active_low = active_low;
	light.on_ms = blinks ? (uint32_t)on_ms : 0;
	light.off_ms = blinks ? (uint32_t)off_ms : 0;
	show(on_ms > 0);
	if (blinks) start_timer();
	pthread_mutex_unlock(&light.lock);
}
