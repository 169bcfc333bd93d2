/** Firmware slots as files in the state folder. */
import { join } from "node:path";
import { BootLoader, SLOT_SIZE, SLOTS } from "../simulated/boot-loader.js";
import { PakoInflater } from "./inflater.js";
import { FilePartition } from "./partitions.js";
import { NodeCrypto } from "./platform.js";
import { FileStorage } from "./storage.js";

export interface SlotSettings {
	readonly stateFolder: string;
	/** Public keys that may sign a firmware (`Update.keys`), in hex. */
	readonly keys: readonly string[];
	restart(): void;
}

export function startSlots({ stateFolder, keys, restart }: SlotSettings): BootLoader {
	return new BootLoader({
		storage: new FileStorage(stateFolder),
		slots: SLOTS.map((name) => new FilePartition(join(stateFolder, "partitions", `${name}.bin`), SLOT_SIZE)),
		crypto: new NodeCrypto(),
		keys: keys.map((key) => new Uint8Array(Buffer.from(key, "hex"))),
		revoked: [],
		securityLevel: 0,
		inflater: () => new PakoInflater(),
		restart,
	});
}
