/**
 * Improv over serial (Improv Wi-Fi, serial standard 1.0): a program on the computer that has just flashed the unit tells it
 * its network. Bytes of the console and the time go in, packets come out; port.ts is its owner, and is there for good, while
 * one of these is made when something comes, and let go when nothing has come for a while.
 *
 *   state        shown as                                          a command to join   address   wrong password, late
 *   at rest      PROVISIONED in a network, else READY,             joining             –         –
 *                or STOPPED when nothing may be changed
 *   joining      PROVISIONING                                      joining             at rest   at rest, with an error
 *
 * A network that gives no address is given up by the policy of Wi-Fi, as any other that was set (wifi/policy.ts).
 *
 * Who holds the wire may change the network while none is configured, and for CHANGE_MS after each start; the rest may be
 * asked for at any time, and none of it is a secret. A unit that hangs at a computer or a television for its power can so
 * not be moved to another network unnoticed: a start is in the log, and so is the change.
 *
 * Limits: one packet each way; a command is looked at when all is sent that the one before gave.
 */
import { isHostname, isPassword, isSSID, type NetworkSettings } from "../config/network.js";
import { WIFI_HOSTNAME } from "../config/network-fields.js";
import { checkField } from "../config/schema.js";
import type { HostInfo, TextCodec } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import type { NetworkManager } from "../wifi/manager.js";
import { WIFI_WRONG_PASSWORD } from "../wifi/policy.js";
import { ScanCursor } from "../wifi/scan.js";
import { DATA_AT, PACKET_COMMAND, PACKET_ERROR, PACKET_STATE, PacketReader, PacketWriter } from "./packet.js";

/** The name by which an installer knows its own firmware. */
export const FIRMWARE_NAME = "Smart-Meter Gateway";

const STATE_STOPPED = 0;
const STATE_READY = 2;
const STATE_PROVISIONING = 3;
const STATE_PROVISIONED = 4;

const ERROR_PACKET = 1;
const ERROR_COMMAND = 2;
const ERROR_CONNECT = 3;
const ERROR_NOT_ALLOWED = 4;
const ERROR_HOSTNAME = 5;
const ERROR_OTHER = 0xff;

const COMMAND_JOIN = 1;
const COMMAND_STATE = 2;
const COMMAND_INFO = 3;
const COMMAND_SCAN = 4;
const COMMAND_HOSTNAME = 5;
/** The gateway has no other name than that of the network. */
const COMMAND_NAME = 6;
const COMMAND_NETWORK = 7;

/** Flags of COMMAND_NETWORK. */
const IS_ONLINE = 1;
const HAS_WIFI = 2;

/** What is to be sent, in this order, as bits. */
const SEND_ERROR = 1;
const SEND_STATE = 2;
const SEND_RESULT = 4;
const SEND_NETWORKS = 8;

/** Longer than it takes to flash a unit's neighbour and come back. */
const CHANGE_MS = 300_000;
/** The usual client waits for 30 s. */
const JOIN_LIMIT_MS = 25_000;
const LOOK_MS = 250;
/** What of a packet has come by then has no end. */
const GAP_MS = 1000;
const IDLE_MS = 30_000;
/** Bytes of an SSID; one that is longer was no UTF-8. */
const SSID_BYTES = 32;

/** What the machine works on. */
export interface ImprovUnit {
	readonly text: TextCodec;
	readonly info: HostInfo;
	readonly settings: NetworkSettings;
	readonly network: NetworkManager;
	/** Monotonic. */
	readonly startedMs: number;
	/** Where the gateway is reached in the network that it is in. */
	readonly url: string;
	/** `scanned` of the machine follows. False: the radio can't. */
	scan(): boolean;
}

export class ImprovMachine implements Timed {
	readonly #unit: ImprovUnit;
	readonly #reader = new PacketReader();
	readonly #writer: PacketWriter;
	/** SEND_… */
	#toSend = 0;
	#error = ERROR_OTHER;
	/** Whose result is to be sent. */
	#command = 0;
	#networks: ScanCursor | undefined;
	#isScanning = false;
	/** The network that is being joined; "": none is. */
	#ssid = "";
	#joinEndMs = 0;
	/** When it is looked at how that goes. */
	#lookMs = 0;
	#receivedMs = 0;

