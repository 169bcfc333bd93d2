/** A firmware file that comes takes the turn for outgoing TLS, so that hub and broker leave it their memory. */
import assert from "node:assert/strict";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { Driver } from "../../modules/io/driver.js";
import { MemoryLedger } from "../../modules/io/memory.js";
import { TAKEN } from "../../modules/ota/refusals.js";
import { type Sender, Updater } from "../../modules/ota/updater.js";
import { Turn, type TurnHolder } from "../../modules/publish/turn.js";
import { makeFile, makeImage, makeSlots, UNIT } from "./bench.js";

const crypto = new NodeCrypto();

/** An output with a connection that it gives up when it is asked to. */
class Output implements TurnHolder {
	readonly turn: Turn;
	hasTurn = false;
	constructor(turn: Turn) {
		this.turn = turn;
		this.hasTurn = turn.ask(this);
	}
	turnGiven(): void {
		this.hasTurn = true;
	}
	turnWanted(): void {
		this.hasTurn = false;
		this.turn.giveBack(this);
		this.turn.ask(this);
	}
}

describe("An update and the outputs", () => {
	const time = new VirtualTime();
	let turn: Turn;
	let output: Output;
	let updater: Updater;
	const file = makeFile(makeImage());
	const sender = (more: Partial<Sender> = {}): Sender => ({ name: "test", updated: () => {}, ...more });

	beforeEach(() => {
		turn = new Turn();
		output = new Output(turn);
		const driver = new Driver({ clock: time, timers: time, guard: (_part, run) => run() });
		const update = makeSlots().start(crypto, () => {});
		updater = new Updater(
			{ update },
			{ info: UNIT, crypto, storage: new VirtualStorage(), driver, trace: () => {} } as never,
			{
				ledger: new MemoryLedger(undefined),
				events: { note: () => {} },
				live: { changed: () => {} },
				restartSoon: () => {},
				turn,
			} as never,
		);
	});

	it("one who publishes gives way while a file comes, and goes on when it is given up", () => {
		assert.ok(output.hasTurn);
		assert.equal(updater.begin(sender(), file.length), TAKEN);
		assert.ok(!output.hasTurn);
		updater.write(file, 0, 1000);
		assert.ok(!output.hasTurn);
		updater.abort();
		assert.equal(updater.state, "idle");
		assert.ok(output.hasTurn);
	});

	it("goes on when the file is refused", () => {
		updater.begin(sender(), file.length);
		updater.write(new Uint8Array(200), 0, 200);
		assert.equal(updater.lastError, "ota_invalid_image");
		assert.ok(output.hasTurn);
	});

	it("is not held up by a file that takes hours", () => {
		assert.equal(updater.begin(sender({ isSlow: true }), file.length), TAKEN);
		assert.ok(output.hasTurn);
	});
});
