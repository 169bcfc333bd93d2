#include "entropy.h"

#include "bootloader_random.h"

/*
 * The variable `users` has a bit for each user of the ADC other than the noise source (entropy_user). NOT_BEGUN keeps
 * the noise source off until entropy_begin.
 */
enum { NOT_BEGUN = 8 };
static unsigned users = NOT_BEGUN;

static void change(unsigned now)
{
	if (users == 0 && now != 0) bootloader_random_disable();
	if (users != 0 && now == 0) bootloader_random_enable();
	users = now;
}

void entropy_begin(void)
{
	change(users & ~(unsigned)NOT_BEGUN);
}

void entropy_pause(entropy_user user)
{
	change(users | user);
}

void entropy_resume(entropy_user user)
{
	change(users & ~(unsigned)user);
}
