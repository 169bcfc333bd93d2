/** Runs a complete association of the client with the test server, and records its results as texts. */

import assert from "node:assert/strict";
import { Association, STEP_COUNTER, STEP_END, STEP_SEND, STEP_WAIT } from "../../modules/dlms/association.js";
import { Cipher, type CipherOptions } from "../../modules/dlms/cipher.js";
import { LIST_LIMIT, Reading, type ReadingSink } from "../../modules/dlms/reading.js";
import { ScalerCache } from "../../modules/dlms/scaler-cache.js";
import { cosemUnitText } from "../../modules/obis/units.js";
import type { Failure } from "../../modules/readout/failure.js";
import { AUTHENTICATION_KEY, CLIENT_TITLE, KEY, SUITE_0 } from "./crypto.js";
import type { Server } from "./server.js";

/** A poll list from texts such as `3 1-0:1.8.0.255 2`. */
export function listOf(...objects: string[]): Uint8Array {
	const entries = objects.map((object) => {
		const [classId, code, attribute] = object.split(" ");
		return [...code.split(/[-:.]/).map(Number), Number(classId), Number(attribute)];
	});
	return Uint8Array.from([objects.length, ...entries.flat()]);
}

/** Records readings: `1.0.1.8.0.255: 123.4 Wh | 2026-…` and `#3 refused 4`. */
export class Notes implements ReadingSink {
	readonly lines: string[] = [];
	#values: string[] | undefined;
	#code = "";

	beginObject(_position: number, list: Uint8Array, at: number): void {
		assert.equal(this.#values, undefined, "the object before was ended");
		this.#code = [...list.subarray(at, at + 6)].join(".");
		this.#values = [];
	}

	value(text: Uint8Array, length: number, unit: number): void {
		assert.ok(this.#values !== undefined, "a value belongs to an object");
		const shown = Buffer.from(text.subarray(0, length)).toString("latin1");
		this.#values.push(unit === 255 ? shown : `${shown} ${cosemUnitText(unit)}`);
	}

	endObject(): void {
		assert.ok(this.#values !== undefined && this.#values.length > 0, "an object has values");
		this.lines.push(`${this.#code}: ${this.#values.join(" | ")}`);
		this.#values = undefined;
	}

	refused(position: number, reason: number): void {
		assert.equal(this.#values, undefined, "the object before was ended");
		this.lines.push(`#${position} refused ${reason}`);
	}

	/** All readings; none may be incomplete. */
	get all(): string[] {
		assert.equal(this.#values, undefined, "the last object was ended");
		return this.lines;
	}
}

export interface ClientOptions extends Partial<CipherOptions> {
	mechanism?: number;
	ciphered?: boolean;
	password?: string;
	list?: Uint8Array;
	cache?: ScalerCache;
	release?: boolean;
	listing?: number;
	named?: boolean;
	keyless?: boolean;
	swappedDeviation?: boolean;
	pduLimit?: number;
}

export class AssociationDriver {
	readonly association: Association;
	readonly cipher: Cipher;
	readonly reading: Reading;
	readonly cache: ScalerCache;
	readonly notes = new Notes();
	/** APDUs in each direction. */
	readonly sent: Uint8Array[] = [];
	readonly received: Uint8Array[] = [];
	/** Number of requests for more counters. */
	grants = 0;

	constructor(options: ClientOptions = {}) {
		const list = options.list ?? listOf("3 1-0:1.8.0.255 2");
		this.cache = options.cache ?? new ScalerCache(list[0]);
		this.cipher = new Cipher({
			...SUITE_0,
			encryptionKey: KEY,
			authenticationKey: AUTHENTICATION_KEY,
			title: CLIENT_TITLE,
			counter: 1,
			counterLimit: 1000,
			...options,
		});
		this.reading = new Reading({
			list,
			cache: this.cache,
			sink: this.notes,
			listing: options.listing ?? LIST_LIMIT,
			named: options.named ?? true,
			swappedDeviation: options.swappedDeviation ?? false,
		});
		this.association = new Association({
			mechanism: options.mechanism ?? 0,
			ciphered: options.ciphered ?? false,
			password: new Uint8Array(Buffer.from(options.password ?? "")),
			cipher: options.keyless === true ? undefined : this.cipher,
			reading: this.reading,
			pduLimit: options.pduLimit ?? 1024,
			release: options.release ?? false,
			random: (length) => Uint8Array.from({ length }, (_, i) => i * 37 + 11),
		});
	}

	/**
	 * Runs the association against a server; returns the failure, if any. `between` may change an answer, or insert
	 * APDUs before it.
	 */
	run(
		server: Pick<Server, "answer">,
		between?: (answer: Uint8Array, count: number) => Uint8Array[],
	): Failure | undefined {
		const { association } = this;
		let step = association.begin();
		for (let steps = 0; step !== STEP_END; steps++) {
			assert.ok(steps < 2000, "the association does not end");
			if (step === STEP_COUNTER) {
				this.grants++;
				this.cipher.counterLimit += 3;
				step = association.resume();
				continue;
			}
			assert.equal(step, STEP_SEND);
			const request = association.request.slice(0, association.requestLength);
			this.sent.push(request);
			const answer = server.answer(request);
			for (const apdu of between?.(answer, this.sent.length) ?? [answer]) {
				this.received.push(apdu);
				step = this.deliver(apdu);
				if (step !== STEP_WAIT) break;
			}
			assert.notEqual(step, STEP_WAIT, "no answer came");
		}
		assert.equal(association.isRead, association.failure === undefined);
		return association.failure;
	}

	/** Feeds an APDU in the middle of a buffer that is overwritten afterwards. */
	deliver(apdu: Uint8Array): number {
		const buffer = new Uint8Array(apdu.length + 4).fill(0x2a);
		buffer.set(apdu, 2);
		const step = this.association.receive(buffer, 2, 2 + apdu.length);
		buffer.fill(0x2f);
		return step;
	}
}
