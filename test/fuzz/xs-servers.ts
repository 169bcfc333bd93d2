/**
 * Hostile servers and noise on the console for the whole gateway in XS, all at the same time: Home Assistant, MQTT and
 * hawkBit. HTTP still answers, all work again with honest servers, and no slots leak.
 */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { vectorOf } from "../api/gateway.js";
import { VirtualConsole } from "../app/console.js";
import { checkFaults } from "../faults.js";
import { CERTIFICATE, DDIServer, HOST, TOKEN as TARGET_TOKEN } from "../hawkbit/ddi-server.js";
import { ADDRESS, OWN_CERTIFICATE, StateServer, TOKEN } from "../hub/bed.js";
import { StatisticsServer } from "../hub/statistics-server.js";
import { ScriptedBroker } from "../mqtt/broker.js";
import { keyOf, SIGNER } from "../provision/signed.js";
import { OPTIONS } from "../update/corruptions.js";
import { oddPacket } from "./hostile-broker.js";
import { noise } from "./hostile-console.js";
import { oddReply } from "./hostile-hub.js";
import { makeHostile, type Odd } from "./hostile-link.js";
import { type Mutator, runAll } from "./mutator.js";

/** Allowed growth of live slots. */
const SLOTS_MARGIN = 16;
const HUB_PORT = 8123;
const PIECE_MS = 40;
const STEP_MS = 300_000;
/** Longest wait after a refusal by a server, and some more, ms. */
const HEAL_LIMIT_MS = 8_000_000;
/** Time in which connections and sessions end, ms. */
const REST_MS = 120_000;
const SETTINGS: readonly (readonly [path: string, body: object])[] = [
	["iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: 15 }],
	[
		"hub",
		{
			...{ enabled: true, url: `https://hub.lan:${HUB_PORT}`, token: TOKEN, statistics: true },
			cert: Buffer.from(OWN_CERTIFICATE.certificate).toString(),
		},
	],
	["mqtt", { enabled: true, url: `mqtt://${ADDRESS}`, commands: true }],
	[
		"hawkbit",
		{
			...{ enabled: true, url: `https://${HOST}/fleet`, controller_id: "gateway-1", token: TARGET_TOKEN },
			cert: Buffer.from(CERTIFICATE.certificate).toString(),
		},
	],
];
const BAD_FILE = Buffer.from("<html>".repeat(200));

class Bed {
	readonly xs: XSWorld;
	readonly #hub: StateServer;
	readonly #broker: ScriptedBroker;
	readonly #rollouts = new DDIServer();
	#slots: number | undefined;
	#actions = 0;

	constructor(xs: XSWorld) {
		const { world } = xs;
		this.xs = xs;
		this.#hub = new StateServer(world);
		new StatisticsServer(this.#hub);
		this.#broker = new ScriptedBroker(world);
		world.names.set("hub.lan", ADDRESS);
		this.#rollouts.serve(world);
		this.#serve(() => {});
	}

	/** Has each connection changed by `meet`. */
	#serve(meet: (peer: VirtualClient, odd: Odd) => void): void {
		const { certificate } = OWN_CERTIFICATE;
		this.#hub.serve(HUB_PORT, { certificate, onConnection: (peer) => meet(peer, oddReply) });
		this.#broker.onConnection = (peer) => meet(peer, oddPacket);
		this.#rollouts.onConnection = (peer) => meet(peer, oddReply);
	}

	async run(mutator: Mutator): Promise<void> {
		const { random } = mutator;
		const { world } = this.xs;
		const { console } = world.serial;
		this.#serve((peer, odd) => makeHostile(peer, world.time, mutator, odd));
		this.#broker.current?.peer.reset();
		if (random.oneIn(2)) this.#hub.forget();
		this.#rollouts.deployment = { id: `${++this.#actions}`, files: { "gateway.ota": BAD_FILE } };
		for (let count = 1 + random.below(4); count > 0; count--) {
			(console as VirtualConsole).send(noise(mutator));
			await this.xs.advance(random.below(STEP_MS));
			checkFaults();
		}
	}

	/** Waits until all three servers are content, and checks that no slots leak. */
	async checkGood(): Promise<void> {
		const { xs } = this;
		this.#serve(() => {});
		this.#rollouts.deployment = undefined;
		let states: unknown[] = [];
		for (let ms = 0; states.join() !== "ok,ok,ok"; ms += STEP_MS) {
			assert.ok(ms < HEAL_LIMIT_MS, states.join());
			await xs.advance(STEP_MS);
			await xs.login();
			const { hub_state, mqtt_state, hawkbit_state } = (await xs.request("system/status")).json();
			states = [hub_state, mqtt_state, hawkbit_state];
		}
		await xs.advance(REST_MS);
		const slots = await xs.slots();
		this.#slots ??= slots;
		assert.ok(slots <= this.#slots + SLOTS_MARGIN, `${slots} slots are alive, ${this.#slots} at first`);
		checkFaults();
	}
}

export async function fuzzServersInXS(seed: number, runs: number): Promise<void> {
	const slots = new VirtualSlots({ ...OPTIONS, seed });
	const xs = await XSWorld.start({
		...{ seed, slots, pieceMs: PIECE_MS, console: (time) => new VirtualConsole(time) },
		// Files with settings are accepted over MQTT and the console.
		info: { settingsKeys: keyOf(SIGNER) },
	});
	try {
		const bed = new Bed(xs);
		const { telegram } = vectorOf("landis-gyr-zmf100-m26-padded-left");
		xs.world.serial.meter.connect(new IECMeter({ source: () => splitTelegram(telegram), mode: "C" }));
		await xs.login();
		for (const [path, body] of SETTINGS) {
			const { status, text } = await xs.request(path, { body });
			assert.equal(status, 200, `${path}: ${text}`);
		}
		// The first readouts and connections keep some slots.
		await xs.advance(2 * STEP_MS);
		await bed.checkGood();
		await runAll("hostile servers in XS", seed, runs, async (mutator, run) => {
			await bed.run(mutator);
			if (run % 20 === 19 || run === runs - 1) await bed.checkGood();
		});
	} finally {
		await xs.stop();
	}
}
