#ifndef IPV4_XS_H
#define IPV4_XS_H

#include <stdint.h>

#include "mc.xs.h"
#include "xsmc.h"

/*
 * Returns the address in an argument, or 0 for an empty text. Throws a RangeError for any text that is not an address.
 */
uint32_t ipv4_argument(xsMachine *the, xsIntegerValue index);

/* Sets a property of xsResult to the address as text. Overwrites the caller's first variable (xsmcVars). */
void ipv4_property(xsMachine *the, xsIdentifier id, uint32_t address);

#endif
