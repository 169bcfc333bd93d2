import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as amis from "../../modules/amis/failures.js";
import * as cosem from "../../modules/cosem/failures.js";
import * as dlms from "../../modules/dlms/failures.js";
import * as hdlc from "../../modules/hdlc/failures.js";
import * as iec from "../../modules/iec62056-21/failures.js";
import * as kmp from "../../modules/kmp/failures.js";
import * as mbus from "../../modules/mbus/failures.js";
import * as meter from "../../modules/meter/failures.js";
import { PROTOCOL_ABSENT } from "../../modules/readout/absent.js";
import { type Failure, furthest, PROGRESS_HEARD } from "../../modules/readout/failure.js";
import * as sml from "../../modules/sml/failures.js";
import * as tic from "../../modules/tic/failures.js";

/** A module's failures, by name. */
function rowsOf(module: object): [string, Failure][] {
	return Object.entries(module).filter(([, value]) => typeof value === "object");
}

const TABLES: readonly [string, object][] = [
	["iec62056-21", iec],
	["hdlc", hdlc],
	["dlms", dlms],
	["sml", sml],
	["tic", tic],
	["amis", amis],
	["kmp", kmp],
	["mbus", mbus],
	["cosem", cosem],
	["meter", meter],
];
/** Failures that only the caller sees, and that are not stored as the last error. */
const NAMELESS: readonly Failure[] = [
	meter.FAILURE_WAIT,
	meter.FAILURE_PROFILE_WAIT,
	meter.FAILURE_BUSY,
	meter.FAILURE_MEMORY,
];

