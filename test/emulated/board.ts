/**
 * An emulated board: its firmware, rebuilt after changes, its flash in a folder of its own, one meter at a time at its
 * UART, a Zigbee network if it has a radio, and clients of its API.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Board, findBoard } from "../../hosts/esp32/boards.js";
import { GatewayClient, type JSONReply } from "../../tools/api/client.js";
import { Emulator, freePort, SERVES } from "../../tools/emulate/emulator.js";
import { emulatedBoard, prepareFirmware } from "../../tools/emulate/firmware.js";
import { readBuild } from "../../tools/emulate/flash.js";
import { lacksChip, runHere } from "../../tools/emulate/qemu.js";
import { type EmulatedUnit, openUnit } from "../../tools/emulate/state.js";
import { EMULATED_GATEWAY, findIDF, type Places } from "../../tools/sdk/esp32.js";
import { findSDK } from "../../tools/sdk/sdk.js";
import { readMetrics } from "../api/metrics-text.js";
import { METER, Program } from "../api/process-gateway.js";
import { noteFault } from "../faults.js";
import { ZigbeeNetwork } from "../system/zigbee-network.js";

const START_LIMIT_MS = 300_000;
const LOGIN_LIMIT_MS = 60_000;
const RETRY_MS = 500;
const METRICS_ATTEMPTS = 5;
const REPORT_LIMIT_MS = 120_000;
/** This computer's address in the emulated network. */
export const OUTSIDE = EMULATED_GATEWAY;

/** Free memory of a board in a named state, bytes. */
export interface MemoryRow {
	readonly what: string;
	readonly free: number;
	/** Smallest free memory since power-on. */
	readonly least: number;
	/** Smallest free stack of each task since power-on, bytes. */
	readonly stacks: Readonly<Record<string, number>>;
}

/** Returns a missing requirement for emulating the board, or undefined. */
export function lacking({ chip }: Board): string | undefined {
	try {
		findSDK();
		findIDF();
	} catch (error) {
		return (error as Error).message;
	}
	return lacksChip(chip, runHere)?.reason;
}

export class EmulatedBoard {
	readonly board: Board;
	readonly rows: MemoryRow[] = [];
	readonly folder = mkdtempSync(join(tmpdir(), "emulated-"));
	#places: Places | undefined;
	#unit: EmulatedUnit | undefined;
	#emulator: Emulator | undefined;
	#meter: Program | undefined;
	#network: ZigbeeNetwork | undefined;
	#client: GatewayClient | undefined;
	#agent = new Agent();
	#ports = { httpsPort: 0, httpPort: 0 };

	constructor(name: string) {
		this.board = findBoard(name);
	}

	get places(): Places {
		return this.#places!;
	}

	get emulator(): Emulator {
		return this.#emulator!;
	}

	/** Client that has been logged in since power-on. */
	get client(): GatewayClient {
		return this.#client!;
	}

	get httpsPort(): number {
		return this.#ports.httpsPort;
	}

	/** The network of a board with a radio. */
	get network(): ZigbeeNetwork {
		return this.#network!;
	}

	get hasRadio(): boolean {
		return this.board.zigbee !== undefined;
	}

	/** File with the contents of the flash. */
	get flash(): string {
		return this.#unit!.flash;
	}

	/** Standard error output of the connected meter. */
	get meterLog(): string {
		return this.#meter?.errors ?? "";
	}

