/** Readouts of DLMS meters with `GET iec62056/read`, and the code of each failure. Runs in virtual time. */
import assert from "node:assert/strict";
import { FORMAT_8N1 } from "../../modules/io/host.js";
import { type Machine, OUTPUT_LINE, type Output } from "../../modules/io/machine.js";
import { DLMSTap, loadMs } from "../../tools/benchmark/dlms-tap.js";
import { COUNTER_REFUSED } from "../../tools/meter/dlms-security.js";
import { AK, dlmsMeter, GUEK, iecMeter } from "../cosem/meters.js";
import { expectFaults } from "../faults.js";
import { isError, type JSONObject } from "./gateway.js";
import { VirtualGateway } from "./virtual-gateway.js";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const PHYSICAL = { server_physical: 17 };
const DIRECT = { ...PHYSICAL, opening: "direct" };
const SHA256 = { ...DIRECT, auth: "high_sha256", client_address: 1, password: "12345678" };
const LOW = { ...DIRECT, auth: "low", client_address: 32, password: "12345678" };
const KEYS = { block_cipher_key: hex(GUEK), auth_key: hex(AK) };
const GMAC = { ...DIRECT, ...KEYS, auth: "high_gmac", use_encryption: true, client_address: 1 };

/** Values of the simulated household, for the default list of objects. */
const VALUES = [
	"0-0:1.0.0 2026-06-21T19:30:00+01:00",
	"0-0:96.1.0 48151623",
	"1-0:1.8.0 12572239 Wh",
	"1-0:1.8.1 8421337 Wh",
	"1-0:1.8.2 4150902 Wh",
	"1-0:2.8.0 3276118 Wh",
	"1-0:1.7.0 4175 W",
	"1-0:2.7.0 0 W",
	"1-0:32.7.0 230.4 V",
	"1-0:52.7.0 228.2 V",
	"1-0:72.7.0 230.2 V",
	"1-0:31.7.0 9.07 A",
	"1-0:51.7.0 3.98 A",
	"1-0:71.7.0 5.67 A",
];

function shown(readout: JSONObject): string[] {
	return readout.readings.map(({ obis_long, value1, value1_unit }: JSONObject) =>
		`${obis_long} ${value1} ${value1_unit}`.trim(),
	);
}

/** A meter that keeps its state from one virtual world to the next. */
class LastingMeter implements Machine {
	startMs = 0;
	/** True until the meter has set the speed of its new line. */
	isOnNewLine = true;
	readonly #meter: Machine;

	constructor(meter: Machine) {
		this.#meter = meter;
	}

	get deadlineMs(): number {
		return this.#meter.deadlineMs - this.startMs;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#meter.receive(bytes, start, end, this.startMs + nowMs);
	}

	advance(nowMs: number): void {
		this.#meter.advance(this.startMs + nowMs);
	}

	poll(): Output {
		const output = this.#meter.poll();
		if (this.isOnNewLine) Object.assign(output, { kind: OUTPUT_LINE, baud: 9600, format: FORMAT_8N1 });
		this.isOnNewLine = false;
		return output;
	}
}

