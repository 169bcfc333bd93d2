#include <string.h>

#include "esp_partition.h"
#include "mc.xs.h"
#include "xsmc.h"

/* FACTORY_DATA_SIZE of factory.ts. */
enum { RECORD_SIZE = 172 };

/* Returns the unchecked record as an ArrayBuffer: zeros if it cannot be read, undefined without a partition. */
void xs_factory_data_read(xsMachine *the)
{
	uint8_t record[RECORD_SIZE];
	const esp_partition_t *partition =
		esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY, "factory_data");
	if (partition == NULL) return;
	if (esp_partition_read(partition, 0, record, sizeof record) != ESP_OK) memset(record, 0, sizeof record);
	xsmcSetArrayBuffer(xsResult, record, sizeof record);
}