describe("Failures of a readout", () => {
	for (const [layer, module] of TABLES) {
		it(`of ${layer} each have an error, a code and a sentence, and are frozen`, () => {
			const rows = rowsOf(module);
			assert.ok(rows.length > 2);
			for (const [name, row] of rows) {
				assert.ok(Object.isFrozen(row), name);
				assert.match(row.message, /^[A-Z].*\.$/, name);
				assert.ok(row.progress >= 0 && Number.isInteger(row.progress), name);
				if (NAMELESS.includes(row)) continue;
				assert.match(row.error, /^(meter_(timeout|error|auth_failed)|no_profile)$/, name);
				assert.match(
					row.code,
					layer === "meter" || layer === "cosem"
						? /^(port|(iec62056-21|hdlc|dlms|dlms-push|kmp|live|mbus|meter|unasked)\/[a-z-]+)$/
						: new RegExp(`^${layer}/[a-z][a-z0-9-]+$`),
				);
			}
		});
	}
	it("have different codes, except that a failure and its variant after a sign-on share one", () => {
		const known = new Map<string, string>();
		for (const [name, { code }] of TABLES.flatMap(([, module]) => rowsOf(module))) {
			if (code === "") continue;
			const before = known.get(code);
			if (before !== undefined) assert.equal(name.replace("SIGNED_ON_", "HDLC_"), before, code);
			else known.set(code, name);
		}
		assert.equal(known.size, 113);
	});
	it("are exactly those in meter-failures.txt, so that none changes by accident", () => {
		const rows = TABLES.flatMap(([, module]) => rowsOf(module).map(([, row]) => row));
		const shown = new Set(rows.map(({ error, code, message }) => `${error}|${code}|${message}`));
		const texts = readFileSync(new URL("../../../test/api/meter-failures.txt", import.meta.url), "utf8");
		assert.deepEqual([...shown].sort(), texts.trimEnd().split("\n"));
	});
	it("include every code that the page has a text for", () => {
		const page = readFileSync(new URL("../../../hosts/browser/kit/failures.ts", import.meta.url), "utf8");
		const rows = TABLES.flatMap(([, module]) => rowsOf(module).map(([, row]) => row));
		const codes = new Set([...rows, PROTOCOL_ABSENT].map(({ code }) => code));
		const named = [
			...page.matchAll(/\b(?:iec62056-21|hdlc|dlms|sml|tic|amis|kmp|mbus|unasked|protocol)\/[a-z0-9-]+/g),
		].map(([code]) => code);
		assert.ok(named.length > 15);
		for (const code of named) assert.ok(codes.has(code), code);
	});
	it("are ranked after several attempts: the failure with the most progress is shown, and the last of equals", () => {
		assert.equal(furthest(undefined, iec.IEC_SILENCE), iec.IEC_SILENCE);
		assert.equal(furthest(iec.IEC_SILENCE, undefined), iec.IEC_SILENCE);
		assert.equal(furthest(iec.IEC_CUT, iec.IEC_SILENCE), iec.IEC_CUT);
		assert.equal(furthest(iec.IEC_SILENCE, hdlc.HDLC_SILENCE), hdlc.HDLC_SILENCE);
		assert.equal(furthest(hdlc.SIGNED_ON_SILENCE, hdlc.HDLC_GARBAGE), hdlc.SIGNED_ON_SILENCE);
		assert.equal(furthest(hdlc.HDLC_REFUSED, hdlc.SIGNED_ON_GARBAGE), hdlc.HDLC_REFUSED);
		const [ofHDLC, ofDLMS] = [hdlc, dlms].map((module) => rowsOf(module).map(([, { progress }]) => progress));
		assert.ok(Math.max(...ofHDLC) < Math.min(...ofDLMS));
	});
	it("show whether any bytes of the protocol were received", () => {
		const wasReceived = ({ progress }: Failure) => progress >= PROGRESS_HEARD;
		assert.ok(!rowsOf(iec).some(([, row]) => wasReceived(row)));
		assert.ok(rowsOf(dlms).every(([, row]) => wasReceived(row)));
		assert.deepEqual(
			rowsOf(hdlc).flatMap(([name, row]) => (wasReceived(row) ? [] : [name])),
			[
				"HDLC_ECHO_ONLY",
				"HDLC_GARBAGE",
				"HDLC_SILENCE",
				"SIGNED_ON_ECHO_ONLY",
				"SIGNED_ON_GARBAGE",
				"SIGNED_ON_SILENCE",
			],
		);
	});
	it("of HDLC keep their code after a sign-on, and show whether the meter stopped answering after it", () => {
		for (const [, row] of rowsOf(hdlc)) {
			const after = hdlc.afterSignOn(row);
			assert.equal(after.code, row.code);
			assert.equal(hdlc.isLostAfterSignOn(after), row.progress < PROGRESS_HEARD);
		}
	});
	it("are final only if another attempt would give the same result (these are listed here)", () => {
		const lasting = (module: object) => rowsOf(module).flatMap(([name, row]) => (row.isFinal ? [name] : []));
		assert.deepEqual(lasting(iec), ["IEC_NO_CLOCK", "IEC_NO_PROFILE", "IEC_PASSWORD_REFUSED", "IEC_PASSWORD_SILENCE"]);
		assert.deepEqual(lasting(hdlc), ["HDLC_NO_ADDRESS", "HDLC_TOO_LONG"]);
		assert.deepEqual(lasting(cosem), [
			"FAILURE_COUNTERS",
			"FAILURE_UNANSWERED",
			"PUSH_BROADCAST",
			"PUSH_KEY",
			"PUSH_NO_CODES",
			"PUSH_NO_KEY",
			"PUSH_NO_TAG",
			"PUSH_OPEN",
			"PUSH_OTHER",
			"PUSH_REPLAY",
		]);
		assert.deepEqual(lasting(meter), ["UNSOLICITED_ASCII", "UNSOLICITED_DLMS", "UNSOLICITED_SML", "UNSOLICITED_TIC"]);
		const passing = rowsOf(dlms).flatMap(([name, row]) => (row.isFinal ? [] : [name]));
		assert.deepEqual(passing, ["DLMS_EXCEPTION", "DLMS_LOST", "DLMS_MALFORMED", "DLMS_REJECTED"]);
	});
});
