/**
 * Random load on the firmware in XS on Linux with the device's memory. An owner and strangers, or only strangers, run
 * two to six operations at a time (load-operations.ts), while the meter is read continuously and sometimes replaced.
 * Hub and MQTT use TLS with the longest certificates. The firmware must never restart by itself, log an exception or
 * exceed its limits. Mode "everything" also has a Zigbee radio, live values and changes of all settings
 * (load-everything.ts), and compares the memory at rest before and after the load.
 *
 * SEED in the environment repeats a run, as far as the computer's timing permits; MINUTES sets its duration.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "../../hosts/node/random.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import type { Reply } from "../api/gateway.js";
import { type Memory, ProcessGateway, RESTARTED } from "../api/process-gateway.js";
import { publicKeyFile } from "../api/report-key.js";
import { Simulation } from "../history/simulation.js";
import { NAMES } from "../history/unit.js";
import { SIGNER } from "../update/firmware-files.js";
import { iecVectors } from "../vectors.js";
import { INTERNAL, LoadClient } from "./load-client.js";
import { Everything } from "./load-everything.js";
import { OBJECTS, type Operations, ownerOperations, strangerOperations } from "./load-operations.js";
import { LoadPeers } from "./load-peers.js";
import { ANY, DLMS, EVERYTHING, STACK_RESERVE } from "./memory-limits.js";

/** Number of operation groups before the meter is replaced. */
const METER_GROUPS = 25;
/** One in this many groups has strangers only. */
const STRANGER_GROUPS = 3;
/** Largest number of additional operations in such a group. */
const STRANGERS = 5;
/** Limit of a group, ms: a readout in it may wait a minute. */
const GROUP_MS = 75_000;
const MEMORY_MS = 20_000;
/**
 * Seconds within which a request refused for lack of memory must succeed. With everything on, a restore was refused for
 * more than a minute once; which claims held the memory is not known.
 */
const PATIENCE = 180;
const SHORT_MINUTES = 3;
const TALK_MS = 60_000;
/** Number of operation groups before the radio is turned off and on, in mode "everything"; both restart the gateway. */
const RADIO_GROUPS = 60;
/** Time until a gateway without requests is at rest, and for which it is observed then, ms. */
const REST_MS = 15_000;
const OBSERVED_MS = 20_000;
/** Permitted growth of the slots at rest; it was 161 after 346 groups. */
const SLOTS_MARGIN = 250;
/** Pause between readouts in mode "everything", at most, ms: hub and MQTT send in it. */
const READ_PAUSE_MS = 6000;
/** Number of tokens that a gateway stores. */
const TOKENS = 3;
const DAY = 86_400;

/** A line of an exception that the gateway has caught. */
const FAULT = /^fault: /m;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

/** Protocol and arguments of each simulated meter; undefined arguments stand for the longest capture. */
const METERS: readonly (readonly [protocol: string, args: readonly string[] | undefined])[] = [
	["dlms", ["--protocol", "dlms", "--mode-e", "--quiet"]],
	["dlms", ["--protocol", "dlms", "--mode-e", "--baud-pace", "--quiet"]],
	["dlms", ["--protocol", "dlms", "--mode-e", "--baud-pace", "--odd-types", "--general-glo", "--quiet"]],
	["iec62056", ["--profile", "programming", "--quiet"]],
	["dlms", ["--protocol", "sml", "--push-seconds", "2", "--quiet"]],
	["iec62056", ["--protocol", "dlms-push", "--push-seconds", "3", "--quiet"]],
	["iec62056", ["--protocol", "p1", "--quiet"]],
	["iec62056", undefined],
];

export interface LoadOptions {
	readonly mode: "client" | "ap" | "everything";
	readonly seed: number;
	readonly minutes: number;
}

/** Seed and minutes from the environment; by default, a random seed and `minutes`. */
export function loadOptions(mode: LoadOptions["mode"], minutes: number): LoadOptions {
	const { SEED, MINUTES } = process.env;
	return { mode, seed: Number(SEED ?? Date.now() % 1_000_000), minutes: Number(MINUTES ?? minutes) };
}

export class RandomLoad {
	readonly #options: LoadOptions;
	readonly #random: SeededRandom;
	readonly #folder = mkdtempSync(join(tmpdir(), "load-"));
	readonly #statuses = new Map<number, number>();
	#gateway!: ProcessGateway;
	#peers!: LoadPeers;
	#owner: Operations = {};
	#strangers: Operations = {};
	#highest: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };
	#readouts = 0;
	#groups = 0;
	/** Operation whose reply was INTERNAL. */
	#failed = "";
	#meter = "";
	#protocol = "";
	#meterArgs: readonly string[] | undefined;
	#everything: Everything | undefined;
	#restBefore: Memory | undefined;
	#rested = "";
	#isOver = false;

