/* An option (tools/sdk/run.ts) makes every connection count as coming over the access point. */
#include "access-point.h"

#include <stdlib.h>

bool access_point_accepted(int socket)
{
	(void)socket;
	return getenv("GATEWAY_ACCESS_POINT") != NULL;
}

/* The socket is already bound to the access point's address, which suffices on Linux. */
bool access_point_bind(int socket)
{
	(void)socket;
	return true;
}
