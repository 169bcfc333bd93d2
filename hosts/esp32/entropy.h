/*
 * Noise source of the chip's random generator (ESP-IDF 6.0, "Random Number Generation"): the radio while it is on, else
 * the ADC, which must be enabled for it. Without either the numbers count as pseudo-random. Keys, salts and nonces are
 * made before the radio is on. So the ADC feeds the generator from the start of the firmware, except while another user
 * needs the ADC. No state is seeded earlier: Mbed TLS draws each number from the generator
 * (mbedtls_psa_external_get_random of ESP-IDF), and so does this firmware.
 *
 * Call everything in the JavaScript task, or before that task exists.
 */
#ifndef ENTROPY_H
#define ENTROPY_H

typedef enum { ENTROPY_RADIO = 1, ENTROPY_ADC = 2, ENTROPY_SLEEP = 4 } entropy_user;

/* Call once, before any random number is drawn. */
void entropy_begin(void);

/* Takes the ADC for another use until entropy_resume by the same user. Calling it twice has the effect of one call. */
void entropy_pause(entropy_user user);
void entropy_resume(entropy_user user);

#endif
