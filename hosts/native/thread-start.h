/*
 * Starts the threads of the native parts: the stack is given for the microcontroller, and signals stay with the
 * program's own thread.
 */
#ifndef THREAD_START_H
#define THREAD_START_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* `stack_size`: bytes on ESP-IDF; elsewhere the system decides. False: there is no memory for it. */
bool thread_start(pthread_t *thread, size_t stack_size, void *(*run)(void *context), void *context);

#endif