	constructor(unit: ImprovUnit, nowMs: number) {
		this.#unit = unit;
		this.#writer = new PacketWriter(unit.text);
		this.#receivedMs = nowMs;
	}

	/** The most bytes that `receive` takes next; 0 while there is something to be sent. */
	get wanted(): number {
		return this.#toSend === 0 ? this.#reader.wanted : 0;
	}

	/** Nothing has come for a while, and nobody waits. */
	isIdle(nowMs: number): boolean {
		return nowMs >= this.#receivedMs + IDLE_MS && this.deadlineMs <= nowMs;
	}

	get deadlineMs(): number {
		if (this.#ssid !== "") return this.#lookMs;
		return this.#isScanning || this.#toSend !== 0 ? Number.POSITIVE_INFINITY : this.#receivedMs + IDLE_MS;
	}

	advance(nowMs: number): void {
		if (this.#ssid === "" || nowMs < this.#lookMs) return;
		this.#lookMs = nowMs + LOOK_MS;
		const { network } = this.#unit;
		// What is told of the network before is of no use.
		if (network.isApplying) return;
		if (network.station?.ssid === this.#ssid) {
			this.#ssid = "";
			this.answer(COMMAND_JOIN);
			this.#toSend |= SEND_STATE;
		} else if (network.lastError === WIFI_WRONG_PASSWORD || nowMs >= this.#joinEndMs) {
			this.#ssid = "";
			this.fail(ERROR_CONNECT);
			this.#toSend |= SEND_STATE;
		}
	}

	/** Takes bytes[start..end) of the console, at most `wanted`. May throw what flash does; the error is sent then. */
	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		const reader = this.#reader;
		if (nowMs - this.#receivedMs > GAP_MS) reader.clear();
		this.#receivedMs = nowMs;
		// What is no command may be our own packet that comes back.
		if (!reader.push(bytes, start, end) || reader.type !== PACKET_COMMAND) return;
		if (reader.isSound && reader.end >= DATA_AT + 2 && reader.bytes[DATA_AT + 1] === reader.end - DATA_AT - 2)
			this.carryOut(reader.bytes[DATA_AT], nowMs);
		else this.fail(ERROR_PACKET);
	}

	/** The scan has ended; undefined: it failed. */
	scanned(networks: Uint8Array | undefined): void {
		this.#isScanning = false;
		this.#networks = new ScanCursor(networks ?? new Uint8Array(0), this.#unit.text);
		this.#toSend |= SEND_NETWORKS;
	}

	/** The next packet, which holds still until the next call; undefined: there is none. */
	poll(): PacketWriter | undefined {
		const writer = this.#writer;
		// The lowest of the bits.
		const what = this.#toSend & -this.#toSend;
		if (what !== SEND_NETWORKS) this.#toSend &= ~what;
		if (what === 0) return undefined;
		if (what === SEND_ERROR) writer.byte(PACKET_ERROR, this.#error);
		else if (what === SEND_STATE) writer.byte(PACKET_STATE, this.state(this.#receivedMs));
		else if (what === SEND_RESULT) writer.result(this.#command, this.resultOf(this.#command));
		else writer.result(COMMAND_SCAN, this.nextNetwork());
		return writer;
	}

	private state(nowMs: number): number {
		if (this.#ssid !== "") return STATE_PROVISIONING;
		if (this.#unit.network.station !== undefined) return STATE_PROVISIONED;
		return this.mayChange(nowMs) ? STATE_READY : STATE_STOPPED;
	}

	private mayChange(nowMs: number): boolean {
		const { settings, startedMs } = this.#unit;
		return settings.station === undefined || nowMs - startedMs < CHANGE_MS;
	}

	private carryOut(command: number, nowMs: number): void {
		const hasText = this.#reader.end > DATA_AT + 2;
		switch (command) {
			case COMMAND_JOIN:
				this.join(nowMs);
				break;
			case COMMAND_STATE:
				if (this.state(nowMs) === STATE_PROVISIONED) this.answer(command);
				this.#toSend |= SEND_STATE;
				break;
			case COMMAND_SCAN:
				if (this.#ssid !== "" || !(this.#isScanning || this.#unit.scan())) this.fail(ERROR_OTHER);
				else this.#isScanning = true;
				break;
			case COMMAND_HOSTNAME:
			case COMMAND_NAME:
				if (hasText) this.rename(command, nowMs);
				else this.answer(command);
				break;
			case COMMAND_INFO:
			case COMMAND_NETWORK:
				this.answer(command);
				break;
			default:
				this.fail(ERROR_COMMAND);
		}
	}

	/** The data: SSID and password, each with its length before it. */
	private join(nowMs: number): void {
		const { bytes, end } = this.#reader;
		const ssidAt = DATA_AT + 3;
		const passwordAt = ssidAt + bytes[ssidAt - 1] + 1;
		if (passwordAt > end || passwordAt + bytes[passwordAt - 1] !== end) {
			this.fail(ERROR_PACKET);
			return;
		}
		const { text, settings, network } = this.#unit;
		const ssid = this.textAt(ssidAt, passwordAt - 1);
		const password = this.textAt(passwordAt, end);
		// The settings hold the password: nothing of it stays here.
		bytes.fill(0);
		if (!this.mayChange(nowMs)) this.fail(ERROR_NOT_ALLOWED);
		else if (!isSSID(text, ssid) || !(password === "" || isPassword(text, password)) || !network.isOn)
			this.fail(ERROR_CONNECT);
		else {
			// What is told when flash refuses.
			this.fail(ERROR_OTHER);
			settings.setStation({ ssid, password, dhcp: true }, true);
			this.#ssid = ssid;
			this.#joinEndMs = nowMs + JOIN_LIMIT_MS;
			this.#lookMs = nowMs + LOOK_MS;
			this.#toSend = SEND_STATE;
		}
	}

	private rename(command: number, nowMs: number): void {
		const hostname = this.textAt(DATA_AT + 2, this.#reader.end);
		if (!this.mayChange(nowMs)) this.fail(ERROR_NOT_ALLOWED);
		else if (!isHostname(hostname) || !checkField(WIFI_HOSTNAME, hostname)) this.fail(ERROR_HOSTNAME);
		else {
			this.fail(ERROR_OTHER);
			this.#unit.settings.setHostname(hostname);
			this.#toSend = 0;
			this.answer(command);
		}
	}

	/** What is no UTF-8 is a text that nothing is called. */
	private textAt(start: number, end: number): string {
		try {
			return this.#unit.text.decode(this.#reader.bytes, start, end);
		} catch {
			return "\n";
		}
	}

	private resultOf(command: number): string[] {
		const { info, settings, network, url } = this.#unit;
		const { hostname } = settings;
		const isOnline = network.station !== undefined;
		switch (command) {
			case COMMAND_INFO:
				return [FIRMWARE_NAME, info.firmwareVersion, info.chip, hostname];
			case COMMAND_NETWORK:
				return isOnline ? [String(IS_ONLINE | HAS_WIFI), url] : [String(HAS_WIFI)];
			case COMMAND_JOIN:
			case COMMAND_STATE:
				return [url];
			default:
				return [hostname];
		}
	}

	/** Nothing: there is none any more. Networks that hide their name are left out. */
	private nextNetwork(): string[] {
		const cursor = this.#networks;
		while (cursor?.next()) {
			const { ssid, rssi, authmode } = cursor;
			if (ssid !== "" && this.#unit.text.encode(ssid).length <= SSID_BYTES)
				return [ssid, String(rssi), authmode === 0 ? "NO" : "YES"];
		}
		this.#networks = undefined;
		this.#toSend &= ~SEND_NETWORKS;
		return [];
	}

	private fail(error: number): void {
		this.#error = error;
		this.#toSend |= SEND_ERROR;
	}

	private answer(command: number): void {
		this.#command = command;
		this.#toSend |= SEND_RESULT;
	}
}
