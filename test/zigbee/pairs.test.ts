/**
 * Every event in every phase of the driver, even impossible ones; then random frames of the chip, by seed. Nothing
 * throws, one request is pending at a time, and the driver works again as soon as the chip behaves correctly.
 */
import assert from "node:assert/strict";
import { ROLE_END_DEVICE, ROLE_ROUTER } from "../../modules/zigbee/radio.js";
import { Bed, FakeChip, frame } from "./chip.js";
import { trace } from "./trace.js";

const MINUTE_MS = 60_000;
const answerByDefault = () => undefined;

/** By phase: makes a driver in this phase, on a chip that leaves the phase's request unanswered. */
const PHASES: Record<string, (role: number, hasLine: boolean) => Bed> = {
	"never started": (role, hasLine) => bedOf(role, hasLine),
	off: (role, hasLine) => {
		const bed = bedOf(role, hasLine).start();
		return bed.call((nowMs) => bed.driver.stop(nowMs)).after(1000);
	},
	"waiting for a reset": (role, hasLine) => {
		const bed = bedOf(role, hasLine);
		bed.chip.isSilent = true;
		return bed.start();
	},
	silent: (role, hasLine) => {
		const bed = bedOf(role, hasLine);
		bed.chip.isSilent = true;
		return bed.start().after(MINUTE_MS);
	},
	"requesting the version": (role, hasLine) => upTo("2102", role, hasLine),
	"requesting the role": (role, hasLine) => upTo("2108", role, hasLine),
	registering: (role, hasLine) => upTo("2400", role, hasLine),
	"beginning to restore": (role, hasLine) => upTo("2f0500", role, hasLine),
	restoring: (role, hasLine) => upTo("2f0500", role, hasLine, ["6f0500"]),
	"requesting the network's state": (role, hasLine) => upTo("2550", role, hasLine),
	"rejected, and waiting": (role, hasLine) => upTo("2400", role, hasLine, ["640001"]),
	joined: (role, hasLine) => bedOf(role, hasLine).start().after(1000),
	"joined and pinging": (role, hasLine) => {
		const bed = bedOf(role, hasLine).start().after(29_000);
		bed.chip.answer = (request) => (request === "2550" ? [] : undefined);
		return bed.after(2000);
	},
	"joined and sending": (role, hasLine) => {
		const bed = bedOf(role, hasLine).start().after(1000);
		bed.chip.answer = (request) => (request.startsWith("2401") ? [] : undefined);
		return bed.send("00");
	},
	"joined and waiting for a confirmation": (role, hasLine) => {
		const bed = bedOf(role, hasLine).start().after(1000);
		bed.chip.answer = (request) => (request.startsWith("2401") ? ["640100"] : undefined);
		return bed.send("00");
	},
	"without its parent": (role, hasLine) => bedOf(role, hasLine).start().after(1000).receive("4f80020500"),
	leaving: (role, hasLine) => {
		const bed = bedOf(role, hasLine).start().after(1000);
		return bed.call((nowMs) => bed.driver.leave(nowMs));
	},
	expelled: (role, hasLine) => bedOf(role, hasLine).start().after(1000).receive("45c90000010a0000004b1200010000"),
	wiping: (role, hasLine) => upTo("2109", role, hasLine, [], (bed, nowMs) => bed.driver.leave(nowMs)),
	pairing: (role, hasLine) => upTo("2109870000", role, hasLine, [], (bed, nowMs) => bed.driver.join(nowMs)),
	"beginning a search": (role, hasLine) => upTo("2f0502", role, hasLine, [], (bed, nowMs) => bed.driver.join(nowMs)),
	looking: (role, hasLine) => upTo("2f0502", role, hasLine, ["6f0500"], (bed, nowMs) => bed.driver.join(nowMs)),
	"between two searches": (role, hasLine) => {
		const bed = bedOf(role, hasLine).start().after(1000);
		return bed.call((nowMs) => bed.driver.join(nowMs)).after(5000);
	},
};

