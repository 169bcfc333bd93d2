/* Times of certificates (RFC 5280, 4.1.2.5) as Unix time. */
#ifndef CERTIFICATE_TIME_H
#define CERTIFICATE_TIME_H

#include <stdint.h>

#include <mbedtls/x509.h>

/* Returns the number of days from 1970-01-01 to a day of the Gregorian calendar. */
static inline int64_t days_from_civil(int year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t days = 365 * y + y / 4 - y / 100 + y / 400;
	return days + (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1 - 719468;
}

static inline int64_t certificate_time_s(const mbedtls_x509_time *time)
{
	int64_t hours = days_from_civil(time->year, time->mon, time->day) * 24 + time->hour;
	return (hours * 60 + time->min) * 60 + time->sec;
}

#endif
