/* Tests whether traffic came in over the gateway's own access point. Each host defines both functions. */
#ifndef ACCESS_POINT_H
#define ACCESS_POINT_H

#include <stdbool.h>

/*
 * Returns true if the established TCP connection came in over the access point. Must not be called in the thread of the
 * XS machine.
 */
bool access_point_accepted(int socket);

/* Restricts a UDP socket to the access point. Returns false if there is no access point. */
bool access_point_bind(int socket);

#endif
