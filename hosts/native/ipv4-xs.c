#include "ipv4-xs.h"

#include "ipv4.h"

uint32_t ipv4_argument(xsMachine *the, xsIntegerValue index)
{
	uint32_t address = 0;
	const char *text = xsmcToString(xsArg(index));
	if (text[0] && !ipv4_parse(text, &address)) xsRangeError("not an IPv4 address");
	return address;
}

void ipv4_property(xsMachine *the, xsIdentifier id, uint32_t address)
{
	char text[IPV4_TEXT_SIZE];
	ipv4_write(address, text);
	xsmcSetString(xsVar(0), text);
	xsmcSet(xsResult, id, xsVar(0));
}
