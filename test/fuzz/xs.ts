/**
 * The damaged requests and transmissions of the other fuzz tests, for the whole gateway in XS. The engine keeps
 * running, no internal error is traced, and a good transmission is read after each damaged one. After every hundred,
 * good requests and a readout work on all connections, and no slots leak.
 */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import type { VirtualReply } from "../../hosts/node/virtual-request.js";
import { XSWorld, type XSWorldOptions } from "../../tools/benchmark/xs-world.js";
import { METER_PUSH } from "../../tools/meter/iec-meter.js";
import type { MeterMode } from "../../tools/meter/telegram.js";
import { checkFaults } from "../faults.js";
import { textOf } from "../latin1.js";
import { FaultyMeter, goodMeter, meterTransmissions, PUSH_BAUD } from "./faulty-meter.js";
import { Mutator, runAll } from "./mutator.js";
import {
	CONNECTIONS,
	checkReplies,
	checkSimulated,
	GOOD_ADDRESS,
	LOGIN,
	oddRequest,
	pauseMs,
	WAIT_MS,
} from "./requests.js";
import type { Transmission } from "./transmissions.js";

/** Allowed growth of live slots. */
const SLOTS_MARGIN = 8;
/** Additional growth for each failure code that occurs, because it then has a counter of its own. */
const SLOTS_OF_CODE = 3;
/** Virtual time for the complete reply to a POST, ms; its effects continue in the next step. */
const MOMENT_MS = 100;
/** Virtual time within which every session ends, ms. */
const END_MS = 700_000;
/** Silence that a meter needs before it accepts a sign-on again, ms. */
const QUIET_MS = 2000;

class XSBed {
	readonly xs: XSWorld;
	#slots: number | undefined;
	#baudMax = 9600;

	private constructor(xs: XSWorld) {
		this.xs = xs;
	}

	static async run(options: XSWorldOptions, use: (bed: XSBed) => Promise<void>): Promise<void> {
		const bed = new XSBed(await XSWorld.start(options));
		try {
			await bed.checkGood();
			await use(bed);
			await bed.checkGood();
		} finally {
			await bed.xs.stop();
		}
		checkFaults();
	}

	/** Sends bytes over a new connection, lets time pass, and returns all that was received. */
	async exchange(bytes: Uint8Array, mutator: Mutator): Promise<string> {
		const { xs } = this;
		const client = xs.world.connect();
		const pieces: Uint8Array[] = [];
		mutator.inPieces(bytes, (buffer, start, end) => pieces.push(buffer.slice(start, end)));
		for (const piece of pieces) {
			if (client.isClosed) break;
			client.send(piece);
			if (mutator.random.oneIn(4)) await xs.advance(mutator.random.below(3));
		}
		await xs.advance(pauseMs(mutator, MOMENT_MS));
		const { text } = client;
		client.close();
		await xs.advance(1);
		return text;
	}

	async logIn(): Promise<void> {
		const client = this.#connect();
		this.xs.token = (await this.good("system/login", LOGIN, client)).token;
		client.close();
		await this.xs.advance(1);
	}

