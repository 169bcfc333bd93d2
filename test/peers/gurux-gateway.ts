/**
 * Our gateway, with either engine, reads `gurux.dlms` for Java (gurux-server.ts) on a pseudo-terminal when the test
 * requests it over HTTPS. The session log proves that each case uses its feature: lists, blocks, segments, ciphering.
 */
import assert from "node:assert/strict";
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isError, type JSONObject } from "../api/gateway.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { guruxObjects, prepareGuruxServer, withGuruxServer } from "./gurux-server.js";
import { PEERS_FOLDER } from "./peer.js";

const KEYS = {
	block_cipher_key: "000102030405060708090a0b0c0d0e0f",
	auth_key: "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
};
const PLAIN = {
	auth: "none",
	use_encryption: false,
	client_address: 16,
	server_physical: 17,
	server_address_length: 0,
	opening: "direct",
	password: "",
	block_cipher_key: "",
	auth_key: "",
	security_suite: 0,
	release: false,
};
const LOW = { ...PLAIN, auth: "low", client_address: 32, password: "12345678" };
const GMAC = { ...PLAIN, ...KEYS, auth: "high_gmac", use_encryption: true, client_address: 1 };
const SHA256 = { ...PLAIN, auth: "high_sha256", client_address: 2, password: "12345678" };
/** On a loaded machine the server pauses longer than a meter does. */
const PATIENT = { receive_timeout_ms: 10_000 };
const USUAL = { receive_timeout_ms: 1000 };
const METER_ID = "GWS0000048151623";

/** Patterns in the hex log: this one and those below match an APDU after the LLC, a frame of the server, or a value. */
const LIST_REQUEST = /e6e600c003/;
const BLOCK = /e6e700c402/;
const NEXT_BLOCK = /e6e600c002/;
const SEGMENT = /7ea8..(03|21|41)0223/;
const CIPHERED_REQUEST = /e6e600c8/;
const CIPHERED_REPLY = /e6e700cc/;
/** RLRQ and RLRE; the next pattern has ciphered user information. */
const RELEASED = /e6e60062038001.*e6e70063/;
const RELEASED_CIPHERED = /e6e60062..800100be..04..21.*e6e70063/;
const AARE = /e6e70061/g;
const LIVE_ROUNDS = 5;
const LIVE_LIMIT_MS = 40_000;
const READOUT_LIMIT_MS = 300_000;
const LOOK_MS = 500;
/** Hex digits and spaces of the line in the message of a failure. */
const SHOWN_CHARACTERS = 3000;
/** GET of the buffer with selector 2. */
const BY_ENTRIES = /c001..00070100630100ff020102/;
/** GET of the buffer with selector 1. */
const BY_RANGE = /c001..00070100630100ff020101/;
const SERIAL = new RegExp(Buffer.from("48151623").toString("hex"));

interface Bed {
	readonly classPath: string;
	readonly gateway: ProcessGateway;
	/** Link to the current server's port, the gateway's meter port. */
	readonly link: string;
}

interface Case {
	readonly name: string;
	run(bed: Bed): Promise<void>;
}

/** Starts a gateway that reads the server's objects. */
export async function prepareGuruxGateway(engine: EngineName): Promise<Bed> {
	const classPath = await prepareGuruxServer();
	const link = join(PEERS_FOLDER, `gurux-${engine}-${process.pid}`);
	const gateway = await ProcessGateway.start(engine, { meterPath: link });
	await gateway.login();
	await gateway.write("meter/protocol", { protocol: "dlms" });
	const entries = guruxObjects.map(({ classId, code }) => ({
		code: code.split(".").map(Number),
		class_id: classId,
		attribute: 2,
	}));
	await gateway.write("dlms/obis", { entries });
	return { classPath, gateway, link };
}

export async function endGuruxGateway({ gateway, link }: Bed): Promise<void> {
	rmSync(link, { force: true });
	await gateway.stop();
}

/** Starts a server, applies the settings, waits for the meter's port, and runs `use`. */
function withLine<T>(bed: Bed, options: readonly string[], use: () => Promise<T>): Promise<T> {
	return withGuruxServer(bed.classPath, options, async (path) => {
		await lastReadout(bed.gateway);
		symlinkSync(path, `${bed.link}.new`);
		renameSync(`${bed.link}.new`, bed.link);
		return use();
	});
}

/** Returns the last readout; first waits until none is in progress. */
async function lastReadout(gateway: ProcessGateway): Promise<JSONObject> {
	for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
		const last = await gateway.read("iec62056/last");
		if (!last.running) return last;
		assert.ok(waitedMs < READOUT_LIMIT_MS, "the readout does not end");
		await gateway.pass(LOOK_MS);
	}
}

/** Returns a new readout. On a loaded machine it may take longer than the minute that the reply waits. */
async function readout(gateway: ProcessGateway): Promise<JSONObject> {
	const { status, text } = await gateway.get("iec62056/read");
	if (status === 200) return JSON.parse(text);
	const last = await lastReadout(gateway);
	const line = (await sessionLog(gateway)).slice(-SHOWN_CHARACTERS);
	const isLate = JSON.parse(text).error === "meter_timeout" && last.last_error === null;
	assert.ok(isLate, `${text} ${last.last_error}\n${line}`);
	return last;
}

