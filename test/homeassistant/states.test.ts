/** The hub's policy with any event in any state and order: it releases its resources, and keeps working. */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import type { SendTest } from "../../modules/publish/output.js";
import type { PermitClient } from "../../modules/publish/tls-permit.js";
import { ADDRESS, HubBench, OWN_CERTIFICATE, reply } from "./bench.js";

const { certificate } = OWN_CERTIFICATE;
const HOUR = 3_600_000;
const BLOCK = "1-0:1.8.0*255(000123.4*kWh)\r\n1-0:16.7.0(0.25*kW)";

/** Another client that may hold the permit. */
class Other implements PermitClient {
	hasPermit = false;
	permitGranted(): void {
		this.hasPermit = true;
	}
	permitRequested(): void {}
}

/** A hub over TLS, and functions that cause each possible event. */
class Scene {
	readonly bench = new HubBench({ url: "https://hub.lan:8123", certificate });
	readonly other = new Other();
	/** Number of started tests. */
	startedTests = 0;
	finishedTests = 0;
	#test: SendTest | undefined;

	constructor() {
		this.bench.server.serve(8123, { certificate });
	}

	readonly events: Record<string, () => void> = {
		"a readout": () => this.bench.read(BLOCK),
		"the meter fails": () => this.bench.fail(),
		"settings saved": () => this.bench.hub.settingsChanged(),
		"turned off": () => {
			this.bench.settings.enabled = false;
			this.bench.hub.settingsChanged();
		},
		"a network": () => this.bench.hub.networkChanged(true),
		"a test": () => {
			this.#test = { finished: () => this.finishedTests++ };
			if (this.bench.hub.test(this.#test)) this.startedTests++;
		},
		"a test is cancelled": () => {
			const runningTest = this.#test;
			if (runningTest === undefined || this.finishedTests === this.startedTests) return;
			this.bench.hub.cancel(runningTest);
			this.finishedTests = this.startedTests;
		},
		"a permit": () => this.bench.hub.output.permitGranted(),
		"a permit is requested": () => this.bench.hub.output.permitRequested(),
		"an early call": () => this.bench.hub.advance(this.bench.world.time.nowMs),
		"another client gets the permit": () => {
			this.other.hasPermit ||= this.bench.tlsPermit.request(this.other);
		},
		"another client releases the permit": () => {
			this.bench.tlsPermit.release(this.other);
			this.other.hasPermit = false;
		},
	};

	/** Checks that without obstacles the hub sends a readout, and keeps no memory, no permit and no unfinished test. */
	checkWorks(): void {
		const { bench } = this;
		this.events["another client releases the permit"]();
		bench.hasMemory = true;
		bench.server.answer = undefined;
		bench.server.serve(8123, { certificate });
		bench.settings.enabled = true;
		bench.server.delayMs = 5;
		bench.advance(HOUR);
		bench.server.takeLog();
		bench.hub.settingsChanged();
		bench.read(BLOCK);
		bench.advance(60_000);
		assert.equal(bench.hub.state, "ok");
		assert.equal(bench.hub.isSending, false);
		assert.equal(this.finishedTests, this.startedTests, "a test has not finished");
		assert.ok(bench.server.takeLog().length >= 4);
		bench.ledger.claim({ slots: 0, chunkBytes: 0 });
		assert.equal(bench.promised, 0, "memory was not released");
		assert.ok(bench.tlsPermit.request(this.other), "the permit was not released");
	}
}

/** Functions that bring a scene into each state. */
const STATES: Record<string, (scene: Scene) => void> = {
	off: ({ events }) => events["turned off"](),
	resting: () => {},
	"resting, watching": ({ bench, events }) => {
		events["a readout"]();
		bench.advance(60_000);
	},
	"waiting for a pause": ({ bench, events }) => {
		events["a readout"]();
		bench.advance(5000);
		events["a readout"]();
	},
	"waiting after a failure": ({ bench, events }) => {
		bench.world.servers.stop(ADDRESS, 8123);
		events["a readout"]();
		bench.advance(5000);
	},
	"waiting for memory": ({ bench, events }) => {
		bench.hasMemory = false;
		events["a readout"]();
		bench.advance(1000);
	},
	refused: ({ bench, events }) => {
		bench.server.answer = (peer) => {
			reply(peer, "401 Unauthorized");
			return true;
		};
		events["a readout"]();
		bench.advance(5000);
	},
	queued: ({ bench, events }) => {
		events["another client gets the permit"]();
		events["a readout"]();
		bench.advance(1000);
	},
	connecting: ({ bench, events }) => {
		events["a readout"]();
		bench.advance(100);
	},
	sending: ({ bench, events }) => {
		bench.server.delayMs = 3000;
		events["a readout"]();
		bench.advance(5000);
	},
	"sending, with a test": ({ bench, events }) => {
		bench.server.delayMs = 500;
		events["a test"]();
		bench.advance(700);
	},
};

describe("The hub with every event in every state", function () {
	this.timeout(120_000);

	for (const [state, enter] of Object.entries(STATES)) {
		it(`keeps working while ${state}`, () => {
			for (const [name, happen] of Object.entries(new Scene().events)) {
				assert.equal(typeof happen, "function");
				const scene = new Scene();
				enter(scene);
				const wasOff = scene.bench.hub.state === "off";
				// A hub that is off can't be tested.
				if (wasOff && name === "a test") continue;
				scene.events[name]();
				scene.bench.advance(1);
				if (name === "turned off") {
					assert.equal(scene.bench.hub.state, "off");
					assert.equal(scene.bench.hub.isSending, false);
				}
				scene.checkWorks();
			}
		});
	}

	it("keeps working after events in any order", () => {
		for (let seed = 1; seed <= 60; seed++) {
			const random = new SeededRandom(seed);
			const scene = new Scene();
			const names = Object.keys(scene.events);
			for (let step = 0; step < 40; step++) {
				const name = names[random.below(names.length)];
				const { bench } = scene;
				if (name === "a test" && bench.hub.state === "off") continue;
				scene.events[name]();
				bench.settings.enabled = true;
				if (random.below(4) === 0) bench.hasMemory = !bench.hasMemory;
				if (random.below(4) === 0) bench.server.serve(8123, { certificate });
				if (random.below(4) === 0) bench.world.servers.stop(ADDRESS, 8123);
				bench.server.delayMs = random.below(4000);
				bench.advance([1, 50, 500, 5000, 30_000][random.below(5)]);
			}
			scene.checkWorks();
		}
	});
});
