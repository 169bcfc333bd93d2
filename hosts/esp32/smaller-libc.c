/*
 * Replaces large functions of newlib that the firmware needs only in part, or not at all. ESP-IDF's table for the ROM
 * (newlib_init.c) refers to newlib's two functions that print and scan floating-point numbers. They take 15 KB and
 * would be linked although nothing calls them. XS needs logarithms only to compute the length of a number's text in
 * another radix; newlib's logarithms take 7 KB.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct _reent;

#define MATCH_FAILURE 1
#define TERMS 21
#define EXPONENT_BIAS 1023
#define MANTISSA_BITS 52
#define LN2 0.693147180559945309417
#define SQRT2 1.414213562373095048802
#define TWO_54 18014398509481984.0

int _printf_float(struct _reent *context, void *state, FILE *file,
	int (*put)(struct _reent *, FILE *, const char *, size_t), va_list *arguments);
int _scanf_float(struct _reent *context, void *state, FILE *file, va_list *arguments);

/* Prints nothing, but consumes the argument as the original function does. */
int _printf_float(struct _reent *context, void *state, FILE *file,
	int (*put)(struct _reent *, FILE *, const char *, size_t), va_list *arguments)
{
	(void)context, (void)state, (void)file, (void)put;
	(void)va_arg(*arguments, double);
	return 0;
}

int _scanf_float(struct _reent *context, void *state, FILE *file, va_list *arguments)
{
	(void)context, (void)state, (void)file, (void)arguments;
	return MATCH_FAILURE;
}

/* The absolute or the relative error is below 1e-15. */
double log(double number)
{
	if (!(number > 0)) return number == 0 ? -HUGE_VAL : (double)NAN;
	if (number > DBL_MAX) return number;
	if (number < DBL_MIN) return log(number * TWO_54) - 54 * LN2;
	union {
		double number;
		uint64_t bits;
	} mantissa = { .number = number };
	int exponent = (int)(mantissa.bits >> MANTISSA_BITS) - EXPONENT_BIAS;
	mantissa.bits -= (uint64_t)(int64_t)exponent << MANTISSA_BITS;
	if (mantissa.number > SQRT2) {
		mantissa.number /= 2;
		exponent++;
	}
	double ratio = (mantissa.number - 1) / (mantissa.number + 1);
	double square = ratio * ratio;
	double sum = 0;
	for (int i = TERMS; i > 0; i -= 2) sum = sum * square + 1.0 / i;
	return 2 * ratio * sum + exponent * LN2;
}

double log1p(double number)
{
	return log(1 + number);
}