/** Bytes on the line, in hex; only the end of a long log. */
async function sessionLog(gateway: ProcessGateway): Promise<string> {
	const { entries } = await gateway.read("iec62056/log");
	return entries.map(({ hex }: JSONObject) => hex ?? "").join(" ");
}

const shown = ({ obis_long, value1, value1_unit }: JSONObject) => `${obis_long} ${value1} ${value1_unit}`.trim();

const EXPECTED = guruxObjects.map(({ code, value, unit }) => {
	const [a, b, c, d, e] = code.split(".");
	return `${a}-${b}:${c}.${d}.${e} ${value} ${unit}`.trim();
});

interface Reads {
	readonly server?: readonly string[];
	readonly config: JSONObject;
	/** Patterns that the session log must contain. */
	readonly seen?: readonly RegExp[];
	readonly unseen?: readonly RegExp[];
}

const reads = (name: string, { server = [], config, seen = [], unseen = [] }: Reads): Case => ({
	name,
	async run(bed) {
		const { gateway } = bed;
		await withLine(bed, server, async () => {
			await gateway.write("dlms/config", { ...config, ...PATIENT });
			// Clears the log.
			for (const log_en of [false, true]) await gateway.write("iec62056/control", { log_en });
			const { readings, protocol, meter_id, status, missing } = await readout(gateway);
			assert.deepEqual(readings.map(shown), EXPECTED);
			assert.deepEqual([protocol, meter_id, status, missing], ["DLMS/COSEM", METER_ID, 0, []]);
			const line = await sessionLog(gateway);
			for (const part of seen) assert.match(line, part);
			for (const part of unseen) assert.doesNotMatch(line, part);
		});
	},
});

/**
 * A row of the server's load profile (java/ServeMeter.java): the last one for `k` 0, an earlier one for a larger `k`.
 */
const profileRow = (k: number) => ({
	timestamp: Date.parse("2026-06-21T18:30:00Z") / 1000 - 900 * k,
	status: String(k % 3),
	values: [String(12_572_239 - 250 * k)],
});

const readsProfile = (
	name: string,
	entries: number,
	{ server = [], config, seen = [] }: Reads,
	rows = entries,
): Case => ({
	name: `a load profile ${name}`,
	async run(bed) {
		const { gateway } = bed;
		await withLine(bed, server, async () => {
			await gateway.write("dlms/config", { ...config, ...PATIENT });
			for (const log_en of [false, true]) await gateway.write("iec62056/control", { log_en });
			const profile = await gateway.read(`meter/profile?entries=${entries}`);
			const shown = profile.rows.map(({ localtime, ...row }: JSONObject) => row);
			assert.deepEqual(
				shown,
				Array.from({ length: rows }, (_, i) => profileRow(rows - 1 - i)),
			);
			assert.deepEqual(
				[profile.meter_id, profile.status, profile.period_secs, profile.columns],
				[METER_ID, 0, 900, [{ obis: "1-0:1.8.0", unit: "Wh", en: "Active energy import total" }]],
			);
			const line = await sessionLog(gateway);
			for (const part of seen) assert.match(line, part);
		});
	},
});

interface Fails {
	readonly server?: readonly string[];
	readonly error?: string;
}

const fails = (name: string, config: JSONObject, lastError: string, { server = [], error }: Fails = {}): Case => ({
	name,
	async run(bed) {
		const { gateway } = bed;
		await withLine(bed, server, async () => {
			await gateway.write("dlms/config", { ...config, ...USUAL });
			isError(await gateway.get("iec62056/read"), 500, error ?? "meter_auth_failed");
			assert.equal((await gateway.read("iec62056/last")).last_error, lastError);
		});
	},
});

/** Follows live mode for some seconds, in one association; then the meter must be free for a full readout. */
const readsLive = (name: string, { server = [], config }: Reads): Case => ({
	name: `the power in live mode, ${name}`,
	async run(bed) {
		const { gateway } = bed;
		await withLine(bed, server, async () => {
			await gateway.write("dlms/config", { ...config, ...PATIENT });
			await gateway.read("iec62056/read");
			for (const log_en of [false, true]) await gateway.write("iec62056/control", { log_en });
			await gateway.write("dlms/config", { live_secs: 1 });
			const follower = gateway.follow();
			const rounds = () => follower.events.filter(({ data }) => data.live_timestamp !== undefined).length;
			for (let waitedMs = 0; rounds() < LIVE_ROUNDS; waitedMs += 100) {
				assert.ok(waitedMs < LIVE_LIMIT_MS, `${rounds()} rounds`);
				await gateway.pass(100);
			}
			assert.equal((await gateway.read("system/status")).meter_live, "on");
			const { live_timestamp, readings, timestamp } = await gateway.read("iec62056/last");
			assert.ok(live_timestamp > timestamp);
			assert.deepEqual(readings.map(shown), EXPECTED);
			assert.equal((await sessionLog(gateway)).match(AARE)?.length, 1);
			follower.leave();
			await gateway.write("dlms/config", { live_secs: 0 });
			assert.equal((await gateway.read("iec62056/read")).status, 0);
		});
	},
});

