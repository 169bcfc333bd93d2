/** Changes settings until it is killed; prints each value once it is in flash. For kill.test.ts. */

import { writeSync } from "node:fs";
import { NodeText } from "../../hosts/node/platform.js";
import { FileStorage } from "../../hosts/node/storage.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { put } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import { IEC62056_BAUDRATE_MAX } from "../../modules/parts/meter/fields.js";

const store = new ConfigStore(new FileStorage(process.argv[2]), new NodeText(), ENTRIES);
for (;;) {
	const { minimum, maximum } = IEC62056_BAUDRATE_MAX;
	const value = store.get(IEC62056_BAUDRATE_MAX);
	const next = value < maximum ? value + 1 : minimum;
	store.change([put(IEC62056_BAUDRATE_MAX, next)]);
	writeSync(1, `${next}\n`);
}