const EVENTS: Record<string, (bed: Bed) => unknown> = {
	start: (bed) => bed.start(),
	stop: (bed) => bed.call((nowMs) => bed.driver.stop(nowMs)),
	join: (bed) => bed.call((nowMs) => bed.driver.join(nowMs)),
	leave: (bed) => bed.call((nowMs) => bed.driver.leave(nowMs)),
	"other clusters": (bed) => bed.call((nowMs) => bed.driver.clustersChanged(nowMs)),
	"a frame to send": (bed) => (bed.driver.canSend ? bed.send("00") : assert.throws(() => bed.send("00"))),
	"an early call": (bed) => bed.driver.advance(bed.nowMs),
	"a chip that is silent for a second": (bed) => silencedFor(bed, 1000),
	"a chip that is silent for a minute": (bed) => silencedFor(bed, MINUTE_MS),
	"a chip that is silent for an hour": (bed) => silencedFor(bed, 60 * MINUTE_MS),
	garbage: (bed) => bed.receive(Uint8Array.from({ length: 300 }, (_, i) => (i * 37) & 0xff)),
	"half a frame": (bed) => bed.receive(frame("4f80000100").subarray(0, 4)),
	"a restart": (bed) => bed.receive("4180000201020701"),
	"two restarts": (bed) => bed.receive("4180000201020701", "4180020201020701"),
	"ten restarts": (bed) => bed.receive(...Array<string>(10).fill("4180000201020701")),
};
for (const { fromChip, body } of trace()) {
	if (fromChip) EVENTS[`${body.slice(0, 4)}, ${body.length / 2} bytes`] = (bed) => bed.receive(body);
}
for (const body of [
	"6000022102",
	"6000",
	"4480e90101",
	"45c9",
	"45c90000010a0000004b1200010000",
	"45c901020304050607080900010001",
	"45c000",
	"45c00a",
	"45c0",
	"4f800205",
	"4f800005",
	"4f80010000",
	"4f80",
	"6550",
	"6102",
	"6108",
	"4481",
	"0000",
	"ffff",
])
	EVENTS[body] = (bed) => bed.receive(body);

function bedOf(role: number, hasLine: boolean): Bed {
	return new Bed({ role, hasLine, chip: new FakeChip().join(role) });
}

/** Starts the driver, calls `then`, and lets `answer` answer requests that begin with `request`. */
function upTo(
	request: string,
	role: number,
	hasLine: boolean,
	answer: readonly string[] = [],
	then?: (bed: Bed, nowMs: number) => void,
): Bed {
	const bed = bedOf(role, hasLine);
	const isIt = (one: string) => (one.startsWith(request) ? answer : undefined);
	if (then === undefined) bed.chip.answer = isIt;
	bed.start().after(1000);
	if (then === undefined) return bed;
	bed.chip.answer = isIt;
	return bed.call((nowMs) => then(bed, nowMs)).after(3500);
}

function silencedFor(bed: Bed, ms: number): void {
	const { answer } = bed.chip;
	bed.chip.answer = () => [];
	bed.after(ms);
	bed.chip.answer = answer;
}

/**
 * Makes the chip behave correctly. Checks that the driver then completes all that it has begun, and that it can join
 * and be turned off. `mayLie`: the chip may have reported wrongly that it is in no network.
 */
function checkRecovers(bed: Bed, where: string, mayLie = false): void {
	bed.chip.answer = answerByDefault;
	bed.chip.isSilent = false;
	bed.after(12 * MINUTE_MS);
	const { state, driver } = bed;
	const isOff = state === "off";
	if (isOff) assert.equal(driver.deadlineMs, Infinity, where);
	else if (!mayLie) assert.equal(state, bed.chip.isJoined ? "joined" : "not_joined", where);
	else assert.ok(state === "joined" || state === "not_joined", `${where}: ${state}`);
	assert.equal(driver.joiningUntilMs, 0, where);
	assert.ok(isOff || !driver.owesLeave, where);
	if (state === "joined") {
		bed.sents.length = 0;
		bed.send("18010a0000");
		assert.deepEqual(bed.sents, [0], where);
	}
	bed.chip.isOpen = true;
	bed
		.start()
		.call((nowMs) => driver.join(nowMs))
		.after(MINUTE_MS);
	assert.equal(bed.state, "joined", where);
	bed.call((nowMs) => driver.stop(nowMs)).after(MINUTE_MS);
	assert.deepEqual([bed.state, driver.deadlineMs], ["off", Infinity], where);
}

