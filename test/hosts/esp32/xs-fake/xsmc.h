/*
 * The C interface of the engine (xsmc.h of the Moddable SDK), as far as the bindings of hosts/esp32 use it, for tests
 * of these bindings without an engine (binding-tests.h). Mistakes that crash the real engine only sometimes fail here
 * at once:
 *   - reading a missing argument throws, as in a build with checks; otherwise it is garbage
 *   - each call that allocates moves all texts and buffers, so that a kept pointer reads freed memory
 *   - such a call also checks the remembered slots, so that a freed slot is read after free
 *   - a callback must be remembered and must not throw; nothing may be called outside of a call
 */
#ifndef XSMC_H
#define XSMC_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t xsIntegerValue;
typedef uint32_t xsUnsignedValue;
typedef int xsIdentifier;
typedef struct fake_machine xsMachine;
typedef struct fake_thing fake_thing;

typedef enum { FAKE_UNDEFINED, FAKE_BOOLEAN, FAKE_INTEGER, FAKE_NUMBER, FAKE_THING } fake_kind;

typedef struct {
	fake_kind kind;
	union {
		bool boolean;
		int32_t integer;
		double number;
		fake_thing *thing;
	} value;
} xsSlot;

enum { FAKE_ARGUMENTS = 10, FAKE_VARIABLES = 4, FAKE_PROPERTIES = 8, FAKE_REMEMBERED = 4, FAKE_MESSAGE_SIZE = 160 };

typedef enum { FAKE_TEXT, FAKE_BUFFER, FAKE_OBJECT } fake_sort;

/* An object in the heap. */
struct fake_thing {
	fake_thing *next;
	fake_sort sort;
	/* Bytes of a text (with its zero) or a buffer. */
	uint8_t *bytes;
	size_t size;
	bool read_only;
	/* Host data. */
	void *data;
	unsigned property_count;
	xsIdentifier ids[FAKE_PROPERTIES];
	xsSlot properties[FAKE_PROPERTIES];
};

typedef struct fake_frame {
	struct fake_frame *before;
	/* NULL: exceptions are not caught. */
	jmp_buf *catcher;
	int argument_count, variable_count;
	xsSlot self, result, arguments[FAKE_ARGUMENTS], variables[FAKE_VARIABLES];
} fake_frame;

struct fake_machine {
	fake_frame *frame;
	fake_thing *things;
	xsSlot *remembered[FAKE_REMEMBERED];
	/* Message of the last exception. */
	char message[FAKE_MESSAGE_SIZE];
	/* Receives calls into JavaScript: integers, and booleans as 0 and 1. */
	void (*called)(xsMachine *the, xsIdentifier id, int count, const int32_t *values);
};

xsSlot *fake_argument(xsMachine *the, int index);
xsSlot *fake_variable(xsMachine *the, int index);
void fake_vars(xsMachine *the, int count);
int32_t fake_to_integer(xsMachine *the, const xsSlot *slot);
double fake_to_number(xsMachine *the, const xsSlot *slot);
bool fake_to_boolean(xsMachine *the, const xsSlot *slot);
char *fake_to_text(xsMachine *the, xsSlot *slot);
void fake_get_buffer(xsMachine *the, xsSlot *slot, void **bytes, xsUnsignedValue *size, bool writable);
xsSlot fake_text(xsMachine *the, const char *text);
xsSlot fake_buffer(xsMachine *the, const void *bytes, size_t size);
xsSlot fake_object(xsMachine *the);
void fake_set_property(xsMachine *the, xsSlot *object, xsIdentifier id, const xsSlot *value);
void *fake_get_data(xsMachine *the, const xsSlot *slot);
void fake_set_data(xsMachine *the, const xsSlot *slot, void *data);
void fake_remember(xsMachine *the, xsSlot *slot);
void fake_forget(xsMachine *the, xsSlot *slot);
void fake_begin_host(xsMachine *the, fake_frame *frame);
void fake_end_host(xsMachine *the);
void fake_call_into(xsMachine *the, xsSlot *target, xsIdentifier id, int count, const xsSlot *values);
_Noreturn void fake_throw(xsMachine *the, const char *kind, const char *format, ...);

#define xsThis (the->frame->self)
#define xsResult (the->frame->result)
#define xsArg(index) (*fake_argument(the, index))
#define xsVar(index) (*fake_variable(the, index))
#define xsmcVars(count) fake_vars(the, count)
#define xsmcToInteger(slot) fake_to_integer(the, &(slot))
#define xsmcToNumber(slot) fake_to_number(the, &(slot))
#define xsmcToBoolean(slot) fake_to_boolean(the, &(slot))
#define xsmcToString(slot) fake_to_text(the, &(slot))
#define xsmcToArrayBuffer(slot) ((void *)(slot).value.thing->bytes)
#define xsmcGetBufferReadable(slot, bytes, size) fake_get_buffer(the, &(slot), bytes, size, false)
#define xsmcGetBufferWritable(slot, bytes, size) fake_get_buffer(the, &(slot), bytes, size, true)
#define xsmcSetInteger(slot, number) ((slot) = (xsSlot){ .kind = FAKE_INTEGER, .value.integer = (number) })
#define xsmcSetNumber(slot, double_) ((slot) = (xsSlot){ .kind = FAKE_NUMBER, .value.number = (double_) })
#define xsmcSetBoolean(slot, truth) ((slot) = (xsSlot){ .kind = FAKE_BOOLEAN, .value.boolean = (truth) })
#define xsmcSetString(slot, text) ((slot) = fake_text(the, text))
#define xsmcSetArrayBuffer(slot, bytes, size) ((slot) = fake_buffer(the, bytes, (size_t)(size)))
#define xsmcSetNewObject(slot) ((slot) = fake_object(the))
#define xsmcSet(slot, id, value) fake_set_property(the, &(slot), id, &(value))
#define xsmcGetHostData(slot) fake_get_data(the, &(slot))
#define xsmcSetHostData(slot, data) fake_set_data(the, &(slot), data)
#define xsRemember(slot) fake_remember(the, &(slot))
#define xsForget(slot) fake_forget(the, &(slot))
#define xsBeginHost(machine) \
	do { \
		fake_frame host_frame; \
		xsMachine *host_machine = (machine), *the = host_machine; \
		fake_begin_host(the, &host_frame)
#define xsEndHost(machine) \
		fake_end_host(the); \
	} while (0)
#define xsCall0(target, id) fake_call_into(the, &(target), id, 0, NULL)
#define xsCall1(target, id, a) fake_call_into(the, &(target), id, 1, (xsSlot[]){ a })
#define xsCall2(target, id, a, b) fake_call_into(the, &(target), id, 2, (xsSlot[]){ a, b })
#define xsCall3(target, id, a, b, c) fake_call_into(the, &(target), id, 3, (xsSlot[]){ a, b, c })
#define xsUnknownError(...) fake_throw(the, "Error", __VA_ARGS__)
#define xsRangeError(...) fake_throw(the, "RangeError", __VA_ARGS__)

#endif