describe("GET iec62056/read with DLMS/COSEM", () => {
	let gateway: VirtualGateway;

	async function start(meter: string | undefined, config: JSONObject): Promise<void> {
		gateway = await VirtualGateway.loggedIn();
		if (meter !== undefined) gateway.world.serial.meter.connect(meter === "iec" ? iecMeter() : dlmsMeter(meter));
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("dlms/config", config);
	}

	afterEach(() => gateway.stop());

	describe("of each kind of meter", () => {
		for (const [what, meter, config, mode, baud] of [
			["no authentication, at a fixed speed", "", DIRECT, "", 9600],
			["no authentication, at 19200 Bd", "--baud 19200", { ...DIRECT, baudrate: 19200 }, "", 19200],
			["mode E", "--mode-e", { ...PHYSICAL, opening: "mode_e" }, "E", 9600],
			["mode E only, which it does not confirm", "--mode-e-only --no-confirm", PHYSICAL, "E", 9600],
			["a password", "", LOW, "", 9600],
			["a password and ciphering", "", { ...LOW, ...KEYS, use_encryption: true }, "", 9600],
			["keys", "", GMAC, "", 9600],
			["keys, general ciphering and an odd window", "--general-glo --window 3 --hdlc-info 64", GMAC, "", 9600],
			["keys and replies in suite 1", "--suite 1", GMAC, "", 9600],
			["keys and suite 1 only", "--suite 1 --strict-suite --general-glo", { ...GMAC, security_suite: 1 }, "", 9600],
			["HLS with SHA-256", "--hls-digest", SHA256, "", 9600],
			[
				"HLS with SHA-256, ciphered",
				"--hls-digest --encryption required",
				{ ...GMAC, ...SHA256, use_encryption: true },
				"",
				9600,
			],
			["the opposite sign of the deviation", "--zone-sign swapped", { ...DIRECT, deviation: "swapped" }, "", 9600],
			["a release", "--keep-association", { ...DIRECT, release: true }, "", 9600],
			["a release request and ciphering", "--keep-association", { ...GMAC, release: true }, "", 9600],
			["frames of 512 bytes in a row", "--hdlc-info 512 --window 7", DIRECT, "", 9600],
			["many frames in a row", "--hdlc-info 32 --window 7", GMAC, "", 9600],
			["large frames and short messages", "--hdlc-info 2030 --pdu 100", GMAC, "", 9600],
			["keys but no ciphering", "--security auth", { ...GMAC, use_encryption: false }, "", 9600],
			["keys after mode E", "--mode-e", { ...GMAC, opening: "auto" }, "E", 9600],
			[
				"keys for encryption only",
				"--security encrypt",
				{ ...LOW, use_encryption: true, block_cipher_key: hex(GUEK) },
				"",
				9600,
			],
			["short messages", "--pdu 64 --hdlc-info 32", DIRECT, "", 9600],
			["no service for lists", "--conformance 001010", DIRECT, "", 9600],
			[
				"a bare UA and an address of four bytes",
				"--bare-ua --address-length 4",
				{ ...DIRECT, server_address_length: 4 },
				"",
				9600,
			],
			["notifications in between", "--notify 3,4,5", DIRECT, "", 9600],
			["a rejected frame", "--frmr 2", DIRECT, "", 9600],
			["a lost link", "--lose-after 1", DIRECT, "", 9600],
			["a connection left open", "--dm-until-disc", DIRECT, "", 9600],
			["a line that loses and damages frames", "--drop 3 --wrong-fcs 5 --garbage 7 --duplicate 6", DIRECT, "", 9600],
		] as [string, string, JSONObject, string, number][]) {
			it(`reads a meter with ${what}`, async () => {
				await start(meter, config);
				const readout = await gateway.read("iec62056/read");
				assert.deepEqual(shown(readout), VALUES);
				const { protocol, meter_id, missing, status } = readout;
				assert.deepEqual([protocol, meter_id, status, missing], ["DLMS/COSEM", "GWS0000048151623", 0, []]);
				assert.deepEqual([readout.mode, readout.baudrate], [mode, baud]);
				const { running, last_attempt, last_error, momentary_valid, ...last } = await gateway.read("iec62056/last");
				assert.deepEqual([running, last_error, last], [false, null, readout]);
			});
		}
	});

	describe("of a failing meter", () => {
		const [TIMEOUT, ERROR, AUTH] = ["meter_timeout", "meter_error", "meter_auth_failed"];
		const MANAGER = { ...DIRECT, client_address: 1 };
		const WRONG_KEY = { ...GMAC, block_cipher_key: "11".repeat(16) };
		for (const [what, meter, config, code, lastError, causes] of [
			...[DIRECT, { ...DIRECT, opening: "auto" }].map((config) => [
				`no byte received, opening ${config.opening}`,
				undefined,
				config,
				TIMEOUT,
				"hdlc/silence",
				/head.*opening and baudrate.*server_physical, server_logical and server_address_length.*client_address/,
			]),
			[
				"no reply to the sign-on",
				undefined,
				{ ...PHYSICAL, opening: "mode_e" },
				TIMEOUT,
				"dlms/no-sign-on",
				/head.*opening to auto or direct.*device_address.*battery/,
			],
			...[
				["physical address", { server_physical: 18 }],
				["logical address", { server_logical: 2 }],
				["length of the address", { server_address_length: 2 }],
			].map(([what, wrong]) => [
				`a wrong ${what}`,
				"--address-length 4",
				{ ...DIRECT, server_address_length: 4, ...(wrong as JSONObject) },
				TIMEOUT,
				"hdlc/silence",
				/head.*opening.*server_physical, server_logical and server_address_length.*client_address/,
			]),
			[
				"a wrong physical address after mode E",
				"--mode-e",
				{ server_physical: 18 },
				TIMEOUT,
				"hdlc/silence",
				/identified.*server_phys/,
			],
			["a wrong speed", "--baud 4800", DIRECT, TIMEOUT, "hdlc/silence", /head.*opening and baudrate/],
			["only damaged frames", "--wrong-fcs 1-", DIRECT, ERROR, "hdlc/garbage", /baudrate.*opening/],
			["a wrong client address", "", { ...DIRECT, client_address: 99 }, ERROR, "hdlc/refused", /client_address/],
			["DM to SNRM", "--dm 1000", DIRECT, ERROR, "hdlc/refused", /Another reader/],
			[
				"silence after SNRM",
				"--drop 2-",
				DIRECT,
				TIMEOUT,
				"hdlc/lost",
				/silent.*receive_timeout_ms.*client_address and auth/,
			],
			["damaged replies", "--wrong-fcs 2-", DIRECT, ERROR, "hdlc/damaged", /position/],
			["a meter without mode E", "iec", { opening: "mode_e" }, ERROR, "iec62056-21/no-mode-e", /opening direct/],
			[
				"a meter without mode E, opening auto",
				"iec",
				{ opening: "auto" },
				ERROR,
				"iec62056-21/no-mode-e",
				/opening direct/,
			],
			["a wrong password", "", { ...LOW, password: "87654321" }, AUTH, "dlms/authentication", /password/],
			["a missing password", "", { ...LOW, auth: "none" }, AUTH, "dlms/authentication-required", /auth/],
			["another authentication mechanism", "", { ...GMAC, client_address: 32 }, AUTH, "dlms/mechanism", /auth.*client/],
			["missing encryption", "--encryption required", LOW, AUTH, "dlms/context", /use_encryption/],
			["a wrong encryption key", "", WRONG_KEY, AUTH, "dlms/authentication", /block_cipher_key/],
			[
				"a wrong encryption key, answered by an exception",
				"--on-wrong-key decipher-exception",
				WRONG_KEY,
				AUTH,
				"dlms/deciphering",
				/block_cipher_key.*auth_key.*security_suite.*suite 2/,
			],
			[
				"a wrong encryption key, answered by silence",
				"--on-wrong-key silence",
				WRONG_KEY,
				AUTH,
				"dlms/unanswered",
				/block_cipher_key.*auth_key.*security_suite.*suite 2/,
			],
			[
				"a wrong encryption key, answered by DM",
				"--on-wrong-key dm",
				WRONG_KEY,
				AUTH,
				"dlms/unanswered",
				/block_cipher_key/,
			],
			[
				"a wrong authentication key",
				"",
				{ ...GMAC, auth_key: "22".repeat(16) },
				AUTH,
				"dlms/authentication",
				/auth_key/,
			],
			["a rejected reply to the meter's challenge", "--action-result 3", GMAC, AUTH, "dlms/hls-refused", /auth_key/],
			[
				"a wrong reply to the gateway's challenge",
				"--wrong-f-ctos",
				GMAC,
				AUTH,
				"dlms/meter-unverified",
				/do not trust/,
			],
			[
				"a rejection without a reason",
				"--refuse 1:1:1 --bare-refusal",
				DIRECT,
				AUTH,
				"dlms/rejected",
				/client_address/,
			],
			[
				"a rejected application context",
				"--refuse 1:1:2 --bare-refusal",
				DIRECT,
				AUTH,
				"dlms/context",
				/use_encryption.*short names/,
			],
			["an initiate error", "--initiate-error 3", DIRECT, ERROR, "dlms/pdu-size", /short/],
			["a missing authentication key", "", { ...GMAC, auth_key: "" }, AUTH, "dlms/key-missing", /auth_key/],
			...[
				["maker", "dlms/hls-2", /maker's own rule \(mechanism 2\).*client_address with low, high_gmac or high_sha256/],
				["md5", "dlms/hls-md5", /MD5 \(mechanism 3\).*client_address with low, high_gmac or high_sha256/],
				["sha1", "dlms/hls-sha1", /SHA-1 \(mechanism 4\)/],
				["sha256", "dlms/hls-sha256", /SHA-256 \(mechanism 6\).*auth high_sha256/],
				["ecdsa", "dlms/hls-ecdsa", /ECDSA \(mechanism 7\)/],
			].flatMap(([name, code, causes]) => [
				[`HLS ${name}, named in a rejection`, `--hls ${name}`, GMAC, AUTH, code, causes],
				[`HLS ${name}, auth none`, `--hls ${name}`, MANAGER, AUTH, code, causes],
				[`HLS ${name}, named with its challenge`, `--hls ${name} --hls-reply accept`, GMAC, AUTH, code, causes],
			]),
			[
				"an HLS mechanism that the meter does not name",
				"--hls ecdsa --hls-reply hide",
				GMAC,
				AUTH,
				"dlms/mechanism",
				/Try the others.*HLS mechanism that this gateway does not support/,
			],
			[
				"an HLS mechanism that the meter does not name, auth none",
				"--hls md5 --hls-reply hide",
				MANAGER,
				AUTH,
				"dlms/authentication-required",
				/Change auth.*neither low nor high_gmac nor high_sha256 fits.*HLS mechanism/,
			],
			["security suite 2", "--suite 2 --general-glo", GMAC, AUTH, "dlms/security-suite-2", /suite 2/],
			["a wrong HLS secret", "--hls-digest --password other", SHA256, AUTH, "dlms/hls-refused", /password/],
			[
				"a missing HLS secret",
				"--hls-digest",
				{ ...SHA256, password: "" },
				AUTH,
				"dlms/key-missing",
				/high_sha256.*password/,
			],
			[
				"a wrong SHA-256 reply to the gateway's challenge",
				"--hls-digest --wrong-f-ctos",
				SHA256,
				AUTH,
				"dlms/meter-unverified",
				/./,
			],
			[
				"a meter with suite 1 only, requested in suite 0",
				"--suite 1 --strict-suite",
				GMAC,
				AUTH,
				"dlms/authentication",
				/security_suite/,
			],
			["a meter with short names", "--short-names refuse", DIRECT, ERROR, "dlms/short-names", /short names.*iec62056/],
			["a meter with short names, and keys", "--short-names refuse", GMAC, ERROR, "dlms/short-names", /short names/],
			[
				"a meter that accepts an association by short names",
				"--short-names accept",
				DIRECT,
				ERROR,
				"dlms/short-names",
				/short names/,
			],
			["an exception as reply to everything", "--exception 1:1", DIRECT, ERROR, "dlms/lost", /association/],
		] as [string, string | undefined, JSONObject, string, string, RegExp][]) {
			it(`reports ${lastError}: ${what}`, async () => {
				await start(meter, config);
				const reply = await gateway.get("iec62056/read");
				isError(reply, 500, code);
				assert.match(JSON.parse(reply.text).message, causes);
				const last = await gateway.read("iec62056/last");
				assert.deepEqual([last.last_error, last.status, last.readings], [lastError, 1, []]);
			});
		}
	});

	for (const [what, config] of [
		["no authentication", DIRECT],
		["a password", LOW],
		["a password and ciphering", { ...GMAC, ...LOW, use_encryption: true }],
		["keys", GMAC],
	] as const) {
		it(`needs at most 1.05 times the time that one request for everything would need, with ${what}`, async () => {
			await start(undefined, config);
			const tap = new DLMSTap(dlmsMeter());
			gateway.world.serial.meter.connect(tap);
			for (let i = 0; i < 2; i++) {
				assert.deepEqual((await gateway.read("iec62056/read")).missing, []);
				const traffic = tap.take();
				const [tookMs, idealMs] = [loadMs(traffic, 9600), loadMs(traffic.ideal, 9600)];
				assert.ok(tookMs <= 1.05 * idealMs, `${tookMs} ms of line and meter, ${idealMs} ms at best`);
			}
		});
	}

	it("never reuses an invocation counter after a power cut at any write during a readout, or after a factory reset", async () => {
		expectFaults(/^fault: flash: \w+: (power cut|no power)/);
		// This meter stays silent if the counter is too low, and the gateway must not request the counter.
		const meter = new LastingMeter(dlmsMeter("--on-low-counter silence"));
		await start(undefined, GMAC);
		let before = gateway.world;
		gateway.onWorld = (world) => {
			meter.startMs += before.time.nowMs;
			before = world;
			meter.isOnNewLine = true;
			world.serial.meter.connect(meter);
		};
		await gateway.restart();
		for (const cut of [1, 1, 2, 1, 2, 1]) {
			for (const keepsNew of [false, true]) {
				const { storage } = gateway.world;
				await gateway.login();
				storage.cutPowerAt(cut, keepsNew);
				const exchange = gateway.begin("GET", "iec62056/read");
				await gateway.pass(20_000);
				exchange.abandon();
				storage.powerUp();
				await gateway.restartAndLogin();
				assert.deepEqual(shown(await gateway.read("iec62056/read")), VALUES);
				assert.ok(!gateway.world.serial.meter.meterEvents.includes(COUNTER_REFUSED));
			}
		}
		await gateway.post("system/factory_reset");
		await gateway.loginAfterReboot();
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("dlms/config", GMAC);
		assert.deepEqual(shown(await gateway.read("iec62056/read")), VALUES);
		assert.ok(!gateway.world.serial.meter.meterEvents.includes(COUNTER_REFUSED));
	});

	it("reads with DLMS under protocol iec62056 if mode_e_dlms is on", async () => {
		await start("--mode-e", PHYSICAL);
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		assert.equal((await gateway.read("iec62056/read")).protocol, "IEC62056-21");
		await gateway.pass(5000);
		await gateway.write("iec62056/config", { mode_e_dlms: true });
		const readout = await gateway.read("iec62056/read");
		assert.deepEqual([readout.protocol, readout.mode, shown(readout)], ["DLMS/COSEM", "E", VALUES]);
	});

	it("gives the reason for each object without a value", async () => {
		await start("--missing 1-0:71.7.0 --deny 1-0:51.7.0 --result 1-0:1.8.2=77", DIRECT);
		for (const path of ["iec62056/read", "iec62056/last"]) {
			const { status, missing } = await gateway.read(path);
			assert.equal(status, 0);
			assert.deepEqual(
				missing.map(({ message, ...rest }: JSONObject) => rest),
				[
					{ obis: "1-0:1.8.2", class_id: 3, attribute: 2, reason: "other_reason" },
					{ obis: "1-0:51.7.0", class_id: 3, attribute: 2, reason: "read_write_denied" },
					{ obis: "1-0:71.7.0", class_id: 3, attribute: 2, reason: "object_undefined" },
				],
			);
			for (const { message } of missing) assert.match(message, /^[A-Z].*\.$/);
		}
	});

	it("probes the meter by opening an HDLC connection if there is no sign-on", async () => {
		await start("", DIRECT);
		const probe = JSON.parse((await gateway.post("meter/probe")).text);
		assert.deepEqual([probe.ok, probe.meter_id, probe.error], [true, "", null]);
		assert.match(probe.hex, /^7ea0/);
		await gateway.write("dlms/config", { server_physical: 18 });
		const failed = JSON.parse((await gateway.post("meter/probe")).text);
		assert.deepEqual([failed.ok, failed.error, failed.received], [false, "hdlc/silence", 0]);
	});

	it("distinguishes the attributes of one object, by number and in words", async () => {
		await start("", DIRECT);
		const of = (code: string, class_id: number, ...attributes: number[]) =>
			attributes.map((attribute) => ({ code: code.split(".").map(Number), class_id, attribute }));
		await gateway.write("dlms/obis", {
			entries: [
				...of("1.0.1.8.0.255", 3, 3, 2, 1),
				...of("1.0.1.6.0.255", 4, 2, 4, 5),
				...of("1.0.1.4.0.255", 5, 2, 3, 4, 5, 6, 7, 8, 9),
				...of("0.0.1.0.0.255", 8, 2, 3, 5, 8),
			],
		});
		await gateway.post("zigbee/map", {
			mapping: [
				{ obis: "1.8.0", mapping_id: "07020000", mode: 1 },
				{ obis: "1.4.0", mapping_id: "07020400", mode: 1 },
			],
		});
		const lines = (readout: JSONObject, language: string) =>
			readout.readings.map(
				({ obis_long, attribute = 2, value1, value2, value1_unit, mapping_id, [language]: name }: JSONObject) =>
					[obis_long, attribute, `${value1} ${value1_unit}`.trim(), value2, mapping_id, String(name)]
						.filter((part) => part !== "" && part !== "00000000")
						.join(" | "),
			);
		const readout = await gateway.read("iec62056/read");
		assert.deepEqual(readout.missing, []);
		const energy = "Active energy import total";
		const maximum = "Maximum demand, active power import";
		const demand = "Demand in the running period, active power import";
		const clock = "Clock (date and time)";
		const now = "2026-06-21T19:30:00+01:00";
		assert.deepEqual(lines(readout, "en"), [
			`1-0:1.8.0 | 3 | 0 | 30 | ${energy}, scaler and unit`,
			`1-0:1.8.0 | 2 | 12572239 Wh | 07020000 | ${energy}`,
			// Attribute 1 is the code itself. It is not in the configured list, and has no name.
			"1-0:1.8.0 | 1 | 0100010800FF | null",
			`1-0:1.6.0 | 2 | 0 W | ${now} | ${maximum}`,
			`1-0:1.6.0 | 4 | 0 | ${maximum}, status`,
			`1-0:1.6.0 | 5 | ${now} | ${maximum}, capture time`,
			`1-0:1.4.0 | 2 | 4175 W | 07020400 | ${demand}`,
			`1-0:1.4.0 | 3 | 3757 W | ${now} | ${demand}, last average`,
			`1-0:1.4.0 | 4 | 0 | 27 | ${demand}, scaler and unit`,
			`1-0:1.4.0 | 5 | 0 | ${demand}, status`,
			`1-0:1.4.0 | 6 | ${now} | ${demand}, capture time`,
			`1-0:1.4.0 | 7 | ${now} | ${demand}, start of the current period`,
			`1-0:1.4.0 | 8 | 900 | ${demand}, length of a period`,
			`1-0:1.4.0 | 9 | 1 | ${demand}, number of periods`,
			`0-0:1.0.0 | 2 | ${now} | ${clock}`,
			`0-0:1.0.0 | 3 | -60 | ${clock}, time zone`,
			`0-0:1.0.0 | 5 | FFFFFFFFFFFFFFFFFF8000FF | ${clock}, begin of summer time`,
			`0-0:1.0.0 | 8 | 0 | ${clock}, summer time used`,
		]);
		const polish = lines(await gateway.read("iec62056/last?lang=pl"), "pl");
		assert.match(polish[0], /Energia czynna pobrana suma, mnożnik i jednostka$/);
		assert.match(polish[7], /, ostatnia średnia$/);
	});

	it("shows a bit string as text, without a number", async () => {
		await start("--odd-types", DIRECT);
		await gateway.write("dlms/obis", { entries: [{ code: [0, 0, 96, 5, 0, 255], class_id: 1, attribute: 2 }] });
		const [{ value1, value1_number }] = (await gateway.read("iec62056/read")).readings;
		assert.deepEqual([value1, value1_number], ["0b10110", null]);
	});

	it("reads a list of 32 objects, and an empty one", async () => {
		await start("", DIRECT);
		const entries = Array.from({ length: 32 }, (_, i) => ({
			code: [1, 0, i < 8 ? [1, 2, 21, 41, 61, 3, 4, 9][i] : 100 + i, i < 8 ? 8 : 7, 0, 255],
			class_id: 3,
			attribute: 2,
		}));
		await gateway.write("dlms/obis", { entries });
		const { readings, missing } = await gateway.read("iec62056/read");
		assert.equal(readings.length + missing.length, 32);
		assert.ok(readings.length > 1 && missing.length >= 24);
		await gateway.write("dlms/obis", { entries: [] });
		const none = await gateway.read("iec62056/read");
		assert.deepEqual([none.readings, none.missing, none.status], [[], [], 0]);
	});
});
