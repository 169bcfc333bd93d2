/* Starts threads with a given stack on the microcontroller; signals go to the program's own thread. */
#ifndef THREAD_START_H
#define THREAD_START_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* `stack_size` is in bytes on ESP-IDF; elsewhere the system decides. False if memory is short. */
bool thread_start(pthread_t *thread, size_t stack_size, void *(*run)(void *context), void *context);

#endif
