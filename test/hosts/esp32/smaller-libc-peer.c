/* hosts/esp32/smaller-libc.c beside the computer's own mathematics. Its `log` and `log1p` have other names here. */
#include <float.h>
#include <math.h>

double chip_log(double number);
double chip_log1p(double number);
#define log chip_log
#define log1p chip_log1p
#include "../../../hosts/esp32/smaller-libc.c"
#undef log
#undef log1p

#include "../must.h"

static void must_be_near(double result, double expected)
{
	double limit = 1e-15 * (fabs(expected) > 1 ? fabs(expected) : 1);
	MUST(fabs(result - expected) <= limit);
}

/* As XS calls them: for numbers in any radix, and integers of many words. */
static void test_logarithms(void)
{
	for (int radix = 2; radix <= 36; radix++) must_be_near(chip_log(radix), log(radix));
	for (double number = DBL_MIN; number < DBL_MAX / 3; number *= 2.7) {
		must_be_near(chip_log(number), log(number));
		if (number >= 1) must_be_near(chip_log1p(number), log1p(number));
	}
	for (double number = DBL_TRUE_MIN; number < DBL_MIN; number *= 3) must_be_near(chip_log(number), log(number));
	MUST(chip_log(0) == -HUGE_VAL && chip_log(HUGE_VAL) == HUGE_VAL);
	MUST(isnan(chip_log(-1)) && isnan(chip_log((double)NAN)) && isnan(chip_log1p(-2)));
	for (double number = 0.5; number < 4; number += 0.001) must_be_near(chip_log(number), log(number));
}

static int read_after_float(int first, ...)
{
	va_list arguments;
	va_start(arguments, first);
	MUST(_printf_float(NULL, NULL, NULL, NULL, &arguments) == 0);
	int next = va_arg(arguments, int);
	va_end(arguments);
	return next;
}

int main(void)
{
	test_logarithms();
	MUST(read_after_float(0, 2.5, 7) == 7);
	va_list none;
	MUST(_scanf_float(NULL, NULL, NULL, &none) == 1);
	return 0;
}
