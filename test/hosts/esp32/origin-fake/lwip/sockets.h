#include <net/if.h>
#include <sys/socket.h>
