/*
 * What must be there before the SDK's main() goes on: it calls modPrelaunch() first of all, in ESP-IDF's main task. That
 * of the SDK only waits in debug builds, and is called otherwise here (c-options), so that this one takes its place.
 * It then calls nvs_flash_init() and aborts when that fails: a partition that can't be read would be a boot loop. And the
 * gateway opens sockets before it opens the radio: lwIP has to run by then. Both draw random numbers, the keys of an
 * encrypted NVS among them: so there must be noise before.
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
	/* What can't be mended the SDK reports, by name. */
	storage_nvs_start();
	ESP_ERROR_CHECK(esp_netif_init());
}
