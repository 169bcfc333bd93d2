#include "xs-fake.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "machine-post.h"

enum { POSTS = 16 };

static struct {
	pthread_mutex_t lock;
	unsigned count;
	struct {
		void (*deliver)(void *context);
		void *context;
	} waiting[POSTS];
} posts = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- The heap ---- */

void fake_collect(xsMachine *the)
{
	for (fake_thing *thing = the->things; thing; thing = thing->next) {
		if (!thing->bytes) continue;
		uint8_t *moved = malloc(thing->size);
		MUST(moved);
		memcpy(moved, thing->bytes, thing->size);
		free(thing->bytes);
		thing->bytes = moved;
	}
	for (unsigned i = 0; i < FAKE_REMEMBERED; i++) {
		if (the->remembered[i]) MUST(the->remembered[i]->kind == FAKE_THING);
	}
}

static fake_thing *make(xsMachine *the, fake_sort sort, size_t size)
{
	fake_collect(the);
	fake_thing *thing = calloc(1, sizeof(fake_thing));
	MUST(thing);
	thing->sort = sort;
	thing->size = size;
	if (sort != FAKE_OBJECT) thing->bytes = calloc(1, size > 0 ? size : 1);
	thing->next = the->things;
	the->things = thing;
	return thing;
}

static xsSlot slot_of(fake_thing *thing)
{
	return (xsSlot){ .kind = FAKE_THING, .value.thing = thing };
}

static fake_thing *thing_of(const xsSlot *slot, fake_sort sort)
{
	return slot->kind == FAKE_THING && slot->value.thing->sort == sort ? slot->value.thing : NULL;
}

xsSlot fake_text(xsMachine *the, const char *text)
{
	size_t size = strlen(text) + 1;
	fake_thing *thing = make(the, FAKE_TEXT, size);
	memcpy(thing->bytes, text, size);
	return slot_of(thing);
}

xsSlot fake_buffer(xsMachine *the, const void *bytes, size_t size)
{
	fake_thing *thing = make(the, FAKE_BUFFER, size);
	if (bytes && size > 0) memcpy(thing->bytes, bytes, size);
	return slot_of(thing);
}

xsSlot fake_object(xsMachine *the)
{
	return slot_of(make(the, FAKE_OBJECT, 0));
}

const xsSlot *fake_property(const xsSlot *object, xsIdentifier id)
{
	const fake_thing *thing = thing_of(object, FAKE_OBJECT);
	MUST(thing);
	for (unsigned i = 0; i < thing->property_count; i++) {
		if (thing->ids[i] == id) return &thing->properties[i];
	}
	return NULL;
}

bool fake_is_text(const xsSlot *slot, const char *text)
{
	const fake_thing *thing = thing_of(slot, FAKE_TEXT);
	return thing && strcmp((const char *)thing->bytes, text) == 0;
}

void fake_end_machine(xsMachine *the)
{
	while (the->things) {
		fake_thing *thing = the->things;
		the->things = thing->next;
		free(thing->bytes);
		free(thing);
	}
}

/* ---- Calls from C ---- */

void fake_throw(xsMachine *the, const char *kind, const char *format, ...)
{
	va_list arguments;
	MUST(the->frame && the->frame->catcher);
	int length = snprintf(the->message, sizeof(the->message), "%s: ", kind);
	va_start(arguments, format);
	vsnprintf(the->message + length, sizeof(the->message) - (size_t)length, format, arguments);
	va_end(arguments);
	longjmp(*the->frame->catcher, 1);
}

xsSlot *fake_argument(xsMachine *the, int index)
{
	if (index >= the->frame->argument_count) fake_throw(the, "SyntaxError", "no argument %d", index);
	return &the->frame->arguments[index];
}

xsSlot *fake_variable(xsMachine *the, int index)
{
	MUST(index < the->frame->variable_count);
	return &the->frame->variables[index];
}

void fake_vars(xsMachine *the, int count)
{
	MUST(the->frame->variable_count == 0 && count <= FAKE_VARIABLES);
	the->frame->variable_count = count;
}

double fake_to_number(xsMachine *the, const xsSlot *slot)
{
	MUST(the->frame);
	switch (slot->kind) {
		case FAKE_BOOLEAN: return slot->value.boolean;
		case FAKE_INTEGER: return slot->value.integer;
		case FAKE_NUMBER: return slot->value.number;
		case FAKE_THING: return thing_of(slot, FAKE_TEXT) ? atof((const char *)slot->value.thing->bytes) : (double)NAN;
		default: return (double)NAN;
	}
}

int32_t fake_to_integer(xsMachine *the, const xsSlot *slot)
{
	double number = fake_to_number(the, slot);
	return isfinite(number) ? (int32_t)(uint32_t)(int64_t)fmod(number, 4294967296.0) : 0;
}

bool fake_to_boolean(xsMachine *the, const xsSlot *slot)
{
	double number = fake_to_number(the, slot);
	if (slot->kind == FAKE_THING) return !thing_of(slot, FAKE_TEXT) || slot->value.thing->size > 1;
	return !isnan(number) && number != 0;
}

