/* Interface of a binding's test to the engine of xsmc.h: it calls natives, and plays the JavaScript that they call. */
#ifndef XS_FAKE_H
#define XS_FAKE_H

#include "../../must.h"
#include "mc.xs.h"
#include "xsmc.h"

typedef void fake_native(xsMachine *the);

/* Returns true if the native returned `result`, false if it threw; the->message is then "<kind>: <sentence>". */
bool fake_run(xsMachine *the, fake_native *native, xsSlot self, int count, const xsSlot *arguments, xsSlot *result);

/* RUN calls a native as JavaScript does, and the native must return. With THROWS it must throw the message `what`. */
#define RUN(native, self, result, ...) \
	do { \
		const xsSlot arguments_[] = { FAKE_NOTHING, __VA_ARGS__ }; \
		if (!fake_run(&machine, native, self, (int)(sizeof(arguments_) / sizeof(xsSlot)) - 1, arguments_ + 1, result)) { \
			fprintf(stderr, "%s, line %d: %s\n", __FILE__, __LINE__, machine.message); \
			abort(); \
		} \
	} while (0)
#define THROWS(what, native, self, ...) \
	do { \
		const xsSlot arguments_[] = { FAKE_NOTHING, __VA_ARGS__ }; \
		xsSlot result_; \
		MUST(!fake_run(&machine, native, self, (int)(sizeof(arguments_) / sizeof(xsSlot)) - 1, arguments_ + 1, &result_)); \
		if (strcmp(machine.message, what) == 0) break; \
		fprintf(stderr, "%s, line %d: %s\n", __FILE__, __LINE__, machine.message); \
		abort(); \
	} while (0)

/* Arguments for natives. */
#define FAKE_NOTHING ((xsSlot){ .kind = FAKE_UNDEFINED })
#define FAKE_INT(number) ((xsSlot){ .kind = FAKE_INTEGER, .value.integer = (number) })
#define FAKE_BOOL(truth) ((xsSlot){ .kind = FAKE_BOOLEAN, .value.boolean = (truth) })
#define FAKE_STRING(text) fake_text(&machine, text)
const xsSlot *fake_property(const xsSlot *object, xsIdentifier id);
bool fake_is_text(const xsSlot *slot, const char *text);

/* Moves all texts and buffers, and checks the remembered slots. */
void fake_collect(xsMachine *the);
/* Ends the machine and frees the heap; the test has destroyed the host objects before. */
void fake_end_machine(xsMachine *the);

/* machine_post.h: makes the pending calls of other threads; returns their number. */
unsigned fake_deliver(void);

#endif
