/**
 * The console in the hands of Improv: there for good, with as little memory as can be. When something comes, a machine
 * (machine.ts) and its drive are made, and let go when they have nothing to do any more.
 */
import type { NetworkSettings } from "../config/network.js";
import type { Drive, Driven, Driver } from "../io/driver.js";
import {
	CONSOLE_ROOM,
	FORMAT_8N1,
	type HostInfo,
	SERIAL_ERROR_GONE,
	type Serial,
	type SerialOptions,
	type SerialPort,
	type TextCodec,
} from "../io/host.js";
import type { NetworkManager } from "../wifi/manager.js";
import type { ScanWaiter } from "../wifi/policy.js";
import { ImprovMachine, type ImprovUnit } from "./machine.js";

const BAUD = 115_200;
const HTTPS_PORT = 443;
const PIECE = 64;

export interface ImprovWorld {
	readonly driver: Driver;
	readonly text: TextCodec;
	readonly info: HostInfo;
}

/** The gateway, as it is at each moment. */
export interface ImprovGateway {
	/** Undefined where there is no radio. */
	readonly network: NetworkManager | undefined;
	readonly httpsPort: number;
}

/** What the host is given: an object for it takes three slots, closures would take a dozen. */
class ConsoleOptions implements SerialOptions {
	readonly #owner: ImprovPort;

	constructor(owner: ImprovPort) {
		this.#owner = owner;
	}

	get baud(): number {
		return BAUD;
	}

	get format(): typeof FORMAT_8N1 {
		return FORMAT_8N1;
	}

	onReadable(): void {
		this.#owner.readable();
	}

	onWritable(count: number): void {
		this.#owner.writable(count);
	}

	onError(code: number): void {
		if (code === SERIAL_ERROR_GONE) this.#owner.close();
	}
}

export class ImprovPort implements Driven, ScanWaiter, ImprovUnit {
	readonly #world: ImprovWorld;
	readonly #gateway: ImprovGateway;
	readonly settings: NetworkSettings;
	readonly startedMs: number;
	readonly #serial: Serial;
	/** Bytes that may be written; -1: it is closed. */
	#room = 0;
	/** The two are there together. */
	#machine: ImprovMachine | undefined;
	#drive: Drive | undefined;

	/** Throws when the port can't be opened. */
	constructor(port: SerialPort, world: ImprovWorld, settings: NetworkSettings, gateway: ImprovGateway) {
		this.#world = world;
		this.#gateway = gateway;
		this.settings = settings;
		this.startedMs = world.driver.nowMs();
		this.#serial = new port.io(Object.assign(new ConsoleOptions(this), port.pins));
	}

	/** For ImprovMachine, as what follows. */
	get text(): TextCodec {
		return this.#world.text;
	}

	get info(): HostInfo {
		return this.#world.info;
	}

	get network(): NetworkManager {
		return this.#gateway.network!;
	}

	get url(): string {
		const { network, httpsPort } = this.#gateway;
		const port = httpsPort === HTTPS_PORT ? "" : `:${httpsPort}`;
		return `https://${network?.station?.ip ?? ""}${port}`;
	}

	scan(): boolean {
		return this.network.scan(this);
	}

	/** For NetworkManager. */
	scanned(networks: Uint8Array | undefined): void {
		this.#drive?.run(() => this.#machine?.scanned(networks));
	}

	/** For ConsoleOptions. */
	readable(): void {
		if (this.#room < 0) return;
		const { driver } = this.#world;
		this.#machine ??= new ImprovMachine(this, driver.nowMs());
		this.#drive ??= driver.drive("improv", this);
		this.read();
	}

	/** For ConsoleOptions. */
	writable(count: number): void {
		this.#room = count;
		this.#drive?.run(changeNothing);
		this.read();
	}

	get deadlineMs(): number {
		return this.#machine?.deadlineMs ?? Number.POSITIVE_INFINITY;
	}

	advance(nowMs: number): void {
		this.#machine?.advance(nowMs);
	}

	/** For the driver: sends what there is to send. */
	drain(nowMs: number): void {
		const machine = this.#machine;
		while (machine !== undefined && this.#room >= CONSOLE_ROOM) {
			const packet = machine.poll();
			if (packet === undefined) break;
			this.#room = this.#serial.write(packet.bytes, 0, packet.length);
		}
		if (machine?.isIdle(nowMs)) this.rest();
	}

	close(): void {
		if (this.#room < 0) return;
		this.#room = -1;
		this.rest();
		this.#serial.close();
	}

	/** Takes what has come, as far as the answers to it can be sent: the rest waits with the host. */
	private read(): void {
		const machine = this.#machine;
		const drive = this.#drive;
		if (machine === undefined || drive === undefined) return;
		const piece = new Uint8Array(PIECE);
		let isMore = true;
		while (isMore) {
			// Where nothing runs any more there is no more.
			isMore = false;
			drive.run((nowMs) => {
				const { wanted } = machine;
				const count = wanted === 0 ? undefined : this.#serial.read(piece, 0, Math.min(PIECE, wanted));
				if (count === undefined) return;
				isMore = true;
				machine.receive(piece, 0, count, nowMs);
			});
		}
	}

	private rest(): void {
		if (this.#machine !== undefined) this.network.cancelScan(this);
		this.#drive?.stop();
		this.#drive = undefined;
		this.#machine = undefined;
	}
}

/** The port has something, not the machine. */
function changeNothing(): void {}
