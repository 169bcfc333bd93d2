/** `GET events`: the events, their times, and the ends of a stream. live.test.ts checks times over 15 s. */
import assert from "node:assert/strict";
import type { Follower } from "./follower.js";
import { isError, type TestGateway, vectorOf } from "./gateway.js";
import { deleteTokens } from "./token-checks.js";

const { telegram } = vectorOf("kamstrup-162-dsmr2");
const SOON_MS = 2000;
const STEP_MS = 20;
/** Delay until `hasPlace` sees a connection as closed. */
const GONE_MS = 200;

export function liveChecks(gateway: () => TestGateway): void {
	/** Waits for the condition; returns the time taken, ms. */
	async function until(condition: () => boolean, what: string): Promise<number> {
		for (let ms = 0; ms <= SOON_MS; ms += STEP_MS) {
			if (condition()) return ms;
			await gateway().pass(STEP_MS);
		}
		throw new Error(`not within ${SOON_MS} ms: ${what}`);
	}

	const followers: Follower[] = [];

	async function follow(options = {}): Promise<Follower> {
		const follower = gateway().follow(options);
		followers.push(follower);
		await until(() => follower.last("state") !== undefined || follower.status >= 400, "a stream");
		assert.equal(follower.status, 200, follower.text);
		return follower;
	}

	async function leave(): Promise<void> {
		for (const follower of followers.splice(0)) follower.leave();
		await gateway().pass(GONE_MS);
	}

	describe("events", () => {
		beforeEach(() => gateway().connectMeter({ telegram, mode: "C" }));
		afterEach(leave);
		after(() => gateway().connectMeter(undefined));

		it("begin with the state, as in system/status, and with the last readout", async () => {
			const last = await gateway().read("iec62056/read");
			const follower = await follow({ headers: { "Last-Event-ID": "7", Accept: "text/event-stream" } });
			assert.deepEqual(
				["content-type", "cache-control", "connection"].map((name) => follower.headers.get(name)),
				["text/event-stream", "no-store", "close"],
			);
			await until(() => follower.events.length === 2, "both events");
			assert.deepEqual(follower.names(), ["state", "readout"]);
			assert.equal(follower.retryMs, 30_000);
			const status = await gateway().read("system/status");
			const { connected, timestamp, ...state } = follower.last("state");
			for (const [name, value] of Object.entries(state)) assert.equal(value, status[name], name);
			assert.ok(Math.abs(timestamp - status.timestamp) < 3);
			assert.equal(connected, (await gateway().read("network/status")).connected);
			const { protocol, meter_id, timestamp: readAt, status: check } = last;
			const expected = { protocol, meter_id, timestamp: readAt, status: check, meter_readouts: status.meter_readouts };
			assert.deepEqual(follower.last("readout"), expected);
		});

		it("report that a readout is running, and within two seconds that it has ended", async () => {
			const follower = await follow();
			const before = follower.last("state").meter_readouts;
			const from = follower.events.length;
			const readout = await gateway().read("iec62056/read");
			await until(() => follower.last("readout")?.meter_readouts === before + 1, "the readout");
			await until(() => follower.last("state").meter_state === "ok", "the end of the readout");
			assert.ok(follower.events.slice(from).some(({ data }) => data.meter_state === "reading"));
			assert.deepEqual([follower.last("readout").timestamp, follower.isClosed], [readout.timestamp, false]);
		});

		it("report the code of a failed readout, and changed settings", async () => {
			await gateway().connectMeter(undefined);
			const follower = await follow();
			isError(await gateway().get("iec62056/read"), 500, "meter_error");
			await until(() => follower.last("state").meter_state === "port", "the failure");
			await gateway().write("hub", { enabled: true, url: "https://hub.local", token: "x" });
			await until(() => follower.last("state").hub_state !== "off", "hub_state on");
			await gateway().write("hub", { enabled: false });
			await until(() => follower.last("state").hub_state === "off", "hub_state off");
		});

		it("report the protocol and the speed that a probe tries", async () => {
			const follower = await follow();
			const from = follower.events.length;
			assert.equal((await gateway().write("meter/probe", undefined)).ok, true);
			await until(() => follower.last("state").meter_trying === "", "the end of the probe");
			const tried = follower.events.slice(from).map(({ data }) => data.meter_trying);
			assert.deepEqual([...new Set(tried)], ["iec62056 300", ""]);
			assert.equal((await gateway().read("system/status")).meter_trying, "");
		});

		it("include the latest readout in the end, even if many readouts follow one another", async () => {
			await gateway().write("iec62056/control", { simulator_en: true });
			const follower = await follow();
			const from = follower.text.length;
			for (let i = 0; i < 30; i++) await gateway().read("iec62056/read");
			const { meter_readouts } = await gateway().read("system/status");
			await until(() => follower.last("readout").meter_readouts === meter_readouts, "the last readout");
			await until(() => follower.last("state").meter_readouts === meter_readouts, "the last state");
			assert.ok(follower.text.length - from < 30 * 500);
		});

		it("are for one client; another gets 503, and succeeds once the first has left", async () => {
			const first = await follow();
			const reply = await gateway().get("events");
			isError(reply, 503, "busy");
			assert.equal(reply.headers.get("retry-after"), "30");
			assert.equal(first.isClosed, false);
			await leave();
			await follow();
		});

		it("end with their session, by logout or because another session ended it", async () => {
			const { token } = gateway();
			await gateway().login();
			const first = await follow({ token });
			assert.equal((await gateway().post("system/logout", undefined, { token })).status, 200);
			await until(() => first.isClosed, "the end of the stream");
			assert.ok(first.hasEnded);

			const other = await gateway().loginByChallenge();
			const second = await follow({ token: other });
			const { sessions } = await gateway().read("system/sessions");
			assert.equal((await gateway().request("DELETE", `system/sessions/${sessions.at(-1).id}`)).status, 200);
			await until(() => second.hasEnded, "the end of the stream");
		});

		it("are allowed with a read-only token, and end when that token is revoked, but not when another is", async () => {
			await deleteTokens(gateway());
			const { token, id } = await gateway().write("system/tokens", { name: "display", scope: "read" });
			const { id: otherId } = await gateway().write("system/tokens", { name: "other", scope: "read" });
			const follower = await follow({ token });
			assert.equal((await gateway().request("DELETE", `system/tokens/${otherId}`)).status, 200);
			await gateway().pass(500);
			assert.equal(follower.isClosed, false);
			assert.equal((await gateway().request("DELETE", `system/tokens/${id}`)).status, 200);
			await until(() => follower.hasEnded, "the end of the stream");
			assert.doesNotMatch(follower.text, new RegExp(token));
		});

		it("require a token; HEAD gets only the head and occupies no place", async () => {
			isError(await gateway().get("events", { token: null }), 401, "unauthorized");
			for (let i = 0; i < 3; i++) assert.equal((await gateway().request("HEAD", "events")).status, 200);
			await follow();
		});

		it("end in good order before a restart, and are available again after it", async () => {
			const { token } = gateway();
			const follower = await follow();
			assert.equal((await gateway().post("system/reboot", undefined, { token })).status, 200);
			await until(() => follower.isClosed, "the end of the stream");
			assert.ok(follower.hasEnded);
			await gateway().loginAfterReboot();
			await follow();
		});
	});
}