	/**
	 * Logs in, opens all connections that the gateway serves, and checks on each that requests work and that a readout
	 * has the simulator's values. Then it checks that the idle gateway has about as many live slots as at the first
	 * call.
	 */
	async checkGood(): Promise<void> {
		const { xs } = this;
		xs.world.serial.meter.connect(undefined);
		await xs.advance(WAIT_MS);
		await this.logIn();
		const clients = Array.from({ length: CONNECTIONS }, () => this.#connect());
		for (const client of clients) {
			await this.good("iec62056/config", { mode_d_enabled: false, battery: false, device_address: "" }, client);
			await this.good("iec62056/control", { simulator_en: true, log_en: true }, client);
			checkSimulated(await this.good("iec62056/read", undefined, client));
		}
		for (const client of clients) client.close();
		await xs.advance(WAIT_MS);
		checkFaults();
		const metrics = await xs.request("metrics");
		assert.equal(metrics.status, 200, metrics.text);
		const codes = metrics.text.split("readout_failures_total{").length - 1;
		const slots = (await xs.slots()) - codes * SLOTS_OF_CODE;
		this.#slots ??= slots;
		assert.ok(slots <= this.#slots + SLOTS_MARGIN, `${slots} slots are alive, ${this.#slots} at first`);
	}

	/** Waits until the meter is silent, or has completed a new push. */
	async awaitSilence(mode: MeterMode): Promise<void> {
		const { time, serial } = this.xs.world;
		const { meter } = serial;
		const pushes = () => meter.meterEvents.filter((event) => event === METER_PUSH).length;
		const before = pushes();
		const isOver = () => (mode === "D" ? pushes() >= before + 2 : time.nowMs - meter.quietSinceMs > QUIET_MS);
		await this.xs.until(isOver, END_MS);
	}

	/** Prepares to read a meter of this mode, without learned settings. */
	async expect(mode: MeterMode): Promise<void> {
		this.#baudMax = this.#baudMax === 9600 ? 19_200 : 9600;
		await this.logIn();
		await this.good("iec62056/control", { simulator_en: false });
		const modeD = { mode_d_enabled: mode === "D", mode_d_baudrate: PUSH_BAUD };
		await this.good("iec62056/config", { ...modeD, baudrate_max: this.#baudMax });
	}

	/** Requests a readout; returns the reply once the session has ended. */
	async readOut(): Promise<VirtualReply> {
		const reply = await this.xs.request("iec62056/read");
		const endMs = this.xs.world.time.nowMs + END_MS;
		while ((await this.good("iec62056/last")).running) {
			assert.ok(this.xs.world.time.nowMs < endMs, "the session does not end");
			await this.xs.advance(1000);
		}
		return reply;
	}

	/** Sends a request over a new connection (or `client`), which must succeed; returns the reply's JSON. */
	// biome-ignore lint/suspicious/noExplicitAny: JSON of the API
	async good(path: string, body?: unknown, client?: VirtualClient): Promise<any> {
		const reply = await this.xs.request(path, { body }, client);
		assert.equal(reply.status, 200, reply.text);
		return reply.json();
	}

	#connect(): VirtualClient {
		return this.xs.world.connect(true, GOOD_ADDRESS);
	}
}

function readingsOf(reply: VirtualReply, name: string): unknown {
	const json = reply.json();
	assert.equal(reply.status, 200, `${name}: ${json.message}`);
	assert.equal(json.status, 0, name);
	return json.readings;
}

/** Checks the reply to a readout that may be damaged: a failure of the meter, or values that were sent, in order. */
function checkDamaged(reply: VirtualReply, sent: readonly Uint8Array[]): void {
	const json = reply.json();
	if (reply.status !== 200) {
		assert.equal(reply.status, 500);
		assert.match(json.error, /^meter_(error|timeout)$/);
		return;
	}
	const values: string[] = json.readings.map(({ value1 }: { value1: string }) => value1);
	const isSent = (bytes: Uint8Array) => {
		const text = textOf(bytes);
		let from = 0;
		return values.every((value) => {
			const found = [`(${value}`, `&${value}`].map((head) => text.indexOf(head, from)).filter((at) => at >= 0);
			from = Math.min(...found) + 1;
			return found.length > 0;
		});
	};
	assert.ok(sent.some(isSent), `${reply.text} was never sent`);
}

export function fuzzRequestsInXS(seed: number, runs: number): Promise<void> {
	return XSBed.run({ seed }, async (bed) => {
		const { xs } = bed;
		let text = "";
		await runAll("requests in XS", seed, runs, async (mutator, run) => {
			if (run % 100 === 99) await bed.checkGood();
			// A damaged request logged out; later requests need a new token.
			else if (text.includes('"unauthorized"')) await bed.logIn();
			const request = oddRequest(mutator, xs.token);
			text = await bed.exchange(request.bytes, mutator);
			checkReplies(text, request);
			checkFaults();
		});
	});
}

/** Transmissions of modes C and D. */
export function fuzzTransmissionsInXS(seed: number, runs: number, lengthLimit: number): Promise<void> {
	const all = meterTransmissions(lengthLimit);
	const goodOf = new Map<Transmission, unknown>();
	const mutator = new Mutator(seed);
	const options = { seed, hardwareParity: mutator.random.oneIn(2), pieceMs: mutator.pick([15, 60]) };
	return XSBed.run(options, async (bed) => {
		const { meter } = bed.xs.world.serial;
		await runAll("transmissions in XS", seed, runs, async (mutator, run) => {
			if (run % 100 === 99) await bed.checkGood();
			const faulty = new FaultyMeter(mutator, all, ["C"]);
			const one = faulty.transmission;
			if (!goodOf.has(one)) {
				meter.connect(goodMeter(one));
				await bed.expect(faulty.mode);
				goodOf.set(one, readingsOf(await bed.readOut(), one.name));
			}
			meter.echo = mutator.random.oneIn(4);
			meter.connect(faulty.machine);
			await bed.expect(faulty.mode);
			checkDamaged(await bed.readOut(), [faulty.damaged, one.bytes]);
			faulty.badOnes = 0;
			await bed.awaitSilence(faulty.mode);
			await bed.expect(faulty.mode);
			const name = `${one.name} after the damaged one`;
			assert.deepEqual(readingsOf(await bed.readOut(), name), goodOf.get(one), name);
			checkFaults();
		});
	});
}
