/** Converts the DLMS/COSEM settings for the meter reader (cosem/settings.ts). */
import { asciiBytes } from "../../bytes/ascii.js";
import { put } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import type { Crypto } from "../../io/crypto.js";
import type { HostInfo, TextCodec } from "../../io/host.js";
import { NO_BYTES } from "../../io/machine.js";
import {
	DEVIATION_SWAPPED,
	DLMS_AUTH,
	DLMS_AUTH_KEY,
	DLMS_BAUDRATE,
	DLMS_BLOCK_CIPHER_KEY,
	DLMS_CLIENT_ADDRESS,
	DLMS_DEVIATION,
	DLMS_LIST_ROWS,
	DLMS_OBIS_ENTRIES,
	DLMS_OPENING,
	DLMS_PASSWORD,
	DLMS_PUSH_BAUDRATE,
	DLMS_RECEIVE_TIMEOUT_MS,
	DLMS_RELEASE,
	DLMS_SECURITY_SUITE,
	DLMS_SERVER_ADDRESS_LENGTH,
	DLMS_SERVER_LOGICAL,
	DLMS_SERVER_PHYSICAL,
	DLMS_USE_ENCRYPTION,
} from "./dlms-fields.js";
import { DLMS_LEARNED_OPENING, DLMS_LEARNED_PUSH, OPENINGS } from "./fields.js";

const TITLE_LENGTH = 8;
/** Letters at the place of the manufacturer's code in the system title. */
const TITLE_MAKER = "SMG";

export interface MeterSettingsDeps {
	readonly text: TextCodec;
	readonly crypto: Crypto;
	readonly info: HostInfo;
}

export class DLMSSettingsStore {
	seenList: Uint8Array = NO_BYTES;
	readonly #store: ConfigStore;
	readonly #deps: MeterSettingsDeps;

	constructor(store: ConfigStore, deps: MeterSettingsDeps) {
		this.#store = store;
		this.#deps = deps;
	}

	get auth(): number {
		return DLMS_AUTH.choices.indexOf(this.#store.get(DLMS_AUTH));
	}

	get ciphered(): boolean {
		return this.#store.get(DLMS_USE_ENCRYPTION);
	}

	get suite(): number {
		return this.#store.get(DLMS_SECURITY_SUITE);
	}

	get release(): boolean {
		return this.#store.get(DLMS_RELEASE);
	}

	get swappedDeviation(): boolean {
		return this.#store.get(DLMS_DEVIATION) === DEVIATION_SWAPPED;
	}

	get client(): number {
		return this.#store.get(DLMS_CLIENT_ADDRESS);
	}

	get logical(): number {
		return this.#store.get(DLMS_SERVER_LOGICAL);
	}

	get physical(): number {
		return this.#store.get(DLMS_SERVER_PHYSICAL);
	}

	get addressLength(): number {
		return this.#store.get(DLMS_SERVER_ADDRESS_LENGTH);
	}

	get receiveTimeoutMs(): number {
		return this.#store.get(DLMS_RECEIVE_TIMEOUT_MS);
	}

	get password(): Uint8Array {
		return this.#deps.text.encode(this.#store.get(DLMS_PASSWORD));
	}

	get encryptionKey(): Uint8Array {
		return this.#store.get(DLMS_BLOCK_CIPHER_KEY);
	}

	get authenticationKey(): Uint8Array {
		return this.#store.get(DLMS_AUTH_KEY);
	}

	get objects(): Uint8Array {
		return this.#store.get(DLMS_OBIS_ENTRIES);
	}

	get opening(): number {
		return OPENINGS.indexOf(this.#store.get(DLMS_OPENING));
	}

	get directBaud(): number {
		return this.#store.get(DLMS_BAUDRATE);
	}

	get learnedOpening(): number {
		return OPENINGS.indexOf(this.#store.get(DLMS_LEARNED_OPENING));
	}

	get pushBaud(): number {
		return this.#store.get(DLMS_PUSH_BAUDRATE);
	}

	get learnedPush(): Uint8Array {
		return this.#store.get(DLMS_LEARNED_PUSH);
	}

	get rows(): string {
		return this.#store.get(DLMS_LIST_ROWS);
	}

	/**
	 * System title of the gateway. It is constant and differs from that of other gateways, because two clients must not
	 * use one key with the same title.
	 */
	get title(): Uint8Array {
		const { crypto, text, info } = this.#deps;
		const title = new Uint8Array(TITLE_LENGTH);
		title.set(asciiBytes(TITLE_MAKER));
		const serial = crypto.sha256(text.encode(info.serial));
		title.set(serial.subarray(0, TITLE_LENGTH - TITLE_MAKER.length), TITLE_MAKER.length);
		return title;
	}

	learnOpening(opening: number): void {
		this.#store.note([put(DLMS_LEARNED_OPENING, OPENINGS[opening])]);
	}
	learnPush(push: Uint8Array): void {
		this.#store.note([put(DLMS_LEARNED_PUSH, push)]);
	}
}
