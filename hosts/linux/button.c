/* The simulated button. The runner calls `gateway_button`, which calls `onButton(pressed)` of the host's target. */
#include <stdbool.h>

#include "mc.xs.h"
#include "xsmc.h"

static xsSlot the_target;
static bool watched;

void xs_button_watch(xsMachine *the)
{
	the_target = xsArg(0);
	xsRemember(the_target);
	watched = true;
}

void gateway_button(xsMachine *the, int pressed)
{
	if (!watched) return;
	xsBeginHost(the);
	xsmcVars(1);
	xsmcSetBoolean(xsVar(0), pressed != 0);
	xsCall1(the_target, xsID_onButton, xsVar(0));
	xsEndHost(the);
}
