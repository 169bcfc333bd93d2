/** Storage of the host contract in NVS (storage-nvs.h). */
import type { Storage } from "../../modules/io/host.js";

class NVS {
	static get(key: string): ArrayBuffer | undefined {
		return native("xs_storage_get").call(this, key);
	}
	static set(key: string, value: Uint8Array): void {
		native("xs_storage_set").call(this, key, value);
	}
	static delete(key: string): void {
		native("xs_storage_delete").call(this, key);
	}
	static wasErased(): boolean {
		return native("xs_storage_was_erased").call(this);
	}
}

export class NVSStorage implements Storage {
	get wasErased(): boolean {
		return NVS.wasErased();
	}

	get(key: string): Uint8Array | undefined {
		const value = NVS.get(key);
		return value === undefined ? undefined : new Uint8Array(value);
	}

	set(key: string, value: Uint8Array): void {
		NVS.set(key, value);
	}

	delete(key: string): void {
		NVS.delete(key);
	}
}
