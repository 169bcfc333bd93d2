/** The hub's policy with any event in any state and order: it releases its resources, and keeps working. */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import type { PermitClient } from "../../modules/io/tls-permit.js";
import type { SendTest } from "../../modules/publish/output.js";
import { ADDRESS, HubBed, OWN_CERTIFICATE, reply } from "./bed.js";

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
	readonly bed = new HubBed({ url: "https://hub.lan:8123", certificate });
	readonly other = new Other();
	/** Number of started tests. */
	startedTests = 0;
	finishedTests = 0;
	#test: SendTest | undefined;

	constructor() {
		this.bed.server.serve(8123, { certificate });
	}

	readonly events: Record<string, () => void> = {
		"a readout": () => this.bed.read(BLOCK),
		"the meter fails": () => this.bed.fail(),
		"settings saved": () => this.bed.hub.settingsChanged(),
		"turned off": () => {
			this.bed.settings.enabled = false;
			this.bed.hub.settingsChanged();
		},
		"a network": () => this.bed.hub.whenNetworkChanged(true),
		"a test": () => {
			this.#test = { finished: () => this.finishedTests++ };
			if (this.bed.hub.test(this.#test)) this.startedTests++;
		},
		"a test is cancelled": () => {
			const runningTest = this.#test;
			if (runningTest === undefined || this.finishedTests === this.startedTests) return;
			this.bed.hub.cancel(runningTest);
			this.finishedTests = this.startedTests;
		},
		"a permit": () => this.bed.hub.output.permitGranted(),
		"a permit is requested": () => this.bed.hub.output.permitRequested(),
		"an early call": () => this.bed.hub.advance(this.bed.world.time.nowMs),
		"another client gets the permit": () => {
			this.other.hasPermit ||= this.bed.tlsPermit.request(this.other);
		},
		"another client releases the permit": () => {
			this.bed.tlsPermit.release(this.other);
			this.other.hasPermit = false;
		},
	};

	/** Checks that without obstacles the hub sends a readout, and keeps no memory, no permit and no unfinished test. */
	checkWorks(): void {
		const { bed } = this;
		this.events["another client releases the permit"]();
		bed.hasMemory = true;
		bed.server.answer = undefined;
		bed.server.serve(8123, { certificate });
		bed.settings.enabled = true;
		bed.server.delayMs = 5;
		bed.advance(HOUR);
		bed.server.takeLog();
		bed.hub.settingsChanged();
		bed.read(BLOCK);
		bed.advance(60_000);
		assert.equal(bed.hub.state, "ok");
		assert.equal(bed.hub.isSending, false);
		assert.equal(this.finishedTests, this.startedTests, "a test has not finished");
		assert.ok(bed.server.takeLog().length >= 4);
		bed.ledger.claim({ slots: 0, chunkBytes: 0 });
		assert.equal(bed.promised, 0, "memory was not released");
		assert.ok(bed.tlsPermit.request(this.other), "the permit was not released");
	}
}

/** Functions that bring a scene into each state. */
const STATES: Record<string, (scene: Scene) => void> = {
	off: ({ events }) => events["turned off"](),
	resting: () => {},
	"resting, watching": ({ bed, events }) => {
		events["a readout"]();
		bed.advance(60_000);
	},
	"waiting for a pause": ({ bed, events }) => {
		events["a readout"]();
		bed.advance(5000);
		events["a readout"]();
	},
	"waiting after a failure": ({ bed, events }) => {
		bed.world.servers.stop(ADDRESS, 8123);
		events["a readout"]();
		bed.advance(5000);
	},
	"waiting for memory": ({ bed, events }) => {
		bed.hasMemory = false;
		events["a readout"]();
		bed.advance(1000);
	},
	refused: ({ bed, events }) => {
		bed.server.answer = (peer) => {
			reply(peer, "401 Unauthorized");
			return true;
		};
		events["a readout"]();
		bed.advance(5000);
	},
	queued: ({ bed, events }) => {
		events["another client gets the permit"]();
		events["a readout"]();
		bed.advance(1000);
	},
	connecting: ({ bed, events }) => {
		events["a readout"]();
		bed.advance(100);
	},
	sending: ({ bed, events }) => {
		bed.server.delayMs = 3000;
		events["a readout"]();
		bed.advance(5000);
	},
	"sending, with a test": ({ bed, events }) => {
		bed.server.delayMs = 500;
		events["a test"]();
		bed.advance(700);
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
				const wasOff = scene.bed.hub.state === "off";
				// A hub that is off can't be tested.
				if (wasOff && name === "a test") continue;
				scene.events[name]();
				scene.bed.advance(1);
				if (name === "turned off") {
					assert.equal(scene.bed.hub.state, "off");
					assert.equal(scene.bed.hub.isSending, false);
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
				const { bed } = scene;
				if (name === "a test" && bed.hub.state === "off") continue;
				scene.events[name]();
				bed.settings.enabled = true;
				if (random.below(4) === 0) bed.hasMemory = !bed.hasMemory;
				if (random.below(4) === 0) bed.server.serve(8123, { certificate });
				if (random.below(4) === 0) bed.world.servers.stop(ADDRESS, 8123);
				bed.server.delayMs = random.below(4000);
				bed.advance([1, 50, 500, 5000, 30_000][random.below(5)]);
			}
			scene.checkWorks();
		}
	});
});
