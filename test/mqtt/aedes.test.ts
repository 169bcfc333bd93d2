/** A broker of another maker (aedes), over real sockets: without and with TLS, with logins, and across its restart. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTLSServer } from "node:tls";
import { Aedes, type AedesPublishPacket } from "aedes";
import { createClientPorts } from "../../hosts/node/client.js";
import { NodeResolver } from "../../hosts/node/resolver.js";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { put } from "../../modules/config/schema.js";
import { Driver } from "../../modules/io/driver.js";
import { MQTT_PASSWORD, MQTT_URL, MQTT_USER } from "../../modules/parts/mqtt/fields.js";
import { BASE, Bed, DISCOVERY_TOPIC } from "./bed.js";

const TIMES = { validFromMs: Date.UTC(2026, 0, 1), validToMs: Date.UTC(2049, 0, 1) };
const own = makeCertificate({ names: ["127.0.0.1"], ...TIMES });
const other = makeCertificate({ names: ["other"], ...TIMES });
const PATIENCE_MS = 5000;

async function until(holds: () => boolean, what: string): Promise<void> {
	for (let waitedMs = 0; !holds(); waitedMs += 10) {
		if (waitedMs > PATIENCE_MS) assert.fail(what);
		await sleep(10);
	}
}

describe("MQTT with aedes over sockets", () => {
	let broker: Aedes;
	let server: Server;
	let bed: Bed;
	const sockets = new Set<{ destroy(): void }>();
	const published: string[] = [];

	async function serve(isSecure: boolean, port = 0): Promise<number> {
		const handle = (socket: import("node:net").Socket) => {
			sockets.add(socket);
			socket.on("error", () => {});
			broker.handle(socket);
		};
		const identity = { cert: Buffer.from(own.certificate), key: Buffer.from(own.key) };
		server = isSecure ? createTLSServer(identity, handle) : createServer(handle);
		server.on("tlsClientError", () => {});
		server.listen(port, "127.0.0.1");
		await once(server, "listening");
		return (server.address() as AddressInfo).port;
	}

	function stopBroker(): void {
		server.close();
		for (const socket of sockets) socket.destroy();
		sockets.clear();
	}

	function connect(url: string, setUp: (one: Bed) => void = () => {}): void {
		const clock = { monotonicMs: () => performance.now(), utcMs: () => Date.now(), setUTC: () => {} };
		const timers = new Map<number, NodeJS.Timeout>();
		let last = 0;
		const driver = new Driver({
			clock,
			timers: {
				set: (run, delayMs) => {
					timers.set(++last, setTimeout(run, delayMs));
					return last;
				},
				clear: (id) => clearTimeout(timers.get(id)),
			},
			guard: (_part, run) => run(),
		});
		bed = new Bed({ driver, clock, ports: createClientPorts({ resolver: new NodeResolver() }) });
		bed.set(put(MQTT_URL, url));
		setUp(bed);
		bed.service.whenNetworkChanged(true);
	}

	const state = () => bed.service.stateText;

	beforeEach(async () => {
		published.length = 0;
		broker = await Aedes.createBroker();
		broker.on("publish", (packet: AedesPublishPacket) => {
			if (!packet.topic.startsWith("$SYS")) published.push(`${packet.topic} ${packet.payload}`);
		});
	});
	afterEach(async () => {
		bed.stop();
		stopBroker();
		await new Promise<void>((resolve) => broker.close(() => resolve()));
	});

	for (const isSecure of [false, true]) {
		it(`publishes ${isSecure ? "by TLS" : "plain"}, receives the birth message, and continues after a restart of the broker`, async () => {
			const port = await serve(isSecure);
			connect(`${isSecure ? "mqtts" : "mqtt"}://127.0.0.1:${port}`, (one) => one.trust(own.certificate));
			await until(() => state() === "ok" && !bed.service.isSending, "never connected");
			assert.deepEqual(published, [`${BASE}/status online`]);
			bed.measured();
			await until(() => published.length === 3, "nothing published");
			assert.ok(published[1].startsWith(DISCOVERY_TOPIC));
			assert.equal(JSON.parse(published[2].slice(BASE.length + 7))["1_0_1_8_0"], 1234.567);
			const birth = { topic: "homeassistant/status", payload: "online", qos: 0, retain: false, dup: false } as const;
			broker.publish({ cmd: "publish", ...birth }, () => {});
			await until(
				() => bed.service.publisher!.deadlineMs - performance.now() < 10_100,
				"the birth message was not received",
			);
			// The broker restarts.
			stopBroker();
			await until(() => state() !== "ok", "the end was not noticed");
			assert.ok(["broker_closed", "connection_lost"].includes(state()), state());
			assert.equal(await serve(isSecure, port), port);
			let failure: unknown = "none";
			bed.service.test({ finished: (result) => (failure = result?.code) });
			await until(() => failure !== "none", "the test did not finish");
			assert.equal(failure, undefined);
			assert.equal(published.filter((line) => line.startsWith(`${BASE}/state`)).length, 2);
		});
	}

	it("reports that the broker rejects a wrong password", async () => {
		broker.authenticate = (_client, user, password, done) => {
			if (user === "gateway" && password?.toString() === "right") done(null, true);
			else done(Object.assign(new Error("no"), { returnCode: 4 }), false);
		};
		const port = await serve(false);
		const login = (password: string) => bed.set(put(MQTT_USER, "gateway"), put(MQTT_PASSWORD, password));
		connect(`mqtt://127.0.0.1:${port}`, () => login("wrong"));
		await until(() => state() === "refused_login", "the rejection was not reported");
		login("right");
		bed.service.settingsChanged();
		await until(() => state() === "ok", "never connected");
	});

	it("reports a TLS port, a port without TLS, a wrong certificate, and a missing server", async () => {
		const secure = await serve(true);
		const fails = async (url: string, code: string, setUp?: (one: Bed) => void) => {
			connect(url, setUp);
			await until(() => state() !== "connecting", `${url} is not reported`);
			assert.equal(state(), code, url);
			bed.stop();
		};
		await fails(`mqtt://127.0.0.1:${secure}`, "closed_unanswered");
		await fails(`mqtts://127.0.0.1:${secure}`, "certificate_untrusted", (one) => one.trust(other.certificate));
		await fails(`mqtts://127.0.0.1:${secure}`, "certificate_missing");
		stopBroker();
		await fails(`mqtts://127.0.0.1:${secure}`, "unreachable", (one) => one.trust(own.certificate));
		const plain = await serve(false);
		await fails(`mqtts://127.0.0.1:${plain}`, "tls_failed", (one) => one.trust(own.certificate));
	});
});
