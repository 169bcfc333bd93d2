/** Memory dumps of real coprocessors: test/vectors/restricted/zigbee. */
import { readFileSync } from "node:fs";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { keyOf, NVMemory } from "../../tools/zigbee/nvram.js";

export interface MemoryDump {
	readonly name: string;
	readonly nv: NVMemory;
	readonly startup_option: number;
	readonly is_on_a_network: boolean;
	/** Role as in NV item 0x0087. */
	readonly role: number;
	/** Undefined: no network, or a memory layout other than the simulator's. */
	readonly network?: {
		readonly channel: number;
		readonly pan_id: number;
		readonly extended_pan_id: string;
		readonly short_address: number;
	};
	/** Key in hex; empty: no network. */
	readonly network_key: string;
}

export function memoryDumps(): MemoryDump[] {
	return vectorNames("zigbee").map((name) => {
		const lines = readFileSync(vectorPath("zigbee", name), "utf8").split("\n");
		const items = lines.filter((line) => /^[0-9a-f]{4} /.test(line)).map((line) => line.split(" "));
		const nv = new NVMemory(Object.fromEntries(items.map(([id, bytes]) => [keyOf(Number.parseInt(id, 16)), bytes])));
		return { name, nv, ...JSON.parse(readFileSync(vectorPath("zigbee", name, "json"), "utf8")) };
	});
}
