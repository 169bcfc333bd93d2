/* Each host defines both functions. */
#ifndef ACCESS_POINT_H
#define ACCESS_POINT_H

#include <stdbool.h>

/* The TCP connection is established. Must not be called in the thread of the XS machine. */
bool access_point_accepted(int socket);

/* Restricts a UDP socket. False without an access point. */
bool access_point_bind(int socket);

#endif
