import assert from "node:assert/strict";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { Acts } from "../../modules/app/acts.js";
import { Driver } from "../../modules/io/driver.js";

describe("app/acts", () => {
	let time: VirtualTime;
	let done: string[];
	let acts: Acts;
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
		acts = new Acts(new Driver({ clock: time, timers: time, guard }), {
			rename: () => note("rename"),
			restart: () => note("restart"),
		});
	});

	afterEach(() => assert.deepEqual(problems, isBroken ? ["it went wrong"] : []));

	it("does what it was asked for after a moment, once, however often it was asked", () => {
		acts.renameSoon();
		time.advance(1000);
		acts.renameSoon();
		time.advance(499);
		assert.deepEqual(done, []);
		time.advance(1);
		assert.deepEqual(done, ["rename 1500"]);
		time.advance(10_000);
		assert.deepEqual(done, ["rename 1500"]);
	});

	it("does each of two at its own time, and both where that is the same", () => {
		acts.restartSoon();
		time.advance(500);
		acts.renameSoon();
		time.advance(5000);
		assert.deepEqual(done, ["restart 1500", "rename 2000"]);
		acts.restartSoon();
		acts.renameSoon();
		time.advance(5000);
		assert.deepEqual(done.slice(2), ["rename 7000", "restart 7000"]);
	});

	it("may be asked again while it does it, and after it went wrong", () => {
		isBroken = true;
		acts.renameSoon();
		time.advance(5000);
		assert.deepEqual(done, ["rename 1500"]);
		acts.restartSoon();
		problems.length = 0;
		time.advance(1500);
		assert.deepEqual(done, ["rename 1500", "restart 6500"]);
	});

	it("does nothing any more once it is stopped, whatever it was or is asked for", () => {
		acts.renameSoon();
		acts.stop();
		acts.restartSoon();
		time.advance(10_000);
		assert.deepEqual(done, []);
	});
});
