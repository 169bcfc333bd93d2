/* Tells which network interface is the gateway's own access point. Each host defines both functions. */
#ifndef ACCESS_POINT_H
#define ACCESS_POINT_H

#include <stdbool.h>

/*
 * Returns true if an established TCP connection came in over the access point. Don't call it in the machine's thread.
 */
bool access_point_accepted(int socket);

/* A UDP socket takes and sends from here on only what goes over the access point. False: it is not there. */
bool access_point_bind(int socket);

#endif
