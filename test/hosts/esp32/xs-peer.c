/*
 * Tests of small bindings for XS (led.c, power-button.c, factory-data.c), of free-heap.c and of tls-memory.c on a fake
 * of the engine (xs-fake/) and of the calls of ESP-IDF that they make (binding-fake/), for xs-bindings.test.ts. Exits
 * with 0, or prints the failed line.
 *
 *   xs-peer light
 *   xs-peer memory
 *   xs-peer tls               memory for TLS
 *   xs-peer stacks
 *   xs-peer button
 *   xs-peer no-button         each call of ESP-IDF refused
 *   xs-peer factory           a missing, short or unreadable partition
 *   xs-peer factory <image>   data from a partition with the contents of this file, as hex
 */
#include <string.h>

#include "binding-fake.h"
#include "free-heap.h"
#include "tls-memory.h"
#include "xs-fake.h"

fake_native xs_led_blink, xs_power_button, xs_factory_data_read, xs_factory_data_settings;

enum { PIN = 6, IMAGE_LIMIT = 4096 };

static xsMachine machine;

/* ---- The light ---- */

static bool active_low;

static void blink(int32_t on_ms, int32_t off_ms)
{
	RUN(xs_led_blink, FAKE_NOTHING, NULL, FAKE_INT(PIN), FAKE_BOOL(active_low), FAKE_INT(on_ms), FAKE_INT(off_ms));
	MUST(idf_outputs[PIN]);
}

static bool is_on(void)
{
	return (idf_levels[PIN] != 0) != active_low;
}

static void shines_as_told(void)
{
	blink(0, 0);
	idf_pass(3000);
	MUST(!is_on());
	blink(0, 500);
	MUST(!is_on());
	blink(500, 0);
	idf_pass(3000);
	MUST(is_on());
	blink(100, 300);
	for (unsigned ms = 0; ms < 4000; ms++) {
		MUST(is_on() == (ms % 400 < 100));
		idf_pass(1);
	}
	/* Restarted in the middle, the pattern begins again. */
	idf_pass(50);
	blink(60, 60);
	idf_pass(59);
	MUST(is_on());
	idf_pass(1);
	MUST(!is_on());
	blink(100, 0);
	idf_pass(10000);
	MUST(is_on());
}

/* ---- The heap ---- */

static void tells_of_heap(void)
{
	idf_heap = 70000;
	idf_heap_piece = 30000;
	idf_iram = 60000;
	idf_iram_piece = 50000;
	MUST(free_heap() == 70000 && free_heap_piece() == 30000 && least_free_heap() == 70000);
	idf_heap = 20000;
	esp_heap_trace_alloc_hook(&idf_heap, 50000, MALLOC_CAP_8BIT);
	idf_heap = 70000;
	esp_heap_trace_free_hook(&idf_heap);
	MUST(least_free_heap() == 20000);
	MUST(free_tls_memory() == 60000 && free_tls_piece() == 50000);
}

static void keeps_tls_apart(void)
{
	idf_heap = 70000;
	idf_iram = 5000;
	tls_memory_start();
	/* Allocates from special memory while it has room, then from the heap, then fails. */
	void *small = idf_tls_calloc(1, 40), *record = idf_tls_calloc(1, 4400), *second = idf_tls_calloc(2, 2200);
	MUST(small && record && second && idf_iram == 560 && idf_heap == 65600);
	MUST(!idf_tls_calloc(1, 70000));
	idf_tls_free(small);
	idf_tls_free(record);
	idf_tls_free(second);
}

static void tells_of_stacks(void)
{
	char text[40];
	idf_tasks = 2;
	size_t length = task_stacks(text, sizeof(text));
	MUST(length == 22 && memcmp(text, "task 0 100\ntask 1 101\n", length) == 0);
	/* Only whole lines are printed. */
	idf_tasks = 20;
	length = task_stacks(text, sizeof(text));
	MUST(length == 33 && memcmp(text + 22, "task 2 102\n", 11) == 0);
	/* Three tasks with two names: each name once, with the smallest value. */
	idf_tasks = 3;
	idf_task_names = 2;
	idf_stack_step = -1;
	length = task_stacks(text, sizeof(text));
	MUST(length == 20 && memcmp(text, "task 0 98\ntask 1 99\n", length) == 0);
}

static void light(void)
{
	static const char RANGE[] = "RangeError: a time is 0 to 60000 ms";
	xsSlot none = FAKE_NOTHING, pin = FAKE_INT(PIN), yes = FAKE_BOOL(true);
	/* Without a timer the light is on instead of blinking. */
	idf_fails_at = 1;
	blink(10, 10);
	idf_pass(100);
	MUST(is_on());
	for (int i = 0; i < 2; i++) {
		active_low = i == 1;
		shines_as_told();
	}
	THROWS(RANGE, xs_led_blink, none, pin, yes, FAKE_INT(-1), FAKE_INT(0));
	THROWS(RANGE, xs_led_blink, none, pin, yes, FAKE_INT(0), FAKE_INT(60001));
	THROWS("SyntaxError: no argument 3", xs_led_blink, none, pin, yes, FAKE_INT(1));
	blink(60000, 60000);
	idf_pass(59999);
	MUST(is_on());
	idf_pass(1);
	MUST(!is_on());
}

/* ---- The button ---- */

static char pressed[32];

static void on_called(xsMachine *the, xsIdentifier id, int count, const int32_t *values)
{
	MUST(the == &machine && id == xsID_onButton && count == 1 && strlen(pressed) < sizeof(pressed) - 1);
	pressed[strlen(pressed)] = values[0] ? '+' : '-';
}

