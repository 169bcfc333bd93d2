/* Starts threads, on the microcontroller with a given size of the stack. Signals go to the program's own thread. */
#ifndef THREAD_START_H
#define THREAD_START_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Starts a thread. `stack_size` is in bytes and only used by ESP-IDF; elsewhere the system decides. Returns false if
 * memory is short.
 */
bool thread_start(pthread_t *thread, size_t stack_size, void *(*run)(void *context), void *context);

#endif
