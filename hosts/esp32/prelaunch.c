/*
 * The SDK's main() calls modPrelaunch() before anything else, in ESP-IDF's main task. The SDK has a modPrelaunch() of
 * its own, which c-options renames. After modPrelaunch(), main() calls nvs_flash_init() and aborts if that fails.
 * Without the code here, an unreadable partition would cause a boot loop. The gateway opens sockets before it turns the
 * radio on, so lwIP starts here. NVS (for the keys of an encrypted partition) and lwIP need random numbers, so the
 * noise source is started first.
 */
#include "entropy.h"
#include "esp_netif.h"
#include "storage-nvs.h"
#include "tls-memory.h"

#undef modPrelaunch

void modPrelaunch(void)
{
	tls_memory_start();
	entropy_begin();
	/* If NVS remains unusable, the SDK reports the error later, by name. */
	storage_nvs_start();
	ESP_ERROR_CHECK(esp_netif_init());
}
