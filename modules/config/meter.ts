/** The meter's settings in the form in which meter/reader.ts wants them (MeterSettings). */
import type { TextCodec } from "../io/host.js";
import {
	CONTROL_SIMULATOR_EN,
	IEC_SPEED,
	IEC_SPEED_BAUD,
	IEC_SPEED_METER_ID,
	IEC62056_BATTERY,
	IEC62056_BAUDRATE_MAX,
	IEC62056_DEVICE_ADDRESS,
	IEC62056_MODE_D_BAUDRATE,
	IEC62056_MODE_D_ENABLED,
	METER_PROTOCOL,
	PROTOCOL_IEC62056,
} from "./meter-fields.js";
import type { ConfigStore } from "./store.js";

export class MeterSettingsStore {
	readonly #store: ConfigStore;
	readonly #text: TextCodec;

	constructor(store: ConfigStore, text: TextCodec) {
		this.#store = store;
		this.#text = text;
	}

	get modeD(): boolean {
		return this.#store.get(IEC62056_MODE_D_ENABLED) && this.#store.get(METER_PROTOCOL) === PROTOCOL_IEC62056;
	}

	get modeDBaud(): number {
		return this.#store.get(IEC62056_MODE_D_BAUDRATE);
	}

	get baudMax(): number {
		return this.#store.get(IEC62056_BAUDRATE_MAX);
	}

	get battery(): boolean {
		return this.#store.get(IEC62056_BATTERY);
	}

	get deviceAddress(): Uint8Array {
		return this.#text.encode(this.#store.get(IEC62056_DEVICE_ADDRESS));
	}

	get simulator(): boolean {
		return this.#store.get(CONTROL_SIMULATOR_EN);
	}

	get learnedBaud(): number {
		return this.#store.get(IEC_SPEED_BAUD);
	}

	get learnedFor(): Uint8Array {
		return this.#text.encode(this.#store.get(IEC_SPEED_METER_ID));
	}

	learn(baud: number, meterId: Uint8Array): void {
		// On the way to a restart that forgets it.
		if (this.#store.isErased) return;
		this.#store.set(IEC_SPEED, [baud, this.#text.decode(meterId)]);
	}
}
