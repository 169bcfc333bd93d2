/* The one type of the engine that machine-post.h names. */
#ifndef XSMC_H
#define XSMC_H

typedef struct machine xsMachine;

#endif
