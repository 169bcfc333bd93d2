/** `GET events`: the events, their times, and the ends of a stream. Times over 15 s are in live.test.ts. */
import assert from "node:assert/strict";
import type { Follower } from "./follower.js";
import { isError, type TestGateway, vectorOf } from "./gateway.js";
import { deleteTokens } from "./token-checks.js";

const { telegram } = vectorOf("kamstrup-162-dsmr2");
const SOON_MS = 2000;
const STEP_MS = 20;
/** Time after which `hasPlace` sees a connection as closed. */
const GONE_MS = 200;

export function liveChecks(gateway: () => TestGateway): void {
	/** Waits for the condition; returns the time taken, ms. */
	async function until(isSo: () => boolean, what: string): Promise<number> {
		for (let ms = 0; ms <= SOON_MS; ms += STEP_MS) {
			if (isSo()) return ms;
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

		it("begin with how it is: the members of the status, and the last readout as it is told of", async () => {
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
			const told = { protocol, meter_id, timestamp: readAt, status: check, meter_readouts: status.meter_readouts };
			assert.deepEqual(follower.last("readout"), told);
		});

		it("tell of a readout: that it goes on, and within two seconds that it is there", async () => {
			const follower = await follow();
			const before = follower.last("state").meter_readouts;
			const from = follower.events.length;
			const readout = await gateway().read("iec62056/read");
			await until(() => follower.last("readout")?.meter_readouts === before + 1, "the readout");
			await until(() => follower.last("state").meter_state === "ok", "its end");
			assert.ok(follower.events.slice(from).some(({ data }) => data.meter_state === "reading"));
			assert.deepEqual([follower.last("readout").timestamp, follower.isClosed], [readout.timestamp, false]);
		});

		it("tell of one that fails, by its code, and of settings", async () => {
			await gateway().connectMeter(undefined);
			const follower = await follow();
			isError(await gateway().get("iec62056/read"), 500, "meter_error");
			await until(() => follower.last("state").meter_state === "port", "the failure");
			await gateway().write("hub", { enabled: true, url: "https://hub.local", token: "x" });
			await until(() => follower.last("state").hub_state !== "off", "the hub");
			await gateway().write("hub", { enabled: false });
			await until(() => follower.last("state").hub_state === "off", "the hub");
		});

		it("tell what a probe tries, and at which speed", async () => {
			const follower = await follow();
			const from = follower.events.length;
			assert.equal((await gateway().write("meter/probe", undefined)).ok, true);
			await until(() => follower.last("state").meter_trying === "", "its end");
			const tried = follower.events.slice(from).map(({ data }) => data.meter_trying);
			assert.deepEqual([...new Set(tried)], ["iec62056 300", ""]);
			assert.equal((await gateway().read("system/status")).meter_trying, "");
		});

		it("tell the latest, however many there are", async () => {
			await gateway().write("iec62056/control", { simulator_en: true });
			const follower = await follow();
			const from = follower.text.length;
			for (let i = 0; i < 30; i++) await gateway().read("iec62056/read");
			const { meter_readouts } = await gateway().read("system/status");
			await until(() => follower.last("readout").meter_readouts === meter_readouts, "the last one");
			await until(() => follower.last("state").meter_readouts === meter_readouts, "the last one");
			assert.ok(follower.text.length - from < 30 * 500);
		});

		it("have one client: another is told to come again, and finds the place free when the first has gone", async () => {
			const first = await follow();
			const reply = await gateway().get("events");
			isError(reply, 503, "busy");
			assert.equal(reply.headers.get("retry-after"), "30");
			assert.equal(first.isClosed, false);
			await leave();
			await follow();
		});

		it("end with the session: at its logout, and when it is ended by another", async () => {
			const { token } = gateway();
			await gateway().login();
			const first = await follow({ token });
			assert.equal((await gateway().post("system/logout", undefined, { token })).status, 200);
			await until(() => first.isClosed, "its end");
			assert.ok(first.hasEnded);

			const other = await gateway().loginByChallenge();
			const second = await follow({ token: other });
			const { sessions } = await gateway().read("system/sessions");
			assert.equal((await gateway().request("DELETE", `system/sessions/${sessions.at(-1).id}`)).status, 200);
			await until(() => second.hasEnded, "its end");
		});

		it("are for a token that may only read, and end when it is revoked; others go on", async () => {
			await deleteTokens(gateway());
			const { token, id } = await gateway().write("system/tokens", { name: "display", scope: "read" });
			const { id: otherId } = await gateway().write("system/tokens", { name: "other", scope: "read" });
			const follower = await follow({ token });
			assert.equal((await gateway().request("DELETE", `system/tokens/${otherId}`)).status, 200);
			await gateway().pass(500);
			assert.equal(follower.isClosed, false);
			assert.equal((await gateway().request("DELETE", `system/tokens/${id}`)).status, 200);
			await until(() => follower.hasEnded, "its end");
			assert.doesNotMatch(follower.text, new RegExp(token));
		});

		it("want a token, and are only as a head for HEAD, which keeps no place", async () => {
			isError(await gateway().get("events", { token: null }), 401, "unauthorized");
			for (let i = 0; i < 3; i++) assert.equal((await gateway().request("HEAD", "events")).status, 200);
			await follow();
		});

		it("end before a restart, in good order, and are there again after it", async () => {
			const { token } = gateway();
			const follower = await follow();
			assert.equal((await gateway().post("system/reboot", undefined, { token })).status, 200);
			await until(() => follower.isClosed, "its end");
			assert.ok(follower.hasEnded);
			await gateway().rebooted();
			await gateway().login();
			await follow();
		});
	});
}
