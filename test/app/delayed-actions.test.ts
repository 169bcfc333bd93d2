import assert from "node:assert/strict";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { DelayedActions } from "../../modules/app/delayed-actions.js";
import { Driver } from "../../modules/io/driver.js";

describe("app/delayed-actions", () => {
	let time: VirtualTime;
	let done: string[];
	let acts: DelayedActions;
	let problems: string[];
	let isBroken: boolean;

	beforeEach(() => {
		time = new VirtualTime();
		done = [];
		problems = [];
		isBroken = false;
		const guard = (_part: string, run: () => void) => {
			try {
				run();
			} catch (error) {
				problems.push((error as Error).message);
			}
		};
		const note = (what: string) => {
			done.push(`${what} ${time.nowMs}`);
			if (isBroken) throw new Error("it went wrong");
		};
		acts = new DelayedActions(new Driver({ clock: time, timers: time, guard }), {
			refresh: () => note("refresh"),
			restart: () => note("restart"),
		});
	});

	afterEach(() => assert.deepEqual(problems, isBroken ? ["it went wrong"] : []));

	it("does what it was asked for after a moment, once, however often it was asked", () => {
		acts.refreshSoon();
		time.advance(1000);
		acts.refreshSoon();
		time.advance(499);
		assert.deepEqual(done, []);
		time.advance(1);
		assert.deepEqual(done, ["refresh 1500"]);
		time.advance(10_000);
		assert.deepEqual(done, ["refresh 1500"]);
	});

	it("does each of two at its own time, and both where that is the same", () => {
		acts.restartSoon();
		time.advance(500);
		acts.refreshSoon();
		time.advance(5000);
		assert.deepEqual(done, ["restart 1500", "refresh 2000"]);
		acts.restartSoon();
		acts.refreshSoon();
		time.advance(5000);
		assert.deepEqual(done.slice(2), ["refresh 7000", "restart 7000"]);
	});

	it("may be asked again while it does it, and after it went wrong", () => {
		isBroken = true;
		acts.refreshSoon();
		time.advance(5000);
		assert.deepEqual(done, ["refresh 1500"]);
		acts.restartSoon();
		problems.length = 0;
		time.advance(1500);
		assert.deepEqual(done, ["refresh 1500", "restart 6500"]);
	});

	it("looks at another address a moment later, and not again within ten minutes", () => {
		acts.readdressSoon();
		time.advance(1500);
		assert.deepEqual(done, ["refresh 1500"]);
		for (let s = 0; s <= 598; s += 23) {
			acts.readdressSoon();
			time.advance(23_000);
		}
		assert.deepEqual(done, ["refresh 1500", "refresh 601500"]);
		time.advance(3_600_000);
		assert.equal(done.length, 2);
		acts.readdressSoon();
		time.advance(1500);
		assert.equal(done.length, 3);
	});

	it("does not let another name or time wait for an address", () => {
		acts.readdressSoon();
		time.advance(2000);
		acts.readdressSoon();
		acts.refreshSoon();
		time.advance(1500);
		assert.deepEqual(done, ["refresh 1500", "refresh 3500"]);
		time.advance(598_000);
		assert.equal(done.length, 2);
	});

	it("does nothing any more once it is stopped, whatever it was or is asked for", () => {
		acts.refreshSoon();
		acts.stop();
		acts.restartSoon();
		time.advance(10_000);
		assert.deepEqual(done, []);
	});
});