const WRONG_KEY = "11".repeat(16);
const CIPHERED = { seen: [CIPHERED_REQUEST, CIPHERED_REPLY], unseen: [SERIAL] };

export const guruxGatewayCases: readonly Case[] = [
	reads("no security", { config: PLAIN, seen: [LIST_REQUEST, SERIAL] }),
	reads("no list service", { server: ["list=off"], config: PLAIN, seen: [SERIAL], unseen: [LIST_REQUEST] }),
	reads("in blocks", { server: ["pdu=64", "list=off"], config: PLAIN, seen: [BLOCK, NEXT_BLOCK] }),
	// The server's lists in blocks are wrong: they have with-list (3) instead of with-datablock (2).
	reads("lists in blocks, which the gateway gives up", {
		server: ["pdu=64"],
		config: PLAIN,
		seen: [LIST_REQUEST, BLOCK],
	}),
	reads("in segments", { server: ["info=32"], config: PLAIN, seen: [SEGMENT] }),
	reads("in blocks and segments", {
		server: ["pdu=100", "info=48", "list=off"],
		config: PLAIN,
		seen: [SEGMENT, BLOCK, NEXT_BLOCK],
	}),
	reads("in segments, a window of three frames", { server: ["info=32", "window=3"], config: PLAIN, seen: [SEGMENT] }),
	reads("four bytes of address", { config: { ...PLAIN, server_address_length: 4 } }),
	reads("a password", { config: LOW, seen: [SERIAL] }),
	reads("a password, ciphered", { config: { ...LOW, ...KEYS, use_encryption: true }, ...CIPHERED }),
	reads("HLS-GMAC, ciphered", { config: GMAC, ...CIPHERED }),
	reads("HLS-GMAC, ciphered, no list service", { server: ["list=off"], config: GMAC, ...CIPHERED }),
	reads("HLS-GMAC, ciphered, in blocks", { server: ["pdu=64", "list=off"], config: GMAC, ...CIPHERED }),
	// The frames must hold the whole AARE: while HLS is pending, the server answers RR, the request for another segment,
	// with an exception.
	reads("HLS-GMAC, ciphered, in segments", {
		server: ["info=128"],
		config: GMAC,
		seen: [SEGMENT, ...CIPHERED.seen],
		unseen: CIPHERED.unseen,
	}),
	reads("HLS-GMAC, suite 1", { server: ["suite=1"], config: { ...GMAC, security_suite: 1 }, ...CIPHERED }),
	reads("HLS-GMAC, suite 1, requested in suite 0", { server: ["suite=1"], config: GMAC, ...CIPHERED }),
	reads("HLS with SHA-256", { config: SHA256, seen: [SERIAL] }),
	reads("HLS with SHA-256, ciphered", { config: { ...SHA256, ...KEYS, use_encryption: true }, ...CIPHERED }),
	fails("HLS with SHA-256 and another secret", { ...SHA256, password: "12345679" }, "dlms/hls-refused"),
	reads("a release", { config: { ...PLAIN, release: true }, seen: [RELEASED] }),
	reads("a release, ciphered", { config: { ...GMAC, release: true }, seen: [RELEASED_CIPHERED] }),
	reads("in segments, a window of seven frames", { server: ["info=32", "window=7"], config: PLAIN, seen: [SEGMENT] }),
	reads("frames of 1024 bytes in a row", { server: ["info=1024", "window=7"], config: PLAIN, seen: [LIST_REQUEST] }),
	readsProfile("by the numbers of the rows", 30, { config: PLAIN, seen: [BY_ENTRIES] }),
	readsProfile("by their times", 30, { server: ["in-use=off"], config: PLAIN, seen: [BY_RANGE] }),
	readsProfile("of a hundred rows, in blocks, ciphered", 100, { server: ["pdu=200"], config: GMAC }),
	readsProfile("of a hundred rows, in segments", 100, {
		server: ["info=64", "window=3"],
		config: PLAIN,
		seen: [SEGMENT],
	}),
	readsProfile("of a few rows, whole", 10, { server: ["selective=off"], config: PLAIN }, 4),
	readsLive("no security", { config: PLAIN }),
	readsLive("HLS-GMAC, ciphered, with a release", { config: { ...GMAC, release: true } }),
	fails("a wrong password", { ...LOW, password: "12345679" }, "dlms/authentication"),
	fails("a wrong encryption key", { ...GMAC, block_cipher_key: WRONG_KEY }, "dlms/deciphering"),
	fails("a wrong authentication key", { ...GMAC, auth_key: WRONG_KEY }, "dlms/deciphering"),
	fails("short names", PLAIN, "dlms/short-names", { server: ["names=short"], error: "meter_error" }),
];
