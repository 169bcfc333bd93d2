/** Reads settings from a host's storage in its engine: arbitrary records with a correct checksum. Portable. */

import { ENTRIES } from "../../../modules/app/parts.js";
import { Tokens } from "../../../modules/auth/tokens.js";
import { put } from "../../../modules/config/schema.js";
import { ConfigStore } from "../../../modules/config/store.js";
import { AccessSettings, TokenSettings } from "../../../modules/parts/auth/settings.js";
import { METER_PROTOCOL } from "../../../modules/parts/meter/fields.js";
import { flashRecords } from "../../fuzz/flash-records.js";
import { expect, expectEqual, frozen } from "./check.js";

const ROUNDS = 12;

/** Reproducible on every host: the high bits of a linear congruential generator. */
class Numbers {
	#state = 20_261_122;

	below(limit: number): number {
		this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((this.#state / 2 ** 32) * limit);
	}

	bytes(length: number): Uint8Array {
		return new Uint8Array(length).map(() => this.below(256));
	}
}

export const settingsChecks = frozen([
	{
		name: "settings start with any record that has a valid checksum, and can be stored again",
		async run(host) {
			const { storage, text, crypto, clock } = host;
			const random = new Numbers();
			let damaged = 0;
			for (let round = 0; round < ROUNDS; round++) {
				for (const [key, value] of flashRecords(random)) storage.set(key, value);
				const store = new ConfigStore(storage, text, ENTRIES);
				if (store.damaged.length > 0) damaged++;
				const access = new AccessSettings(store);
				expect(access.salt.length <= 64 && access.digest.length <= 32, "the account is invalid");
				const tokens = new Tokens(new TokenSettings(store), crypto, clock, text);
				for (let i = 0; i < tokens.count; i++) expect(tokens.nameAt(i).length <= 32, "a name is too long");
				store.change([put(METER_PROTOCOL, "dlms")]);
				expectEqual(new ConfigStore(storage, text, ENTRIES).get(METER_PROTOCOL), "dlms", "the values stored then");
				store.erase();
				store.endErasure();
				for (const { key } of ENTRIES) expectEqual(storage.get(key), undefined, key);
			}
			expect(damaged > ROUNDS / 2, `${damaged} of ${ROUNDS} rounds reported damage`);
		},
	},
]);
