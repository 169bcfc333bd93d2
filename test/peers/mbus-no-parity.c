/* Replaces tcsetattr() in libmbus: a pseudo-terminal has no parity, and glibc reports that as an error. */
#include <termios.h>

int set_without_parity(int fd, int when, const struct termios *line)
{
	struct termios plain = *line;
	plain.c_cflag &= ~(tcflag_t)PARENB;
	return tcsetattr(fd, when, &plain);
}
