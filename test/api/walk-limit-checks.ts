/** The table "Limits" of the API text, with a check for each row, by the row's name: at the limit and beyond. */
import assert from "node:assert/strict";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import {
	isError,
	type JSONObject,
	PASSWORD,
	proofOf,
	succeeded,
	type TestGateway,
	USERNAME,
	vectorOf,
} from "./gateway.js";
import { deleteTokens } from "./token-checks.js";
import type { VirtualGateway } from "./virtual-gateway.js";
import { keepHostname, routeOf, visit } from "./walk.js";

const OPEN = { token: null };
const METER = vectorOf("landis-gyr-zmf100-m26-padded-left");
/** Longest wait for a readout, ms. */
const READOUT_MS = 60_000;
/** Longest wait for a scan, ms. */
const SCAN_MS = 20_000;

/** Row of the table: its name, the path, a whole body, the field, and valid and invalid values of the field. */
type Limit = readonly [
	row: string,
	path: string,
	base: JSONObject,
	field: string,
	good: readonly unknown[],
	bad: readonly unknown[],
];

const x = (length: number) => "x".repeat(length);
const WIFI = { ssid: "home", password: "secret-of-the-network", dhcp: true };
const HOURS = { enabled: true, period_unit: "hours", period_value: 1, trigger_minute: 0 };
const MINUTES = { ...HOURS, period_unit: "minutes" };
const DAYS = { ...HOURS, period_unit: "days", trigger_hour: 0 };
const MONTHS = { ...DAYS, period_unit: "months", trigger_day: 1 };
const code = (byte: number) => [byte, byte, byte, byte, byte, byte];

const GOOD_KEYS = ["0123456789abcdefABCDEF9876543210"];
const BAD_KEYS = ["0".repeat(31), "0".repeat(33), "0".repeat(64), `g${"0".repeat(31)}`];
const SCHEDULE = "iec62056/schedule";

const LIMITS: readonly Limit[] = [
	["Wi-Fi ssid: 1 to 31 characters", "network/wifi", WIFI, "ssid", [x(1), x(31)], ["", x(32)]],
	["Wi-Fi password: up to 63 characters", "network/wifi", WIFI, "password", ["", x(63)], [x(64)]],
	["Wi-Fi hostname: up to 31 characters", "network/wifi", WIFI, "hostname", [x(1), x(31)], ["", x(32)]],
	["Access Point ssid: 1 to 31 characters", "network/ap", {}, "ap_ssid", [x(1), x(31)], ["", x(32)]],
	["Access Point password: 8 to 63 characters", "network/ap", {}, "ap_password", [x(8), x(63)], [x(7), x(64)]],
	["baudrate_max: 300 to 19200", "iec62056/config", {}, "baudrate_max", [300, 19200], [299, 19201]],
	[
		"IEC 62056-21 password: 32 characters, no parentheses",
		"iec62056/config",
		{},
		"password",
		[x(32), " '*~", ""],
		[x(33), "a(b", "a)b", "ä"],
	],
	["DLMS keys: 32 hex characters each (block_cipher_key)", "dlms/config", {}, "block_cipher_key", GOOD_KEYS, BAD_KEYS],
	["DLMS keys: 32 hex characters each (auth_key)", "dlms/config", {}, "auth_key", GOOD_KEYS, BAD_KEYS],
	["Schedule values: minutes", SCHEDULE, MINUTES, "period_value", [1, 5, 10, 15, 30], [0, 2, 29, 31]],
	["Schedule values: hours", SCHEDULE, HOURS, "period_value", [1, 2, 4, 8, 12], [0, 3, 13, 24]],
	["Schedule values: days", SCHEDULE, DAYS, "period_value", [1, 7, 14, 28], [0, 2, 27, 29]],
	["Schedule values: months", SCHEDULE, MONTHS, "period_value", [1, 2, 3, 6], [0, 4, 7, 12]],
	["Schedule values: trigger_hour 0 to 23", SCHEDULE, DAYS, "trigger_hour", [0, 23], [-1, 24]],
	["Schedule values: trigger_minute 0 to 59", SCHEDULE, HOURS, "trigger_minute", [0, 59], [-1, 60]],
	["Schedule values: trigger_day 1 to 28", SCHEDULE, MONTHS, "trigger_day", [1, 28], [0, 29]],
];

