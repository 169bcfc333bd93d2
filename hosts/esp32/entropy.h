/*
 * Where the chip's random generator gets its noise (ESP-IDF 6.0, "Random Number Generation"): from the radio while that
 * is on, else from the ADC, which has to be told so; without either its numbers are called pseudo-random. Keys, salts and
 * nonces are made before the radio is on, so the ADC feeds the generator from the start of the firmware on, but for the
 * times when something else needs it. Nobody has a state that was seeded earlier: Mbed TLS draws each number from the
 * generator (mbedtls_psa_external_get_random of ESP-IDF), and so do we.
 *
 * All is called in the task of JavaScript, and before there is one.
 */
#ifndef ENTROPY_H
#define ENTROPY_H

typedef enum { ENTROPY_RADIO = 1, ENTROPY_ADC = 2, ENTROPY_SLEEP = 4 } entropy_user;

/* Once, before anything draws a random number. */
void entropy_begin(void);

/* The ADC is wanted for something else, until entropy_resume of the same. Told twice is told once. */
void entropy_pause(entropy_user user);
void entropy_resume(entropy_user user);

#endif