	/** Builds the firmware if needed; switches a new unit on. */
	async open(): Promise<void> {
		const log = (text: string) => console.error(`    ${text}`);
		this.#places = await prepareFirmware({ board: this.board, building: "stale", out: undefined, say: log });
		const build = readBuild(join(this.#places.project, "build"));
		this.#unit = openUnit(join(this.folder, "state"), emulatedBoard(this.board), build);
		this.#ports = { httpsPort: await freePort(), httpPort: await freePort() };
		if (this.hasRadio) {
			this.#network = new ZigbeeNetwork();
			await this.#network.start();
		}
		const onLine = (line: string) => noteFault(line);
		const wires = { meterSocket: this.meterSocket, radioPort: this.#network?.port };
		this.#emulator = new Emulator({ board: this.board, ...this.#unit, ...this.#ports, ...wires, onLine });
		await this.powerOn();
	}

	async close(): Promise<void> {
		await this.#meter?.kill();
		await this.#emulator?.kill();
		await this.#network?.stop();
		this.#agent.destroy();
		rmSync(this.folder, { recursive: true, force: true });
	}

	/** `flashLog`: file for a record of the writes to the flash (flash-writes.ts). */
	async powerOn(flashLog?: string): Promise<void> {
		await this.powerOnWithoutTime(flashLog);
		await this.setClock(Date.now());
	}

	/** Switches on, and leaves the clock to the firmware. */
	async powerOnWithoutTime(flashLog?: string): Promise<void> {
		if (this.#network !== undefined) {
			this.#network.watched.events.length = 0;
			this.#network.cutPower();
		}
		this.emulator.start(flashLog);
		await this.serves();
	}

	/** Waits until the firmware has started and serves requests; logs in. */
	async serves(): Promise<void> {
		await this.emulator.untilLine(SERVES, START_LIMIT_MS);
		await this.emulator.untilAnswers(START_LIMIT_MS);
		this.#agent.destroy();
		this.#agent = new Agent({ keepAlive: true, maxSockets: 1 });
		this.#client = new GatewayClient(this.httpsPort, this.#unit!.labelPassword, this.#agent);
		await this.#client.loginWithin(LOGIN_LIMIT_MS);
	}

	/** Cuts the power at once. */
	async cutPower(): Promise<void> {
		this.#agent.destroy();
		await this.emulator.kill();
	}

	/** Calls `begin`, and waits for the restart that it causes. */
	async restarts(begin: () => Promise<unknown>): Promise<void> {
		this.emulator.lines.length = 0;
		await begin();
		this.#agent.destroy();
		await this.serves();
		await this.setClock(Date.now());
	}

	/** A client with a new connection for each request. */
	newVisitor(): GatewayClient {
		return new GatewayClient(this.httpsPort, this.#unit!.labelPassword);
	}

	async setClock(utcMs: number): Promise<void> {
		await this.client.post("system/clock", { timestamp: Math.floor(utcMs / 1000) });
	}

	/** Connects `npm run meter` with these options in place of the last meter. */
	async connectMeter(args: readonly string[]): Promise<void> {
		await this.#meter?.kill();
		this.#meter = new Program("the meter", METER, ["--baud-pace", ...args, "--socket", this.meterSocket]);
		await this.#meter.firstLine();
	}

	/** Silences the meter. Characters sent before still arrive, as fast as the emulator takes them. */
	async silenceMeter(): Promise<void> {
		await this.#meter?.kill();
	}

	/** Sum of the samples. */
	async metric(name: string): Promise<number> {
		const samples = await this.metrics();
		return samples.filter((one) => one.name === name).reduce((sum, { value }) => sum + Number(value), 0);
	}

	/** Reads the metrics; retries, since the gateway may drop the connection for another one. */
	async metrics(): Promise<ReturnType<typeof readMetrics>> {
		let reason = "";
		for (let i = 0; i < METRICS_ATTEMPTS; i++) {
			const reply = await this.client.send("GET", "/api/v1/metrics").catch((error: Error) => error);
			if (!(reply instanceof Error) && reply.status === 200) return readMetrics(reply.text);
			reason = reply instanceof Error ? reply.message : reply.text;
			await sleep(RETRY_MS);
		}
		assert.fail(`no metrics in ${METRICS_ATTEMPTS} attempts: ${reason}`);
	}

	async note(what: string): Promise<MemoryRow> {
		const samples = await this.metrics();
		const one = (name: string) => Number(samples.find((sample) => sample.name === name)?.value);
		const stacks = samples.filter(({ name }) => name === "gateway_least_free_stack_bytes");
		const row = {
			what,
			free: one("gateway_free_heap_bytes"),
			least: one("gateway_least_free_heap_bytes"),
			stacks: Object.fromEntries(stacks.map(({ labels, value }) => [labels["task"], Number(value)])),
		};
		assert.ok(row.free > 0 && row.least > 0, JSON.stringify(row));
		this.rows.push(row);
		return row;
	}

	/**
	 * Waits until the board is in its network, and a report of the energy has arrived at the coordinator. An unchanged
	 * value is reported only once after power-on, so the report may have come before the call.
	 */
	async reports(): Promise<void> {
		await this.until("zigbee/config", ({ state }) => state === "joined");
		await this.network.watched.take("values", ({ values }) => Number(values["energy"]) > 0, REPORT_LIMIT_MS);
	}

	/** Repeats the request every half second until the reply matches. */
	async until(path: string, condition: (reply: JSONReply) => boolean, limitMs = 60_000): Promise<JSONReply> {
		const endMs = performance.now() + limitMs;
		for (;;) {
			const reply = await this.client.get(path);
			if (condition(reply)) return reply;
			assert.ok(performance.now() < endMs, `${path} does not reach the expected state: ${JSON.stringify(reply)}`);
			await sleep(RETRY_MS);
		}
	}

	private get meterSocket(): string {
		return join(this.folder, "meter");
	}
}
