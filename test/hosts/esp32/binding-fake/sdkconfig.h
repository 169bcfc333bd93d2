/* An ESP32 with one core. */
#define CONFIG_MBEDTLS_CUSTOM_MEM_ALLOC 1
