#include "thread-start.h"

#include <signal.h>

bool thread_start(pthread_t *thread, size_t stack_size, void *(*run)(void *context), void *context)
{
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes) != 0) return false;
#if defined(ESP_PLATFORM)
	pthread_attr_setstacksize(&attributes, stack_size);
	bool started = pthread_create(thread, &attributes, run, context) == 0;
#else
	(void)stack_size;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	bool started = pthread_create(thread, &attributes, run, context) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
	pthread_attr_destroy(&attributes);
	return started;
}
