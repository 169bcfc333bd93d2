/**
 * Checks that take minutes: lifetimes of nonces and sessions, delays of the limiter, time-outs. Runs in virtual time.
 */
import assert from "node:assert/strict";
import { isError, type JSONObject, PASSWORD, proofOf, type Reply, succeeded, USERNAME, vectorOf } from "./gateway.js";
import { slowTransitionChecks } from "./transition-checks.js";
import { LAN_CLIENT, START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const MINUTE_MS = 60_000;

describe("The API over minutes and hours", () => {
	let gateway: VirtualGateway;
	const tryLogin = (body: unknown): Promise<Reply> => gateway.post("system/login", body, { token: null });
	const guess = () => tryLogin({ username: USERNAME, password: "guess" });
	const enter = () => tryLogin({ username: USERNAME, password: PASSWORD });

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
	});
	afterEach(() => gateway.stop());

	slowTransitionChecks(() => gateway);

	describe("a nonce", () => {
		async function loginAfter(ms: number): Promise<Reply> {
			const { nonce, salt } = await gateway.read("system/challenge");
			await gateway.pass(ms);
			return tryLogin({ username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) });
		}

		it("is valid for just under a minute", async () => {
			succeeded(await loginAfter(MINUTE_MS - 1));
			isError(await loginAfter(MINUTE_MS), 401, "nonce_invalid");
			isError(await loginAfter(MINUTE_MS + 1), 401, "nonce_invalid");
			isError(await loginAfter(24 * 60 * MINUTE_MS), 401, "nonce_invalid");
		});
		it("is still rejected after its minute if it was used", async () => {
			const { nonce, salt } = await gateway.read("system/challenge");
			const body = { username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) };
			succeeded(await tryLogin(body));
			for (let s = 0; s < 180; s += 15) {
				await gateway.pass(15_000);
				isError(await tryLogin(body), 401, "nonce_invalid");
			}
		});
		it("is accepted after hundreds of logins in a minute, but none of their nonces is accepted again", async () => {
			const bodies: JSONObject[] = [];
			for (let i = 0; i < 300; i++) {
				const { nonce, salt } = await gateway.read("system/challenge");
				bodies.push({ username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) });
				await gateway.pass(100);
				succeeded(await tryLogin(bodies[i]));
			}
			for (const body of bodies) isError(await tryLogin(body), 401, "nonce_invalid");
			await gateway.loginByChallenge();
		});
	});

	describe("a session", () => {
		const status = async () => (await gateway.get("meter/protocol")).status;

		it("ends after 1800 s, however busy it is", async () => {
			for (let minute = 1; minute < 30; minute++) {
				await gateway.pass(MINUTE_MS);
				assert.equal(await status(), 200);
			}
			await gateway.pass(MINUTE_MS - 1);
			assert.equal(await status(), 200);
			await gateway.pass(1);
			isError(await gateway.get("meter/protocol"), 401, "unauthorized");
		});
		it("is not extended by another login", async () => {
			const first = gateway.token;
			await gateway.pass(20 * MINUTE_MS);
			await gateway.login();
			await gateway.pass(10 * MINUTE_MS);
			assert.equal(await status(), 200);
			isError(await gateway.get("meter/protocol", { token: first }), 401, "unauthorized");
		});
	});

	describe("the list of sessions", () => {
		it("shows by the clock when each session began, and how long it still lasts", async () => {
			await gateway.pass(20 * MINUTE_MS);
			await gateway.login();
			const { sessions } = await gateway.read("system/sessions");
			const brief = sessions.map(({ created, expires_in_secs: left, address }: JSONObject) => [created, left, address]);
			const startS = START_UTC_MS / 1000;
			assert.deepEqual(brief, [
				[startS, 600, LAN_CLIENT],
				[startS + 1200, 1800, LAN_CLIENT],
			]);
			await gateway.pass(10 * MINUTE_MS);
			assert.equal((await gateway.read("system/sessions")).sessions.length, 1);
		});
	});

	describe("a long-lived token", () => {
		it("shows by the clock when it was created", async () => {
			await gateway.pass(MINUTE_MS);
			const { created } = await gateway.write("system/tokens", { name: "x" });
			assert.equal(created, START_UTC_MS / 1000 + 60);
		});
		it("shows 0 if it was created before the clock was set; a session shows 0 only until then", async () => {
			await gateway.stop();
			gateway = await VirtualGateway.loggedIn("client", {});
			await gateway.pass(MINUTE_MS);
			assert.equal((await gateway.write("system/tokens", { name: "x" })).created, 0);
			assert.equal((await gateway.read("system/sessions")).sessions[0].created, 0);
			gateway.world.clock.setUTC(START_UTC_MS);
			assert.equal((await gateway.read("system/tokens")).tokens[0].created, 0);
			assert.equal((await gateway.read("system/sessions")).sessions[0].created, START_UTC_MS / 1000 - 60);
		});
	});

	describe("a readout from before the clock was set", () => {
		const last = async () => {
			const { timestamp, localtime, last_attempt } = await gateway.read("iec62056/last");
			return { timestamp, localtime, last_attempt };
		};
		const set = async (timestamp: number) => gateway.write("system/clock", { timestamp });

		beforeEach(async () => {
			await gateway.stop();
			gateway = await VirtualGateway.loggedIn("client", {});
		});

		it("is dated when the clock is set, and keeps its time when the clock is corrected", async () => {
			await gateway.connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
			// Setting the clock forward would skip scheduled readouts.
			await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
			const startMs = gateway.world.clock.monotonicMs();
			await gateway.read("iec62056/read");
			const tookS = Math.ceil((gateway.world.clock.monotonicMs() - startMs) / 1000);
			assert.deepEqual(await last(), { timestamp: 0, localtime: "", last_attempt: 0 });
			await gateway.pass(10 * MINUTE_MS);
			const now = START_UTC_MS / 1000;
			await set(now);
			const dated = await last();
			assert.ok(Math.abs(dated.timestamp - (now - 600)) <= 1, String(dated.timestamp));
			assert.ok(dated.last_attempt >= dated.timestamp - tookS && dated.last_attempt < dated.timestamp);
			assert.notEqual(dated.localtime, "");
			for (const other of [now + 86_400, now - 86_400]) {
				await set(other);
				assert.deepEqual(await last(), dated);
			}
			await gateway.read("iec62056/read");
			assert.ok(Math.abs((await last()).timestamp - (now - 86_400)) < 30);
		});
		it("is dated if it failed, but has no time if there was no attempt", async () => {
			await gateway.connectMeter(undefined);
			await gateway.get("iec62056/read");
			await gateway.pass(MINUTE_MS);
			await set(START_UTC_MS / 1000);
			const { timestamp, last_attempt } = await last();
			assert.equal(timestamp, 0);
			assert.ok(Math.abs(last_attempt - (START_UTC_MS / 1000 - 60)) <= 1, String(last_attempt));
			await gateway.restartAndLogin();
			await set(START_UTC_MS / 1000);
			assert.deepEqual(await last(), { timestamp: 0, localtime: "", last_attempt: 0 });
		});
	});

	describe("the login limiter", () => {
		it("doubles its delay from 1 to 60 s, exactly", async () => {
			for (let i = 0; i < 5; i++) isError(await guess(), 401, "invalid_proof");
			for (const pauseS of [1, 2, 4, 8, 16, 32, 60, 60]) {
				const blocked = await guess();
				isError(blocked, 429, "too_many_attempts");
				assert.equal(blocked.headers.get("retry-after"), String(pauseS));
				await gateway.pass(pauseS * 1000 - 1);
				assert.equal((await guess()).headers.get("retry-after"), "1");
				await gateway.pass(1);
				isError(await guess(), 401, "invalid_proof");
			}
		});
		it("counts both forms together, and restarts its count after a success", async () => {
			for (let i = 0; i < 5; i++) {
				const { nonce, salt } = await gateway.read("system/challenge");
				const body = { username: USERNAME, nonce, proof: proofOf("guess", salt, nonce) };
				isError(await (i % 2 === 0 ? guess() : tryLogin(body)), 401, "invalid_proof");
			}
			isError(await enter(), 429, "too_many_attempts");
			await gateway.pass(1000);
			succeeded(await enter());
			for (let i = 0; i < 5; i++) isError(await guess(), 401, "invalid_proof");
			assert.equal((await guess()).headers.get("retry-after"), "1");
		});
		it("delays no other address, and lets a client log in after a minute although a hundred others guess", async () => {
			for (let i = 0; i < 6; i++) await guess();
			isError(await enter(), 429, "too_many_attempts");
			gateway.clientAddress = "192.0.2.11";
			succeeded(await enter());
			for (let other = 0; other < 100; other++) {
				gateway.clientAddress = `198.51.100.${other}`;
				for (let i = 0; i < 6; i++) await guess();
			}
			gateway.clientAddress = "192.0.2.10";
			await gateway.pass(MINUTE_MS);
			succeeded(await enter());
		});
		it("never locks a client out for good", async () => {
			for (let i = 0; i < 300; i++) {
				await guess();
				await gateway.pass(MINUTE_MS);
			}
			succeeded(await enter());
		});
	});

	describe("plain HTTP", () => {
		it("is accepted only from the access point's network while both networks are up", async () => {
			const plain = { secure: false, token: null };
			isError(await gateway.get("system/challenge", plain), 403, "https_required");
			for (const address of ["192.168.4.2", "192.168.4.254"]) {
				gateway.clientAddress = address;
				succeeded(await gateway.get("system/challenge", plain));
			}
			for (const address of ["192.168.5.2", "192.168.40.2", "10.168.4.2", "1.192.168.4"]) {
				gateway.clientAddress = address;
				isError(await gateway.get("system/challenge", plain), 403, "https_required");
			}
		});
	});

	describe("connections", () => {
		const HEAD = "GET /api/v1/system/challenge HTTP/1.1\r\nHost: gateway.local\r\n";

		it("stay open for the next request, and are closed after half a minute without one", async () => {
			const client = gateway.world.connect();
			for (let i = 0; i < 5; i++) {
				client.send(`${HEAD}\r\n`);
				assert.equal(gateway.world.awaitReply(client).status, 200);
				await gateway.pass(29_000);
			}
			assert.equal(client.isClosed, false);
			await gateway.pass(2000);
			assert.equal(client.isClosed, true);
		});
		it("get 408 if they send the head too slowly", async () => {
			const client = gateway.world.connect();
			for (const letter of HEAD.slice(0, 20)) {
				if (client.receivedCount > 0) break;
				client.send(letter);
				await gateway.pass(1000);
			}
			assert.equal(gateway.world.awaitReply(client).status, 408);
			await gateway.pass(5000);
			assert.equal(client.isClosed, true);
		});
		it("get 408 if they stop in a body", async () => {
			const client = gateway.world.connect();
			client.send("POST /api/v1/system/login HTTP/1.1\r\nHost: g\r\nContent-Length: 100\r\n\r\n{");
			assert.equal(gateway.world.awaitReply(client).status, 408);
			succeeded(await enter());
		});
		it("still serve other requests while two readouts wait; a third readout gets 503", async () => {
			const waiting = [gateway.begin("GET", "iec62056/read"), gateway.begin("GET", "iec62056/read")];
			await gateway.pass(100);
			for (const path of ["iec62056/last", "system/status", "meter/protocol"]) succeeded(await gateway.get(path));
			isError(await gateway.get("iec62056/read"), 503, "busy");
			waiting[0].abandon();
			await gateway.pass(100);
			const third = gateway.begin("GET", "iec62056/read");
			await gateway.pass(100);
			succeeded(await gateway.get("iec62056/last"));
			for (const one of [waiting[1], third]) one.abandon();
		});
		it("that stop in the body of a login give way after a second, and end after ten", async () => {
			const slow = [1, 2, 3].map(() => gateway.world.connect());
			for (const client of slow) {
				client.send("POST /api/v1/system/login HTTP/1.1\r\nHost: g\r\nContent-Length: 100\r\n\r\n{");
				await gateway.pass(300);
			}
			const startMs = gateway.world.time.nowMs;
			succeeded(await enter());
			assert.ok(gateway.world.time.nowMs - startMs <= 1000);
			assert.equal(gateway.world.awaitReply(slow[0]).status, 503);
			assert.equal(gateway.world.awaitReply(slow[2]).status, 408);
			assert.ok(gateway.world.time.nowMs - startMs <= 10_000);
		});
		it("that are idle give way to a new one", async () => {
			const idle = [gateway.world.connect(), gateway.world.connect()];
			for (const client of idle) {
				client.send(`${HEAD}\r\n`);
				gateway.world.awaitReply(client);
				await gateway.pass(1000);
			}
			assert.equal((await gateway.get("meter/protocol")).status, 200);
			assert.deepEqual(
				idle.map((client) => client.isClosed),
				[true, false],
			);
		});
	});
});
