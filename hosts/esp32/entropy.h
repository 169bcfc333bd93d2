/*
 * Noise source of the chip's random generator (ESP-IDF 6.0, "Random Number Generation"): the radio while it is on,
 * otherwise the ADC, which must be enabled as a noise source. Without radio and ADC, the numbers are only
 * pseudo-random. Keys, salts and nonces are needed before the radio is on. Therefore the ADC feeds the generator from
 * the start, except while another user needs the ADC. Mbed TLS takes all its random numbers from the chip's generator
 * (mbedtls_psa_external_get_random of ESP-IDF).
 *
 * Call all functions in the JavaScript task, or before it exists.
 */
#ifndef ENTROPY_H
#define ENTROPY_H

typedef enum { ENTROPY_RADIO = 1, ENTROPY_ADC = 2, ENTROPY_SLEEP = 4 } entropy_user;

/* Call once, before any random number is needed. */
void entropy_begin(void);

/* Reserves the ADC until the same user calls entropy_resume. Repeated calls have no further effect. */
void entropy_pause(entropy_user user);
void entropy_resume(entropy_user user);

#endif