describe("The coprocessor's driver in each phase", () => {
	for (const [phase, enter] of Object.entries(PHASES)) {
		for (const hasLine of [false, true]) {
			it(`recovers from every event while ${phase}${hasLine ? ", with a reset line" : ""}`, () => {
				for (const [event, happen] of Object.entries(EVENTS)) {
					const bed = enter(hasLine ? ROLE_END_DEVICE : ROLE_ROUTER, hasLine);
					happen(bed);
					checkRecovers(bed, `${phase}, ${event}`, event.startsWith("4f80"));
				}
			});
		}
	}

	it("has the state that belongs to the phase", () => {
		const states = Object.entries(PHASES).map(([name, enter]) => `${name}: ${enter(ROLE_ROUTER, false).state}`);
		assert.deepEqual(states, [
			"never started: off",
			"off: off",
			"waiting for a reset: starting",
			"silent: silent",
			"requesting the version: starting",
			"requesting the role: starting",
			"registering: starting",
			"beginning to restore: starting",
			"restoring: starting",
			"requesting the network's state: starting",
			"rejected, and waiting: starting",
			"joined: joined",
			"joined and pinging: joined",
			"joined and sending: joined",
			"joined and waiting for a confirmation: joined",
			"without its parent: parent_lost",
			"leaving: leaving",
			"expelled: leaving",
			"wiping: leaving",
			"pairing: joining",
			"beginning a search: joining",
			"looking: joining",
			"between two searches: joining",
		]);
	});
});

/** Reproducible numbers. */
function dice(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 0x100000000) * below);
	};
}

describe("The coprocessor's driver with random frames", () => {
	const frames = trace().flatMap(({ fromChip, body }) => (fromChip ? [Buffer.from(body, "hex")] : []));

	it("survives the trace with bytes changed, cut, repeated and mixed with answers", () => {
		for (let seed = 1; seed <= 150; seed++) {
			const random = dice(seed);
			const role = random(2) === 0 ? ROLE_ROUTER : ROLE_END_DEVICE;
			const bed = Object.values(PHASES)[random(Object.keys(PHASES).length)](role, random(2) === 0);
			for (let i = 0; i < 40; i++) {
				let body = Buffer.from(frames[random(frames.length)]);
				const what = random(6);
				if (what === 0) body = body.subarray(0, 2 + random(body.length - 1));
				else if (what < 4) for (let n = random(4); n >= 0; n--) body[random(body.length)] = random(256);
				const bytes = frame(body.toString("hex"));
				if (what === 5) {
					bytes[random(bytes.length)] ^= 1 << random(8);
					bed.receive(bytes);
				} else bed.receive(body.toString("hex"));
				if (random(3) === 0) bed.after(random(10_000));
				if (random(12) === 0) bed.chip.isSilent = random(2) === 0;
				if (random(20) === 0) bed.call((nowMs) => bed.driver.join(nowMs));
				if (random(8) === 0 && bed.driver.canSend) bed.send("0a");
			}
			checkRecovers(bed, `seed ${seed}`, true);
		}
	});

	it("works despite any loss, delay and duplication of answers", () => {
		for (let seed = 1; seed <= 60; seed++) {
			const random = dice(seed * 7919);
			const bed = new Bed({ chip: new FakeChip().join(), hasLine: random(2) === 0, piece: 1 + random(9) });
			const late: string[] = [];
			let isAsking = false;
			bed.chip.answer = (request) => {
				if (isAsking) return undefined;
				isAsking = true;
				const answers = [...bed.chip.ask(request)];
				isAsking = false;
				const fate = random(8);
				if (fate === 0) return [];
				if (fate === 1) {
					late.push(...answers);
					return [];
				}
				return fate === 2 ? [...answers, ...answers] : answers;
			};
			bed.start();
			for (let i = 0; i < 60; i++) {
				bed.after(random(8000));
				bed.receive(...late.splice(0));
				if (random(4) === 0 && bed.driver.canSend) bed.send("0a0b");
				if (random(25) === 0) bed.call((nowMs) => bed.driver.leave(nowMs));
				if (random(25) === 0) bed.call((nowMs) => bed.driver.join(nowMs));
			}
			checkRecovers(bed, `seed ${seed}`);
		}
	});
});
