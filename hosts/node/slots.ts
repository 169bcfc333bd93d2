/** Slots for firmware as files of the state folder, and the boot loader that chooses one of them, for the bench. */
import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BootLoader, SLOT_SIZE, SLOTS } from "../simulated/boot-loader.js";
import { PakoInflater } from "./inflater.js";
import { FilePartition } from "./partitions.js";
import { NodeCrypto } from "./platform.js";
import { FileStorage } from "./storage.js";

const CURVE = "prime256v1";
const UNCOMPRESSED = 4;

export interface SlotSettings {
	readonly stateFolder: string;
	/** As `Update.keys`. */
	readonly keys: readonly Uint8Array[];
	/** The firmware has given itself up. */
	restart(): void;
}

/** A start of the unit: what the boot loader does then. */
export function startSlots({ stateFolder, keys, restart }: SlotSettings): BootLoader {
	return new BootLoader({
		storage: new FileStorage(stateFolder),
		slots: SLOTS.map((name) => new FilePartition(join(stateFolder, "partitions", `${name}.bin`), SLOT_SIZE)),
		crypto: new NodeCrypto(),
		keys,
		revoked: [],
		securityLevel: 0,
		inflater: () => new PakoInflater(),
		restart,
	});
}

/** The public key in a file of PEM text, as a point. Throws an Error with a sentence for the user. */
export function readUpdateKey(path: string): Uint8Array {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		throw new Error(`--update-key: ${(error as Error).message}`);
	}
	try {
		const key = createPublicKey(text);
		if (key.asymmetricKeyDetails?.namedCurve !== CURVE) throw new Error("another kind of key");
		const { x, y } = key.export({ format: "jwk" });
		return Uint8Array.of(UNCOMPRESSED, ...Buffer.from(x!, "base64url"), ...Buffer.from(y!, "base64url"));
	} catch {
		throw new Error(`--update-key: ${path} holds no public key of P-256 as PEM`);
	}
}
