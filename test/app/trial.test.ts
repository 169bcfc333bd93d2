import assert from "node:assert/strict";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { LIMIT_MS, LOOK_MS, Trial, YOUNG_MS } from "../../modules/app/trial.js";
import { type Drive, Driver } from "../../modules/io/driver.js";

describe("app/trial", () => {
	let time: VirtualTime;
	let trial: Trial;
	let drive: Drive;
	/** What became of it, and when. */
	let done: string[];
	let missing: string;
	let refusals: number;

	beforeEach(() => {
		time = new VirtualTime();
		time.advance(5000);
		[done, missing, refusals] = [[], "", 0];
		const guard = (_part: string, run: () => void) => {
			try {
				run();
			} catch (error) {
				done.push((error as Error).message);
			}
		};
		const driver = new Driver({ clock: time, timers: time, guard });
		const startMs = time.nowMs;
		const act = (what: string) => {
			if (refusals-- > 0) throw new Error(`refused ${what}`);
			done.push(`${what} ${time.nowMs - startMs}`);
		};
		trial = new Trial(startMs, {
			get missing() {
				return missing;
			},
			confirm: () => act("confirm"),
			giveUp: (what) => act(`give up: ${what}`),
		});
		drive = driver.drive("trial", trial);
	});

	const restarting = () => drive.tell(() => trial.restarting());

	it("confirms a firmware that works, after a minute, once", () => {
		time.advance(YOUNG_MS - 1);
		assert.deepEqual(done, []);
		time.advance(1);
		assert.deepEqual(done, [`confirm ${YOUNG_MS}`]);
		missing = "network";
		time.advance(2 * LIMIT_MS);
		restarting();
		assert.deepEqual(done, [`confirm ${YOUNG_MS}`]);
	});

	it("waits for what is missing, until the last moment", () => {
		missing = "network";
		time.advance(LIMIT_MS - 1);
		assert.deepEqual(done, []);
		missing = "";
		time.advance(1);
		assert.deepEqual(done, [`confirm ${LIMIT_MS}`]);
	});

	it("confirms as soon as nothing is missing any more", () => {
		missing = "server";
		time.advance(3 * YOUNG_MS + 1);
		missing = "";
		time.advance(LOOK_MS);
		assert.deepEqual(done, [`confirm ${3 * YOUNG_MS + LOOK_MS}`]);
	});

	it("gives up after ten minutes, with what is missing, once", () => {
		missing = "login";
		time.advance(LIMIT_MS);
		assert.deepEqual(done, [`give up: login ${LIMIT_MS}`]);
		missing = "";
		time.advance(LIMIT_MS);
		restarting();
		assert.equal(done.length, 1);
	});

	it("is confirmed by a restart that somebody asks for, when all works; else that is the way back", () => {
		missing = "network";
		restarting();
		assert.deepEqual(done, []);
		missing = "";
		restarting();
		assert.deepEqual(done, ["confirm 0"]);
		time.advance(LIMIT_MS);
		assert.equal(done.length, 1);
	});

	it("asks flash again that refuses the confirmation, and gives up only once", () => {
		refusals = 2;
		time.advance(YOUNG_MS + 2 * LOOK_MS);
		assert.deepEqual(done, ["refused confirm", "refused confirm", `confirm ${YOUNG_MS + 2 * LOOK_MS}`]);
	});

	it("does not turn round when it can't give up", () => {
		missing = "network";
		refusals = 1;
		time.advance(LIMIT_MS);
		assert.deepEqual(done, ["refused give up: network"]);
		missing = "";
		time.advance(LIMIT_MS);
		assert.equal(done.length, 1);
	});
});