static void refuses_button(void)
{
	xsSlot none = FAKE_NOTHING, pin = FAKE_INT(PIN), target = fake_object(&machine);
	machine.called = on_called;
	idf_levels[PIN] = 1;
	for (int at = 1; at <= 4; at++) {
		idf_fails_at = at;
		THROWS("Error: The button at GPIO 6 can't be watched.", xs_power_button, none, target, pin);
	}
	THROWS("SyntaxError: no argument 1", xs_power_button, none, target);
}

static void button(void)
{
	xsSlot target = fake_object(&machine);
	machine.called = on_called;
	idf_levels[PIN] = 1;
	RUN(xs_power_button, FAKE_NOTHING, NULL, target, FAKE_INT(PIN));
	idf_pass(100);
	MUST(fake_deliver() == 0);
	idf_levels[PIN] = 0;
	idf_pass(100);
	/* Released and pressed again before the first press is reported. */
	for (int level = 1; level >= 0; level--) {
		idf_levels[PIN] = level;
		idf_pass(100);
	}
	MUST(pressed[0] == '\0' && fake_deliver() == 1 && strcmp(pressed, "+-+") == 0);
	/* Bounces. */
	for (int i = 0; i < 10; i++) {
		idf_levels[PIN] = i % 2;
		idf_pass(1);
	}
	idf_levels[PIN] = 1;
	idf_pass(100);
	MUST(fake_deliver() == 1 && strcmp(pressed, "+-+-") == 0);
}

/* ---- Factory data ---- */

static void factory(void)
{
	static uint8_t bytes[172];
	xsSlot result;
	RUN(xs_factory_data_read, FAKE_NOTHING, &result);
	MUST(result.kind == FAKE_UNDEFINED);
	idf_partition = bytes;
	memset(bytes, 0xff, sizeof(bytes));
	for (unsigned try = 0; try < 2; try++) {
		idf_partition_size = sizeof(bytes) - 1 + try;
		idf_fails_at = try;
		RUN(xs_factory_data_read, FAKE_NOTHING, &result);
		/* The result differs from that of an unwritten partition. */
		MUST(result.value.thing->sort == FAKE_BUFFER && result.value.thing->size == sizeof(bytes));
		for (size_t i = 0; i < sizeof(bytes); i++) MUST(result.value.thing->bytes[i] == 0);
	}
	RUN(xs_factory_data_read, FAKE_NOTHING, &result);
	MUST(result.value.thing->sort == FAKE_BUFFER && result.value.thing->size == sizeof(bytes));
}

static void factory_settings(void)
{
	static uint8_t bytes[1024];
	xsSlot result;
	idf_partition = NULL;
	RUN(xs_factory_data_settings, FAKE_NOTHING, &result);
	MUST(result.kind == FAKE_UNDEFINED);
	memset(bytes, 0xff, sizeof(bytes));
	idf_partition = bytes;
	idf_partition_size = sizeof(bytes);
	RUN(xs_factory_data_settings, FAKE_NOTHING, &result);
	MUST(result.kind == FAKE_UNDEFINED);
	memcpy(bytes + 256, "SMGS\1\0", 6);
	/* The first length fills the partition; the second is beyond its end. */
	for (unsigned beyond = 0; beyond < 2; beyond++) {
		unsigned length = 1024 - 256 - 116 + beyond;
		bytes[262] = (uint8_t)length;
		bytes[263] = (uint8_t)(length >> 8);
		RUN(xs_factory_data_settings, FAKE_NOTHING, &result);
		if (beyond) MUST(result.kind == FAKE_UNDEFINED);
		else {
			MUST(result.value.thing->sort == FAKE_BUFFER && result.value.thing->size == 1024 - 256);
			MUST(memcmp(result.value.thing->bytes, bytes + 256, 1024 - 256) == 0);
		}
	}
	bytes[263] = 1;
	idf_fails_at = 1;
	RUN(xs_factory_data_settings, FAKE_NOTHING, &result);
	MUST(result.kind == FAKE_UNDEFINED);
	idf_fails_at = 2;
	RUN(xs_factory_data_settings, FAKE_NOTHING, &result);
	MUST(result.value.thing->sort == FAKE_BUFFER && result.value.thing->bytes[0] == 0);
}

static void print_factory(const char *path)
{
	static uint8_t image[IMAGE_LIMIT];
	xsSlot result;
	FILE *file = fopen(path, "rb");
	MUST(file);
	idf_partition_size = fread(image, 1, sizeof(image), file);
	fclose(file);
	idf_partition = image;
	RUN(xs_factory_data_read, FAKE_NOTHING, &result);
	MUST(result.value.thing->sort == FAKE_BUFFER);
	for (size_t i = 0; i < result.value.thing->size; i++) printf("%02x", result.value.thing->bytes[i]);
}

int main(int count, char **arguments)
{
	const char *name = count > 1 ? arguments[1] : "";
	if (strcmp(name, "light") == 0) light();
	else if (strcmp(name, "memory") == 0) tells_of_heap();
	else if (strcmp(name, "tls") == 0) keeps_tls_apart();
	else if (strcmp(name, "stacks") == 0) tells_of_stacks();
	else if (strcmp(name, "button") == 0) button();
	else if (strcmp(name, "no-button") == 0) refuses_button();
	else if (strcmp(name, "factory") == 0 && count == 2) factory();
	else if (strcmp(name, "settings") == 0) factory_settings();
	else if (strcmp(name, "factory") == 0) print_factory(arguments[2]);
	else MUST(!"a known case");
	fake_end_machine(&machine);
	return 0;
}