char *fake_to_text(xsMachine *the, xsSlot *slot)
{
	char text[32] = "undefined";
	if (slot->kind == FAKE_BOOLEAN) snprintf(text, sizeof(text), "%s", slot->value.boolean ? "true" : "false");
	else if (slot->kind == FAKE_THING) snprintf(text, sizeof(text), "[object Object]");
	else if (slot->kind != FAKE_UNDEFINED) snprintf(text, sizeof(text), "%.15g", fake_to_number(the, slot));
	if (!thing_of(slot, FAKE_TEXT)) *slot = fake_text(the, text);
	return (char *)slot->value.thing->bytes;
}

void fake_get_buffer(xsMachine *the, xsSlot *slot, void **bytes, xsUnsignedValue *size, bool writable)
{
	fake_thing *thing = thing_of(slot, FAKE_BUFFER);
	if (!thing) fake_throw(the, "TypeError", "invalid buffer");
	if (writable && thing->read_only) fake_throw(the, "TypeError", "read-only buffer");
	*bytes = thing->bytes;
	*size = (xsUnsignedValue)thing->size;
}

void fake_set_property(xsMachine *the, xsSlot *object, xsIdentifier id, const xsSlot *value)
{
	fake_thing *thing = thing_of(object, FAKE_OBJECT);
	MUST(the->frame && thing && thing->property_count < FAKE_PROPERTIES && !fake_property(object, id));
	fake_collect(the);
	thing->ids[thing->property_count] = id;
	thing->properties[thing->property_count++] = *value;
}

void *fake_get_data(xsMachine *the, const xsSlot *slot)
{
	fake_thing *thing = thing_of(slot, FAKE_OBJECT);
	if (!thing) fake_throw(the, "SyntaxError", "not a host object");
	return thing->data;
}

void fake_set_data(xsMachine *the, const xsSlot *slot, void *data)
{
	MUST(the->frame && thing_of(slot, FAKE_OBJECT));
	slot->value.thing->data = data;
}

void fake_remember(xsMachine *the, xsSlot *slot)
{
	fake_forget(the, slot);
	for (unsigned i = 0; i < FAKE_REMEMBERED; i++) {
		if (the->remembered[i]) continue;
		the->remembered[i] = slot;
		return;
	}
	MUST(!"room for what is remembered");
}

void fake_forget(xsMachine *the, xsSlot *slot)
{
	MUST(the->frame);
	for (unsigned i = 0; i < FAKE_REMEMBERED; i++) {
		if (the->remembered[i] == slot) the->remembered[i] = NULL;
	}
}

/* ---- Frames ---- */

static void enter(xsMachine *the, fake_frame *frame)
{
	memset(frame, 0, sizeof(*frame));
	frame->before = the->frame;
	the->frame = frame;
}

void fake_begin_host(xsMachine *the, fake_frame *frame)
{
	/* The machine is outside of any call. */
	MUST(!the->frame);
	enter(the, frame);
}

void fake_end_host(xsMachine *the)
{
	the->frame = the->frame->before;
}

void fake_call_into(xsMachine *the, xsSlot *target, xsIdentifier id, int count, const xsSlot *values)
{
	bool is_remembered = false;
	int32_t numbers[4] = { 0 };
	for (unsigned i = 0; i < FAKE_REMEMBERED; i++) is_remembered |= the->remembered[i] == target;
	MUST(is_remembered && thing_of(target, FAKE_OBJECT) && the->called);
	for (int i = 0; i < count; i++) numbers[i] = fake_to_integer(the, &values[i]);
	fake_collect(the);
	the->called(the, id, count, numbers);
	fake_collect(the);
}

bool fake_run(xsMachine *the, fake_native *native, xsSlot self, int count, const xsSlot *arguments, xsSlot *result)
{
	fake_frame frame;
	jmp_buf catcher;
	MUST(count <= FAKE_ARGUMENTS);
	enter(the, &frame);
	frame.catcher = &catcher;
	frame.self = self;
	frame.argument_count = count;
	memcpy(frame.arguments, arguments, (size_t)count * sizeof(xsSlot));
	bool threw = setjmp(catcher) != 0;
	if (!threw) native(the);
	the->frame = frame.before;
	if (!threw && result) *result = frame.result;
	fake_collect(the);
	return !threw;
}

void machine_post(xsMachine *the, void (*deliver)(void *context), void *context)
{
	MUST(the);
	pthread_mutex_lock(&posts.lock);
	MUST(posts.count < POSTS);
	posts.waiting[posts.count].deliver = deliver;
	posts.waiting[posts.count++].context = context;
	pthread_mutex_unlock(&posts.lock);
}

unsigned fake_deliver(void)
{
	unsigned count = 0;
	for (;; count++) {
		pthread_mutex_lock(&posts.lock);
		if (posts.count == 0) break;
		void (*deliver)(void *context) = posts.waiting[0].deliver;
		void *context = posts.waiting[0].context;
		memmove(posts.waiting, posts.waiting + 1, --posts.count * sizeof(posts.waiting[0]));
		pthread_mutex_unlock(&posts.lock);
		deliver(context);
	}
	pthread_mutex_unlock(&posts.lock);
	return count;
}
