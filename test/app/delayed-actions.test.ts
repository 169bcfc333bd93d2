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
	/** Runs inside each action. */
	let request: () => void;

	beforeEach(() => {
		time = new VirtualTime();
		done = [];
		problems = [];
		isBroken = false;
		request = () => undefined;
		const guard = (_part: string, run: () => void) => {
			try {
				run();
			} catch (error) {
				problems.push((error as Error).message);
			}
		};
		const note = (what: string) => {
			done.push(`${what} ${time.nowMs}`);
			request();
			if (isBroken) throw new Error("it went wrong");
		};
		acts = new DelayedActions(new Driver({ clock: time, timers: time, guard }), {
			refresh: () => note("refresh"),
			updateServices: () => note("services"),
			restart: () => note("restart"),
		});
	});

	afterEach(() => assert.deepEqual(problems, isBroken ? ["it went wrong"] : []));

	it("runs a requested action once, 1.5 s after the first of several requests", () => {
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

	it("runs no refresh while a restart is due, whichever was requested first", () => {
		acts.restartSoon();
		time.advance(500);
		acts.refreshSoon();
		acts.readdressSoon();
		time.advance(5000);
		assert.deepEqual(done, ["restart 1500"]);
		acts.refreshSoon();
		acts.restartSoon();
		time.advance(5000);
		assert.deepEqual(done.slice(1), ["restart 7000"]);
		acts.refreshSoon();
		time.advance(1500);
		assert.deepEqual(done.slice(2), ["refresh 12000"]);
	});

	it("accepts requests made from inside an action, and runs them 1.5 s later", () => {
		request = () => {
			request = () => undefined;
			acts.refreshSoon();
			acts.restartSoon();
		};
		acts.refreshSoon();
		time.advance(1500);
		assert.deepEqual(done, ["refresh 1500"]);
		time.advance(10_000);
		assert.deepEqual(done, ["refresh 1500", "restart 3000"]);
	});

	it("accepts another request after an action has failed", () => {
		isBroken = true;
		acts.refreshSoon();
		time.advance(5000);
		assert.deepEqual(done, ["refresh 1500"]);
		acts.restartSoon();
		problems.length = 0;
		time.advance(1500);
		assert.deepEqual(done, ["refresh 1500", "restart 6500"]);
	});

	it("refreshes 1.5 s after a change of address, and for another change ten minutes later at the earliest", () => {
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

	it("refreshes on request without waiting for the ten minutes between addresses, and does not refresh again for the address", () => {
		acts.readdressSoon();
		time.advance(2000);
		acts.readdressSoon();
		acts.refreshSoon();
		time.advance(1500);
		assert.deepEqual(done, ["refresh 1500", "refresh 3500"]);
		time.advance(598_000);
		assert.equal(done.length, 2);
	});

	it("updates the network services in the next tick, once for several requests, also before a restart", () => {
		acts.restartSoon();
		acts.updateServicesSoon();
		acts.updateServicesSoon();
		assert.deepEqual(done, []);
		time.advance(0);
		assert.deepEqual(done, ["services 0"]);
		time.advance(1500);
		assert.deepEqual(done, ["services 0", "restart 1500"]);
	});

	it("runs nothing after a stop, whether it was requested before or after the stop", () => {
		acts.refreshSoon();
		acts.stop();
		acts.restartSoon();
		time.advance(10_000);
		assert.deepEqual(done, []);
	});
});
