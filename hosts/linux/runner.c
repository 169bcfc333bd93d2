/*
 * Runs the firmware that mcconfig -p lin has built (mc.so), without a display.
 *
 * usage: runner path/to/mc.so
 *
 * SIGTERM, SIGINT, SIGHUP and the end of the parent process end the runner with exit code 0. SIGUSR1 presses the button
 * for a short time. SIGUSR2 prints the memory in use. The exit code is MACHINE_ENDED after an abort of the machine, and
 * 1 after any other failure. A firmware that sleeps restarts the runner and sets GATEWAY_SLEEP_MS. The runner then
 * waits for that time or the button, sets GATEWAY_WAKE to the reason for waking (WAKE_… of modules/io/flash.ts), and
 * starts the firmware.
 */
#include <dlfcn.h>
#include <glib-unix.h>
#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define mxLinux 1
#include "screen.h"

/* Size of the SDK's display. Nothing is drawn on it. */
enum { SCREEN_SIZE = 4 };

static const int HANDLED_SIGNALS[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2 };

enum { MACHINE_ENDED = 3 };

enum { PRESS_MS = 150 };

typedef struct {
	GMainLoop *loop;
	txScreen *screen;
	char **arguments;
	void (*memory)(void *machine);
	/* Passes a press or release to the firmware. NULL if the firmware has no button. */
	void (*button)(void *machine, int pressed);
	bool pressed;
	/* Returns the name of the reason for an abort. NULL if the SDK does not have this function. */
	char *(*reason)(int status);
} runner;

static runner the_runner;

/*
 * Blocks or releases the signals above. They stay blocked until their handlers are installed, because a signal during a
 * restart would end the process.
 */
static void hold_signals(int how)
{
	sigset_t signals;
	sigemptyset(&signals);
	for (size_t i = 0; i < G_N_ELEMENTS(HANDLED_SIGNALS); i++) sigaddset(&signals, HANDLED_SIGNALS[i]);
	pthread_sigmask(how, &signals, NULL);
}

/* Executes the program again in the same process. This closes all descriptors. */
void runner_restart(void)
{
	hold_signals(SIG_BLOCK);
	execv("/proc/self/exe", the_runner.arguments);
	fprintf(stderr, "The firmware could not be restarted.\n");
	exit(1);
}

/* Ends the program after an abort of the machine. On the device an abort restarts the chip. */
static void on_abort(txScreen *screen, int status)
{
	(void)screen;
	const char *reason = the_runner.reason ? the_runner.reason(status) : "unknown";
	fprintf(stderr, "The XS machine has ended: %s (%d).\n", reason, status);
	exit(MACHINE_ENDED);
}

static void ignore(txScreen *screen)
{
	(void)screen;
}

static void ignore_start(txScreen *screen, double interval)
{
	(void)screen;
	(void)interval;
}

static void ignore_post(txScreen *screen, char *buffer, int size)
{
	(void)screen;
	(void)buffer;
	(void)size;
}

static gboolean on_end(gpointer data)
{
	runner *self = data;
	g_main_loop_quit(self->loop);
	return G_SOURCE_CONTINUE;
}

static gboolean on_memory(gpointer data)
{
	runner *self = data;
	self->memory(self->screen->machine);
	return G_SOURCE_CONTINUE;
}

static gboolean on_release(gpointer data)
{
	runner *self = data;
	self->pressed = false;
	self->button(self->screen->machine, 0);
	return G_SOURCE_REMOVE;
}

static gboolean on_button(gpointer data)
{
	runner *self = data;
	if (!self->button || self->pressed) return G_SOURCE_CONTINUE;
	self->pressed = true;
	g_timeout_add(PRESS_MS, on_release, self);
	self->button(self->screen->machine, 1);
	return G_SOURCE_CONTINUE;
}

static long long now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Sleeps if GATEWAY_SLEEP_MS is set. The caller must have blocked the signals. */
static void sleep_if_requested(void)
{
	enum { WAKE_TIMER = 1, WAKE_BUTTON = 2 };
	const char *asked = getenv("GATEWAY_SLEEP_MS"), *utc = getenv("GATEWAY_UTC_MS");
	if (!asked) return;
	long long from_ms = now_ms(), left_ms = atoll(asked);
	int signal = 0;
	char text[24];
	sigset_t signals;
	sigemptyset(&signals);
	for (size_t i = 0; i < G_N_ELEMENTS(HANDLED_SIGNALS); i++) sigaddset(&signals, HANDLED_SIGNALS[i]);
	/* SIGUSR2 is ignored, because there is no machine yet. */
	do {
		long long ms = left_ms - (now_ms() - from_ms);
		if (ms < 0) ms = 0;
		struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
		signal = sigtimedwait(&signals, NULL, &wait);
	} while (signal == SIGUSR2 || (signal < 0 && now_ms() - from_ms < left_ms));
	if (signal > 0 && signal != SIGUSR1) exit(0);
	unsetenv("GATEWAY_SLEEP_MS");
	snprintf(text, sizeof(text), "%d", signal == SIGUSR1 ? WAKE_BUTTON : WAKE_TIMER);
	setenv("GATEWAY_WAKE", text, 1);
	if (!utc || !*utc) return;
	snprintf(text, sizeof(text), "%lld", atoll(utc) + now_ms() - from_ms);
	setenv("GATEWAY_UTC_MS", text, 1);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s path/to/mc.so\n", argv[0]);
		return 2;
	}
	hold_signals(SIG_BLOCK);
	/* Without this call, the firmware would outlive a parent that was killed, and would keep its ports. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	the_runner.arguments = argv;
	sleep_if_requested();
	void *firmware = dlopen(argv[1], RTLD_NOW);
	if (!firmware) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	txScreenLaunchProc launch = (txScreenLaunchProc)dlsym(firmware, "fxScreenLaunch");
	the_runner.memory = (void (*)(void *))dlsym(firmware, "gateway_memory");
	the_runner.button = (void (*)(void *, int))dlsym(firmware, "gateway_button");
	the_runner.reason = (char *(*)(int))dlsym(firmware, "fxAbortString");
	if (!launch || !the_runner.memory) {
		fprintf(stderr, "%s is not a firmware of the gateway\n", argv[1]);
		return 1;
	}
	txScreen *screen = calloc(1, sizeof(txScreen) + SCREEN_SIZE * SCREEN_SIZE * screenBytesPerPixel);
	if (!screen) return 1;
	screen->width = screen->height = SCREEN_SIZE;
	screen->abort = on_abort;
	screen->bufferChanged = screen->formatChanged = screen->stop = ignore;
	screen->start = ignore_start;
	screen->post = ignore_post;
	the_runner.screen = screen;
	the_runner.loop = g_main_loop_new(NULL, FALSE);
	g_unix_signal_add(SIGTERM, on_end, &the_runner);
	g_unix_signal_add(SIGINT, on_end, &the_runner);
	g_unix_signal_add(SIGHUP, on_end, &the_runner);
	g_unix_signal_add(SIGUSR2, on_memory, &the_runner);
	g_unix_signal_add(SIGUSR1, on_button, &the_runner);
	hold_signals(SIG_UNBLOCK);
	launch(screen);
	if (!screen->machine) {
		fprintf(stderr, "The XS machine could not be made.\n");
		return 1;
	}
	g_main_loop_run(the_runner.loop);
	screen->quit(screen);
	return 0;
}
