#include <string.h>

#include "esp_partition.h"
#include "mc.xs.h"
#include "xsmc.h"

/*
 * RECORD_SIZE and SETTINGS_AT are as in factory.ts. The settings file contains, at LENGTH_AT, its length without REST
 * bytes.
 */
enum { RECORD_SIZE = 172, SETTINGS_AT = 256, LENGTH_AT = 6, HEAD_SIZE = 8, REST = 52 + 64 };

static const esp_partition_t *find(void)
{
	return esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY, "factory_data");
}

/*
 * Returns the record, unchecked, as an ArrayBuffer. The buffer has zeros if the record cannot be read. Returns
 * undefined if there is no partition.
 */
void xs_factory_data_read(xsMachine *the)
{
	uint8_t record[RECORD_SIZE];
	const esp_partition_t *partition = find();
	if (partition == NULL) return;
	if (esp_partition_read(partition, 0, record, sizeof record) != ESP_OK) memset(record, 0, sizeof record);
	xsmcSetArrayBuffer(xsResult, record, sizeof record);
}

/* Returns the settings file, unchecked, as an ArrayBuffer. Returns undefined without a file. */
void xs_factory_data_settings(xsMachine *the)
{
	uint8_t head[HEAD_SIZE];
	const esp_partition_t *partition = find();
	if (partition == NULL || esp_partition_read(partition, SETTINGS_AT, head, sizeof head) != ESP_OK) return;
	if (memcmp(head, "SMGS", 4) != 0) return;
	uint32_t length = REST + head[LENGTH_AT] + ((uint32_t)head[LENGTH_AT + 1] << 8);
	if (length > partition->size - SETTINGS_AT) return;
	xsmcSetArrayBuffer(xsResult, NULL, length);
	/* If this call fails, the buffer keeps its zeros, and the firmware reports an invalid file. */
	(void)esp_partition_read(partition, SETTINGS_AT, xsmcToArrayBuffer(xsResult), length);
}