	private constructor(options: LoadOptions) {
		this.#options = options;
		this.#random = new SeededRandom(options.seed);
	}

	/** Starts and configures the firmware with everything on, the longest capture and months of history. */
	static async start(options: LoadOptions): Promise<RandomLoad> {
		const load = new RandomLoad(options);
		console.log(`      seed ${options.seed}, mode ${options.mode}, ${options.minutes} min`);
		try {
			await load.#start();
		} catch (error) {
			await load.stop().catch(() => {});
			throw error;
		}
		return load;
	}

	async stop(): Promise<void> {
		this.#isOver = true;
		await this.#everything?.stop();
		await this.#gateway?.stop();
		this.#peers?.stop();
		rmSync(this.#folder, { recursive: true, force: true });
	}

	/** Runs the load for the set minutes; throws at the first restart or exceeded limit. */
	async run(): Promise<void> {
		const endMs = Date.now() + this.#options.minutes * 60_000;
		let talkMs = Date.now() + TALK_MS;
		const reading = this.#readOn();
		try {
			while (Date.now() < endMs) {
				if (this.#groups % METER_GROUPS === 0) await this.#changeMeter();
				if (this.#groups % RADIO_GROUPS === RADIO_GROUPS - 1) await this.#turnRadioOffAndOn();
				await this.#runGroup();
				if (Date.now() > talkMs) {
					talkMs = Date.now() + TALK_MS;
					console.log(`      ${this.summary}`);
				}
			}
		} finally {
			this.#isOver = true;
		}
		await reading;
		await sleep(3000);
		// A short run may by chance include no readout and no message.
		const isShort = this.#options.minutes < SHORT_MINUTES;
		const mayBeSilent = isShort || this.#options.mode === "ap";
		assert.ok(this.#readouts > 0 || isShort, "the meter could not be read");
		assert.ok(this.#peers.hubRequests > 0 || mayBeSilent, "the hub received nothing");
		assert.ok(this.#peers.messages > 0 || mayBeSilent, "nothing was published");
		assert.ok((this.#everything?.zigbeeMessages ?? 1) > 0, "the coordinator received nothing");
		assert.ok((this.#everything?.liveValues ?? 1) > 0 || isShort, "no live values were received");
		// All memory must be free again, even for the largest request.
		await this.#logIn();
		await this.#served(() => this.#gateway.post("dlms/obis", OBJECTS));
		this.#checkIsAlive("its end");
		await this.#compareRest();
	}

	get summary(): string {
		const { slots, chunks, stack, stackLimit } = this.#highest;
		const statuses = JSON.stringify(Object.fromEntries(this.#statuses));
		const { hubRequests, messages } = this.#peers;
		return (
			`${slots} slots, ${chunks} bytes, stack ${stack} of ${stackLimit}; ${this.#groups} groups, ` +
			`${this.#readouts} readouts, ${hubRequests} to the hub, ${messages} messages; replies ${statuses}` +
			`${this.#everything === undefined ? "" : `; ${this.#everything.summary}`}${this.#rested}`
		);
	}

	async #start(): Promise<void> {
		const { mode } = this.#options;
		if (mode === "everything") this.#everything = await Everything.start();
		const everything = this.#everything;
		const updateKey = join(this.#folder, "update.pem");
		writeFileSync(updateKey, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
		const args = ["--update-key", updateKey, "--report-key", publicKeyFile(this.#folder), ...(everything?.args ?? [])];
		this.#peers = await LoadPeers.start(this.#random);
		this.#gateway = await ProcessGateway.start("linux", { mode: mode === "ap" ? "ap" : "client", args });
		const gateway = this.#gateway;
		await gateway.login();
		const endS = (Math.floor(Date.now() / (DAY * 1000)) - 0.5) * DAY;
		const simulation = new Simulation({ seed: 1, registers: NAMES }, endS - 100 * DAY);
		simulation.run(endS);
		mkdirSync(join(gateway.stateFolder, "partitions"), { recursive: true });
		writeFileSync(join(gateway.stateFolder, "partitions", "history"), simulation.unit.partition.bytes);
		if (mode === "ap") gateway.setAir(Array.from({ length: 40 }, networkLine).join(""));
		for (let i = 0; i < TOKENS; i++) await this.#set("system/tokens", { name: `${i}`.padEnd(32, "n") });
		await everything?.join(gateway, (path, settings) => this.#set(path, settings));
		await this.#configure();
		const backup = (await this.#served(() => gateway.get("system/backup"))).text;
		await gateway.connectMeter({ telegram: longest.telegram });
		await this.#served(() => gateway.get("iec62056/read"));
		const random = this.#random;
		const peers = this.#peers;
		this.#owner = ownerOperations({ gateway, random, peers, backup, isAccessPoint: mode === "ap" });
		this.#strangers = strangerOperations({ gateway, random });
		if (everything === undefined) return;
		const meter = { protocol: () => this.#protocol, connectMeter: () => this.#connectMeter() };
		this.#owner = { ...this.#owner, ...everything.operations({ gateway, random, peers, backup, ...meter }) };
		this.#restBefore = await this.#atRest();
		everything.follow(gateway);
	}

	/** Sends all settings that the load changes. */
	async #configure(): Promise<void> {
		await this.#set("iec62056/control", { log_en: true });
		await this.#set("meter/protocol", { protocol: "iec62056" });
		await this.#set("system/timezone", { timezone: "America/Argentina/Buenos_Aires" });
		await this.#set("dlms/config", DLMS);
		await this.#set("dlms/obis", JSON.parse(OBJECTS));
		await this.#set("mqtt", this.#peers.mqttSettings);
		await this.#set("hub", this.#peers.hubSettings);
		await this.#everything?.turnOn((path, settings) => this.#set(path, settings), this.#peers);
	}

	/** Compares the memory at rest with the memory at rest before the load. */
	async #compareRest(): Promise<void> {
		const before = this.#restBefore;
		if (before === undefined) return;
		this.#meterArgs = undefined;
		await this.#everything?.rest();
		await this.#connectMeter();
		await this.#logIn();
		await this.#configure();
		await this.#served(() => this.#gateway.get("iec62056/read"));
		const { slots } = await this.#atRest();
		this.#rested = `; at rest ${before.slots} slots, then ${slots}`;
		assert.ok(slots <= before.slots + SLOTS_MARGIN, `${slots} slots at rest, ${before.slots} before the load`);
	}

	/** Lowest use of memory while no client sends anything; scheduled readouts go on. */
	async #atRest(): Promise<Memory> {
		await sleep(REST_MS);
		let lowest = await this.#gateway.memory();
		for (const endMs = Date.now() + OBSERVED_MS; Date.now() < endMs; await sleep(1000)) {
			const memory = await this.#gateway.memory();
			if (memory.slots < lowest.slots) lowest = memory;
		}
		return lowest;
	}

	#set(path: string, settings: object): Promise<Reply> {
		return this.#served(() => this.#gateway.post(path, settings), `POST ${path}`);
	}

	/** Repeats a request while hub and MQTT use the memory, and after a lost connection. */
	async #served(send: () => Promise<Reply>, what = "a request"): Promise<Reply> {
		let reply: Reply | undefined;
		for (let tries = 0; tries <= PATIENCE && (reply === undefined || reply.status === 503); tries++) {
			if (tries > 0) await sleep(1000);
			reply = await send().catch(() => undefined);
			this.#checkIsAlive(what);
		}
		if (reply?.status === 200) return reply;
		const memory = JSON.stringify(await this.#gateway.memory());
		const status = await this.#gateway.get("system/status").catch(() => undefined);
		const state = `memory ${memory}, status ${status?.text}`;
		assert.fail(`${what}: ${reply?.text ?? "no reply"}, ${state}\n${this.#gateway.diagnosis}`);
	}

	/** Reads the meter continuously. */
	async #readOn(): Promise<void> {
		const client = new LoadClient(this.#gateway);
		const request = { secure: this.#options.mode !== "ap", path: "iec62056/read" };
		while (!this.#isOver) {
			if ((await client.whole(request)) !== 200) await sleep(200 + this.#random.below(400));
			else {
				this.#readouts++;
				if (this.#everything !== undefined) await sleep(this.#random.below(READ_PAUSE_MS));
			}
		}
	}

	async #changeMeter(): Promise<void> {
		const gateway = this.#gateway;
		const [protocol, args] = METERS[this.#random.below(METERS.length)];
		this.#meter = args?.join(" ") ?? "the longest capture";
		this.#meterArgs = args;
		this.#protocol = protocol;
		await this.#everything?.losses.over();
		await this.#connectMeter();
		await this.#logIn();
		const client = new LoadClient(gateway);
		const body = JSON.stringify({ protocol });
		const request = { secure: true, method: "POST", path: "meter/protocol", body } as const;
		for (let tries = 0; tries < 10 && (await client.whole(request)) !== 200; tries++) await sleep(500);
	}

	async #connectMeter(): Promise<void> {
		const args = this.#meterArgs;
		if (args === undefined) await this.#gateway.connectMeter({ telegram: longest.telegram });
		else await this.#gateway.connectProgram(args);
	}

	/** Turns the radio off and on by its route, which restarts the gateway each time. */
	async #turnRadioOffAndOn(): Promise<void> {
		if (this.#everything === undefined) return;
		const gateway = this.#gateway;
		await this.#logIn();
		const { enabled } = JSON.parse((await this.#served(() => gateway.get("zigbee/config"))).text);
		for (const next of enabled ? [false, true] : [true]) {
			await this.#set("zigbee/config", { enabled: next });
			await gateway.rebooted();
			await this.#logIn();
		}
	}

	/** Logs in, again if necessary: another session may replace this one, and strangers delay a login. */
	async #logIn(): Promise<void> {
		const client = new LoadClient(this.#gateway);
		for (let tries = 0; tries < 60; tries++) {
			const status = await client.whole({ secure: true, path: "system/status" });
			if (status === 200) return;
			if (status === 401) await this.#gateway.login().catch(() => {});
			await sleep(1000);
		}
		assert.fail(`nobody can log in\n${this.#gateway.diagnosis}`);
	}

	async #runGroup(): Promise<void> {
		const random = this.#random;
		const isSiege = this.#groups % STRANGER_GROUPS === 0;
		const all = isSiege ? this.#strangers : { ...this.#owner, ...this.#strangers };
		const names = Object.keys(all);
		const count = isSiege ? STRANGERS + random.below(6) : 2 + random.below(5);
		const group = Array.from({ length: count }, () => names[random.below(names.length)]);
		const what = `${group.join(", ")}; ${this.#meter}`;
		const running: Promise<void>[] = [];
		for (const name of group) {
			const countStatus = (status: number) => {
				if (status === INTERNAL) this.#failed = name;
				this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
			};
			running.push(all[name]().then(countStatus));
			if (random.oneIn(2)) await sleep(random.below(60));
		}
		for (let looks = random.below(3); looks > 0; looks--) {
			await sleep(random.below(350));
			await this.#measure(what);
		}
		const isDone = await Promise.race([Promise.all(running), sleep(GROUP_MS, undefined, { ref: false })]);
		this.#checkIsAlive(what);
		assert.ok(isDone !== undefined, `no end of ${what}\n${this.#gateway.diagnosis}`);
		this.#groups++;
	}

	async #measure(what: string): Promise<void> {
		const memory = await Promise.race([this.#gateway.memory(), sleep(MEMORY_MS, undefined, { ref: false })]);
		this.#checkIsAlive(what);
		if (memory === undefined) assert.fail(`the firmware does not report its memory: ${what}`);
		const { slots, chunks, stack, stackLimit } = memory;
		const highest = this.#highest;
		this.#highest = {
			slots: Math.max(slots, highest.slots),
			chunks: Math.max(chunks, highest.chunks),
			stack: Math.max(stack, highest.stack),
			stackLimit,
		};
		const where = `with seed ${this.#options.seed}, group ${this.#groups}: ${what}`;
		const limit = this.#everything === undefined ? ANY : EVERYTHING;
		assert.ok(slots <= limit.slots, `${slots} slots, ${limit.slots} are allowed, ${where}`);
		assert.ok(chunks <= limit.chunks, `${chunks} bytes of chunks, ${limit.chunks} are allowed, ${where}`);
		assert.ok(stack <= stackLimit - STACK_RESERVE, `${stack} slots of stack, of ${stackLimit}, ${where}`);
	}

	#checkIsAlive(what: string): void {
		const { diagnosis } = this.#gateway;
		const hasEnded = RESTARTED.test(diagnosis);
		const where = `with seed ${this.#options.seed}, group ${this.#groups}: ${what}\n${diagnosis}`;
		assert.ok(!hasEnded, `the firmware ended ${where}`);
		assert.ok(!FAULT.test(diagnosis), `an exception was caught ${where}`);
		assert.equal(this.#failed, "", `the reply to "${this.#failed}" is ${INTERNAL} ${where}`);
	}
}

/** A line for a network with the longest name, for `air.txt` (hosts/simulated/air.ts). */
function networkLine(_: unknown, index: number): string {
	return `${"é".repeat(14)}${String(index).padStart(4, "0")} -${30 + index} ${1 + (index % 13)} pw${index}\n`;
}
