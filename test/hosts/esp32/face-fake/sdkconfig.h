/* An ESP32 with one core. */
#define CONFIG_MBEDTLS_IRAM_8BIT_MEM_ALLOC 1
