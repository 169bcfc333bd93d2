#include "mc.xs.h"
#include "xsmc.h"

#include "update.h"

void xs_update_state(xsMachine *the)
{
	xsmcSetInteger(xsResult, update_state());
}

void xs_update_given_up(xsMachine *the)
{
	char text[UPDATE_TEXT_SIZE];
	update_given_up(text);
	xsmcSetString(xsResult, text);
}

void xs_update_activate(xsMachine *the)
{
	char text[UPDATE_TEXT_SIZE];
	double length = xsmcToNumber(xsArg(0));
	if (!(length >= 1 && length <= 0x7fffffff)) xsRangeError("beyond the slot");
	if (!update_activate((size_t)length, text)) xsUnknownError("%s", text);
}

void xs_update_confirm(xsMachine *the)
{
	char text[UPDATE_TEXT_SIZE];
	if (!update_confirm(text)) xsUnknownError("%s", text);
}

void xs_update_roll_back(xsMachine *the)
{
	char text[UPDATE_TEXT_SIZE];
	if (!update_roll_back(text)) xsUnknownError("%s", text);
}
