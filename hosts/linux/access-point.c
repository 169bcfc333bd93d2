/* With an option of tools/sdk/run.ts, every connection counts as coming through the access point. */
#include "access-point.h"

#include <stdlib.h>

bool access_point_accepted(int socket)
{
	(void)socket;
	return getenv("GATEWAY_ACCESS_POINT") != NULL;
}

/* The socket needs no restriction, because it is bound to the access point's address, which suffices on Linux. */
bool access_point_bind(int socket)
{
	(void)socket;
	return true;
}
