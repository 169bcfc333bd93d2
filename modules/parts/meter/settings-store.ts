/** Converts the meter settings to the form of the meter reader (MeterSettings). */

import { put } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import type { TextCodec } from "../../io/host.js";
import type { Slaves } from "../../mbus/session.js";
import { PROTOCOL_IEC62056 } from "../../readout/protocol-names.js";
import { DLMSSettingsStore, type MeterSettingsDeps } from "./dlms-store.js";
import {
	CONTROL_SIMULATOR_EN,
	IEC_SPEED_BAUD,
	IEC_SPEED_METER_ID,
	IEC62056_BATTERY,
	IEC62056_BAUDRATE_MAX,
	IEC62056_DEVICE_ADDRESS,
	IEC62056_MODE_D_BAUDRATE,
	IEC62056_MODE_D_ENABLED,
	IEC62056_MODE_E_DLMS,
	IEC62056_PASSWORD,
	METER_PROTOCOL,
	METER_RX_INVERTED,
	METER_RX_PIN,
	METER_TX_INVERTED,
	METER_TX_PIN,
} from "./fields.js";
import { slavesOf } from "./mbus-store.js";

export class MeterSettingsStore {
	readonly dlms: DLMSSettingsStore;
	readonly #store: ConfigStore;
	readonly #text: TextCodec;

	constructor(store: ConfigStore, deps: MeterSettingsDeps) {
		this.#store = store;
		this.#text = deps.text;
		this.dlms = new DLMSSettingsStore(store, deps);
	}

	get protocol(): string {
		return this.#store.get(METER_PROTOCOL);
	}

	get usesModeE(): boolean {
		return this.protocol === PROTOCOL_IEC62056 && this.#store.get(IEC62056_MODE_E_DLMS);
	}

	get modeD(): boolean {
		return this.protocol === PROTOCOL_IEC62056 && this.#store.get(IEC62056_MODE_D_ENABLED);
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

	get password(): Uint8Array {
		return this.#text.encode(this.#store.get(IEC62056_PASSWORD));
	}

	get mbus(): Slaves {
		return slavesOf(this.#store);
	}

	get simulator(): boolean {
		return this.#store.get(CONTROL_SIMULATOR_EN);
	}

	get rxInverted(): boolean {
		return this.#store.get(METER_RX_INVERTED);
	}

	get txInverted(): boolean {
		return this.#store.get(METER_TX_INVERTED);
	}

	get rxPin(): number {
		return this.#store.get(METER_RX_PIN);
	}

	get txPin(): number {
		return this.#store.get(METER_TX_PIN);
	}

	get learnedBaud(): number {
		return this.#store.get(IEC_SPEED_BAUD);
	}

	get learnedFor(): Uint8Array {
		return this.#text.encode(this.#store.get(IEC_SPEED_METER_ID));
	}

	learn(baud: number, meterId: Uint8Array): void {
		this.#store.note([put(IEC_SPEED_BAUD, baud), put(IEC_SPEED_METER_ID, this.#text.decode(meterId))]);
	}
}
