/* The part of ESP-IDF that hosts/esp32/entropy.c needs. */
#ifndef BOOTLOADER_RANDOM_H
#define BOOTLOADER_RANDOM_H

void bootloader_random_enable(void);
void bootloader_random_disable(void);

#endif
