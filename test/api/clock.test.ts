/** Transition "Clock" of the API text: the clock before it is first set, as after a power cut. Runs in virtual time. */
import assert from "node:assert/strict";
import { isError, PASSWORD, proofOf, succeeded, USERNAME, vectorOf } from "./gateway.js";
import { VirtualGateway } from "./virtual-gateway.js";

const BERLIN_SUMMER = Date.UTC(2026, 6, 15, 12) / 1000;
const { telegram } = vectorOf("landis-gyr-zmf100-m26-padded-left");

describe("A clock that was never set", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn("client", {});
		await gateway.connectMeter({ telegram });
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
	});
	afterEach(() => gateway.stop());

	async function isInvalid(): Promise<void> {
		assert.deepEqual(await gateway.read("system/clock"), {
			timestamp: 0,
			utc: "",
			localtime: "",
			is_valid: false,
			timezone: "Europe/Berlin",
		});
		const { timestamp, localtime, clock_valid } = await gateway.read("system/status");
		assert.deepEqual([timestamp, localtime, clock_valid], [0, "", false]);
	}

	it("is invalid, and times are 0 and empty, however long the gateway runs", async () => {
		await isInvalid();
		await gateway.pass(3 * 86_400_000);
		await gateway.login();
		await isInvalid();
		const readout = await gateway.read("iec62056/read");
		assert.deepEqual([readout.timestamp, readout.localtime, readout.status], [0, "", 0]);
	});

	it("transition: invalid, by synchronisation, to valid", async () => {
		// Disables scheduled readouts.
		await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
		await gateway.read("iec62056/read");
		assert.deepEqual(await gateway.write("system/clock", { timestamp: BERLIN_SUMMER }), {
			timestamp: BERLIN_SUMMER,
			utc: "2026-07-15T12:00:00Z",
			localtime: "2026-07-15T14:00:00+02:00",
			is_valid: true,
			timezone: "Europe/Berlin",
		});
		await gateway.pass(90_061_000);
		await gateway.login();
		const { timestamp, localtime, clock_valid } = await gateway.read("system/status");
		assert.deepEqual([timestamp, localtime, clock_valid], [BERLIN_SUMMER + 90_061, "2026-07-16T15:01:01+02:00", true]);
		// Setting the clock has also dated the earlier readout.
		const last = await gateway.read("iec62056/last");
		assert.deepEqual(
			[last.timestamp, last.localtime, last.readings.length > 0],
			[BERLIN_SUMMER, "2026-07-15T14:00:00+02:00", true],
		);
		assert.match((await gateway.read("iec62056/read")).localtime, /^2026-07-16T15:0\d:\d\d\+02:00$/);
	});

	it("stays invalid when a time is rejected", async () => {
		isError(await gateway.post("system/clock", { timestamp: 1_704_067_199 }), 400, "invalid_field", "timestamp");
		isError(await gateway.post("system/clock", {}), 400, "missing_field", "timestamp");
		await isInvalid();
	});

	it("leaves sessions and nonces valid when it is set forwards or backwards", async () => {
		const { nonce, salt } = await gateway.read("system/challenge");
		for (const timestamp of [4_102_444_799, 1_704_067_200, BERLIN_SUMMER]) {
			await gateway.write("system/clock", { timestamp });
			assert.equal((await gateway.get("meter/protocol")).status, 200);
		}
		const login = { username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) };
		succeeded(await gateway.post("system/login", login, { token: null }));
	});

	it("rejects all time zones and stays in UTC if the firmware has no table of zones", async () => {
		await gateway.stop();
		gateway = await VirtualGateway.loggedIn("client", { utcMs: BERLIN_SUMMER * 1000, resources: new Map() });
		isError(await gateway.post("system/timezone", { timezone: "Europe/Berlin" }), 400, "invalid_field", "timezone");
		assert.deepEqual(await gateway.write("system/timezone", { timezone: "" }), { timezone: "" });
		assert.equal((await gateway.read("system/clock")).localtime, "2026-07-15T12:00:00+00:00");
	});
});
