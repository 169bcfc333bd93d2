import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { ConfigStore } from "../../modules/config/store.js";
import {
	AUTH_HIGH_GMAC,
	AUTH_LOW,
	AUTH_NONE,
	OPENING_AUTO,
	OPENING_DIRECT,
	OPENING_MODE_E,
} from "../../modules/cosem/settings.js";
import type { MeterSettings } from "../../modules/meter/settings.js";
import { DLMS, DLMS_OBIS, DLMS_SECRETS } from "../../modules/parts/meter/dlms-fields.js";
import { CONTROL, IEC62056, METER } from "../../modules/parts/meter/fields.js";
import { MeterSettingsStore } from "../../modules/parts/meter/settings-store.js";
import { MemoryStorage, textCodec } from "../config/memory-storage.js";
import { putValues } from "../config/put-values.js";

describe("the meter's settings, as the reader gets them", () => {
	const { info } = new VirtualWorld();
	const open = (storage = new MemoryStorage(), serial = "SN-1") => {
		const store = new ConfigStore(storage, textCodec, ENTRIES);
		const world = { text: textCodec, crypto: new NodeCrypto(), info: { ...info, serial } };
		const settings: MeterSettings = new MeterSettingsStore(store, world);
		return { store, settings, dlms: settings.dlms };
	};

	it("are the stored ones, with choices as numbers", () => {
		const { store, settings, dlms } = open();
		assert.deepEqual(
			[dlms.auth, dlms.opening, dlms.directBaud, dlms.objects.length],
			[AUTH_NONE, OPENING_AUTO, 9600, 0],
		);
		for (const [words, auth, opening] of [
			[["low", "mode_e"], AUTH_LOW, OPENING_MODE_E],
			[["high_gmac", "direct"], AUTH_HIGH_GMAC, OPENING_DIRECT],
			[["none", "auto"], AUTH_NONE, OPENING_AUTO],
		] as const) {
			putValues(store, DLMS, [words[0], true, 1, 2, 3, 4000, 4, words[1], 300]);
			assert.deepEqual([dlms.auth, dlms.opening, dlms.ciphered, dlms.directBaud], [auth, opening, true, 300]);
			assert.deepEqual([dlms.client, dlms.logical, dlms.physical], [1, 2, 3]);
			assert.deepEqual([dlms.addressLength, dlms.receiveTimeoutMs], [4, 4000]);
		}
		const key = new Uint8Array(16).fill(7);
		putValues(store, DLMS_SECRETS, ["pass", key, key.slice(1)]);
		assert.deepEqual([Buffer.from(dlms.password).toString(), dlms.encryptionKey], ["pass", key]);
		assert.equal(dlms.authenticationKey.length, 15);
		const list = Uint8Array.of(0);
		putValues(store, DLMS_OBIS, [list]);
		assert.equal(dlms.objects, dlms.objects);
		assert.deepEqual(dlms.objects, list);
		putValues(store, CONTROL, [true, false]);
		assert.equal(settings.simulator, true);
	});
	it("allow mode D and the hand-over to DLMS/COSEM in mode E only with protocol iec62056", () => {
		const { store, settings } = open();
		putValues(store, IEC62056, [true, 2400, 9600, false, true]);
		assert.deepEqual([settings.protocol, settings.usesModeE, settings.modeD], ["iec62056", true, true]);
		putValues(store, METER, ["dlms"]);
		assert.deepEqual([settings.protocol, settings.usesModeE, settings.modeD], ["dlms", false, false]);
	});
	it("include a system title derived from the unit, which never changes", () => {
		const digest = createHash("sha256").update("SN-1").digest().subarray(0, 5);
		const title = Uint8Array.from([...Buffer.from("SMG"), ...digest]);
		assert.deepEqual(open().dlms.title, title);
		assert.deepEqual(open().dlms.title, title);
		assert.notDeepEqual(open(new MemoryStorage(), "SN-2").dlms.title, title);
	});
	it("store each learned value separately, and store nothing once a factory reset has begun", () => {
		const storage = new MemoryStorage();
		const { settings, dlms } = open(storage);
		dlms.learnOpening(OPENING_DIRECT);
		settings.learn(4800, Uint8Array.from(Buffer.from("ABC5TEST")));
		const again = open(storage);
		assert.deepEqual([again.dlms.learnedOpening, again.settings.learnedBaud], [OPENING_DIRECT, 4800]);
		again.store.erase();
		again.dlms.learnOpening(OPENING_MODE_E);
		assert.equal(open(storage).dlms.learnedOpening, OPENING_AUTO);
	});
});