export function walkLimitChecks(gateway: () => TestGateway): void {
	describe("limit", () => {
		it("Login nonce validity: 60 seconds, single use", async () => {
			const { nonce, salt, expires_in_secs } = await gateway().read("system/challenge", OPEN);
			assert.equal(expires_in_secs, 60);
			const body = { username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) };
			succeeded(await gateway().post("system/login", body, OPEN));
			isError(await gateway().post("system/login", body, OPEN), 401, "nonce_invalid");
		});
		it("Session token validity: 1800 seconds", async () => {
			const reply = await gateway().post("system/login", { username: USERNAME, password: PASSWORD }, OPEN);
			assert.equal(succeeded(reply).expires_in_secs, 1800);
		});
		it("Long-lived tokens: at most 3; name 1 to 32 printable ASCII characters", async () => {
			await deleteTokens(gateway());
			const make = (name: string) => gateway().post("system/tokens", { name });
			for (const bad of ["", x(33), "\u001f", "\u007f", "\u00e9", "a\n"])
				isError(await make(bad), 400, "invalid_field", "name");
			const names = ["~", x(32), " "];
			for (const name of names) assert.equal(succeeded(await make(name)).name, name);
			isError(await make("a"), 400, "token_slots_full");
			const { max, tokens } = await gateway().read("system/tokens");
			assert.deepEqual([max, tokens.map((one: JSONObject) => one.name)], [3, names]);
			await deleteTokens(gateway());
		});
		for (const [row, path, base, field, good, bad] of LIMITS) {
			it(row, async () => {
				for (const value of good) {
					const reply = await gateway().write(path, { ...base, [field]: value });
					if (field in reply) assert.equal(reply[field], value);
					if (field === "hostname") await keepHostname(gateway());
				}
				for (const value of bad)
					isError(await gateway().post(path, { ...base, [field]: value }), 400, "invalid_field", field);
			});
		}
		it("DLMS OBIS bytes: each 0 to 255", async () => {
			const post = (bytes: readonly unknown[]) =>
				gateway().post("dlms/obis", { entries: [{ code: bytes, class_id: 3, attribute: 2 }] });
			for (const byte of [0, 255]) assert.deepEqual(succeeded(await post(code(byte))).entries[0].code, code(byte));
			for (let at = 0; at < 6; at++)
				for (const bad of [-1, 256])
					isError(await post(code(1).with(at, bad)), 400, "invalid_field", "entries[0].code");
		});
		it("Certificate upload size: max_size bytes", async () => {
			const { max_size } = await gateway().read("system/certificate");
			assert.equal(max_size, 12288);
			const upload = async (bytes: number) => (await gateway().post("system/certificate", x(bytes))).text;
			assert.match(await upload(max_size), /No certificate was found/);
			for (const bytes of [max_size + 1, 16_384, 16_385]) assert.match(await upload(bytes), /too large/);
		});
		it("Hub certificate size: cert_max_size bytes", async () => {
			const { cert_max_size } = await gateway().read("hub");
			assert.equal(cert_max_size, 10239);
			const times = { validFromMs: Date.UTC(2026, 0, 1), validToMs: Date.UTC(2036, 0, 1) };
			const pem = Buffer.from(makeCertificate({ names: ["hub"], ...times }).certificate).toString("latin1");
			const post = (bytes: number) =>
				gateway().post("hub", { enabled: false, cert: `${"#".repeat(bytes - pem.length - 1)}\n${pem}` });
			assert.equal(succeeded(await post(cert_max_size)).cert_set, true);
			isError(await post(cert_max_size + 1), 400, "invalid_field", "cert");
			assert.equal((await gateway().write("hub", { enabled: false, cert: "" })).cert_set, false);
		});
		it("Zigbee channel: 11 to 26", async () => {
			const { channel } = await gateway().read("zigbee/config");
			assert.ok(channel >= 11 && channel <= 26);
		});
		it("Network scan duration: several seconds; allow a 20 second client timeout", async () => {
			const startMs = Date.now();
			succeeded(await visit(gateway(), routeOf("GET network/scan")));
			assert.ok(Date.now() - startMs < SCAN_MS);
		});
	});
}

/** Rows that take minutes. */
export function slowWalkLimitChecks(gateway: () => VirtualGateway): void {
	describe("limit", () => {
		const nowMs = () => gateway().world.time.monotonicMs();

		it("Login nonce validity: 60 seconds, single use; Session token validity: 1800 seconds", async () => {
			const attempt = async (ms: number) => {
				const { nonce, salt } = await gateway().read("system/challenge", OPEN);
				await gateway().pass(ms);
				return gateway().post(
					"system/login",
					{ username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) },
					OPEN,
				);
			};
			const { token } = succeeded(await attempt(59_999));
			isError(await attempt(60_000), 401, "nonce_invalid");
			await gateway().pass(1_800_000 - 60_001);
			assert.equal((await gateway().get("system/status", { token })).status, 200);
			await gateway().pass(1);
			isError(await gateway().get("system/status", { token }), 401, "unauthorized");
		});
		for (const [what, setup, config] of [
			["a silent meter", { silence: 1000 }, {}],
			["a slow meter", { lateMs: 1400 }, {}],
			["a meter that never finishes", { cut: 5 }, {}],
			["a meter that sends nothing in mode D", { silence: 1000 }, { mode_d_enabled: true }],
		] as const) {
			it(`Meter readout duration: up to 60 seconds, with ${what}`, async () => {
				await gateway().write("iec62056/config", config);
				await gateway().connectMeter({ telegram: METER.telegram, faults: setup });
				const startMs = nowMs();
				await gateway().get("iec62056/read");
				assert.ok(nowMs() - startMs <= READOUT_MS, `${nowMs() - startMs} ms`);
			});
		}
	});
}
