/**
 * Improv over serial (Improv Wi-Fi, serial standard 1.0) on the console: the computer that has flashed the unit
 * configures its network. Packet, in both directions:
 *
 *     offset  bytes  contents
 *     0       6      "IMPROV"
 *     6       1      version, 1
 *     7       1      type: 1 state, 2 error, 3 command, 4 result
 *     8       1      length of the data
 *     9       ...    data; in a command or result: command, length of the rest, then strings, each after its length
 *     then    1      sum of all before it, modulo 256
 *
 * Line ends surround outgoing packets, because the usual client ignores a packet after text on its line. That client
 * also mistakes a length of 10 for a line end, so no outgoing result has 10 bytes of data.
 *
 * The network may be changed while none is configured, and for CHANGE_MS after each start. A computer or television
 * that powers the unit can't change the network unnoticed, because the log has each start and each change.
 *
 * Limit: one packet at a time in each direction.
 */

import { checkField } from "../config/schema.js";
import type { Core } from "../core/core.js";
import type { ScheduledMachine, Task } from "../io/driver.js";
import { CONSOLE_ROOM, FORMAT_8N1, type Serial, type SerialOptions, type SerialPort } from "../io/host.js";
import { WIFI_WRONG_PASSWORD } from "../network/failures.js";
import type { NetworkManager } from "../network/manager.js";
import { APPLY_DELAY_MS, type ScanCallback } from "../network/policy.js";
import { ScanCursor } from "../network/scan.js";
import { WIFI_HOSTNAME } from "../parts/network/fields.js";
import { isHostname, isPassword, isSSID, type NetworkSettings } from "../parts/network/settings.js";
import { FilePieces } from "../parts/provision/file-pieces.js";
import { PRODUCT } from "../product/product.js";
import { SETTINGS_FILES } from "../provision/settings-files.js";

const START = "IMPROV\u0001";
const TYPE_AT = 7;
const LENGTH_AT = 8;
const DATA_AT = 9;
const TEXTS_AT = 11;
const PACKET_LIMIT = DATA_AT + 255 + 1;
const LINE_END = 10;

const PACKET_STATE = 1;
const PACKET_ERROR = 2;
const PACKET_COMMAND = 3;
const PACKET_RESULT = 4;

/** No network is configured, and none may be set now. */
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
/** Reads or sets the device name, which is the host name in the network. */
const COMMAND_NAME = 6;
const COMMAND_NETWORK = 7;
/** Our own command: a piece of a settings file (parts/provision/file-pieces.ts). */
const COMMAND_FILE = 240;

/** Flags of COMMAND_NETWORK, as text. */
const IS_ONLINE = 1;
const HAS_WIFI = 2;
const HAS_CABLE = 4;

const CHANGE_MS = 300_000;
/** Time limit for joining a network. It is below the 30 s of the usual client. */
const JOIN_LIMIT_MS = 25_000;
const LOOK_MS = 250;
/** Longest pause between two bytes of a packet. */
const GAP_MS = 1000;
const IDLE_MS = 30_000;
/** Maximum length of an SSID in a result. Replacement of invalid UTF-8 can make it longer than 32 bytes. */
const SSID_BYTES = 32;

const BAUD = 115_200;
const HTTPS_PORT = 443;

export type ImprovDeps = Pick<Core, "driver" | "text" | "info" | "ledger" | "find">;

export interface ImprovGateway {
	readonly network: NetworkManager | undefined;
	readonly httpsPort: number;
}

/** The object is also the options of the serial port, because closures would take 20 XS slots. */
export class Improv implements SerialOptions {
	readonly baud = BAUD;
	readonly format = FORMAT_8N1;
	readonly deps: ImprovDeps;
	readonly settings: NetworkSettings;
	readonly gateway: ImprovGateway;
	/** End of the time in which the network may be changed, monotonic ms. */
	readonly changeEndMs: number;
	readonly serial: Serial;
	/** Number of bytes that the host accepts now. */
	room = 0;
	session: ImprovSession | undefined;

	/** Throws if the port can't be opened. */
	constructor(port: SerialPort, deps: ImprovDeps, settings: NetworkSettings, gateway: ImprovGateway) {
		this.deps = deps;
		this.settings = settings;
		this.gateway = gateway;
		this.changeEndMs = deps.driver.nowMs() + CHANGE_MS;
		this.serial = new port.io(this, port.pins);
	}

	mayChange(nowMs: number): boolean {
		return this.settings.station === undefined || nowMs < this.changeEndMs;
	}

	onReadable(): void {
		this.session ??= new ImprovSession(this);
		this.session.go();
	}

	onWritable(count: number): void {
		this.room = count;
		this.session?.go();
	}

	close(): void {
		this.session?.end();
		this.serial.close();
	}
}

/**
 * Session with the computer. The table shows its states, the Improv state that is sent, and the next state after an
 * event.
 *
 *     state     shown as                                     command to join   address   wrong password, timeout
 *     at rest   PROVISIONED in a network, else READY,        joining           –         –
 *               or STOPPED when changes are not allowed
 *     joining   PROVISIONING                                 joining           at rest   at rest, with an error
 *
 * The Wi-Fi policy (network/policy.ts) leaves a network that assigns no address.
 */
class ImprovSession implements ScheduledMachine, ScanCallback {
	deadlineMs: number;
	readonly #improv: Improv;
	readonly #task: Task;
	readonly #packet = new Uint8Array(PACKET_LIMIT);
	#length = 0;
	#receivedMs: number;
	/** Complete packets that wait to be sent. */
	readonly #answer = new Uint8Array(CONSOLE_ROOM);
	#answerLength = 0;
	#isScanning = false;
	/** Visible networks that were not sent yet. */
	#networks: ScanCursor | undefined;
	/** SSID of the network that is being joined; "" if none. */
	#ssid = "";
	#joinEndMs = 0;
	#pieces: FilePieces | undefined;

	constructor(improv: Improv) {
		const { driver } = improv.deps;
		this.#improv = improv;
		this.#receivedMs = driver.nowMs();
		this.deadlineMs = this.#receivedMs + IDLE_MS;
		this.#task = driver.register("improv", this);
	}

	go(): void {
		this.#task.fromHost((nowMs) => this.receive(nowMs));
	}

	end(): void {
		const { gateway } = this.#improv;
		this.#task.stop();
		this.#improv.session = undefined;
		gateway.network!.cancelScan(this);
		if (SETTINGS_FILES) this.#pieces?.close();
	}

	advance(nowMs: number): void {
		const { station, lastError } = this.#improv.gateway.network!;
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = nowMs + LOOK_MS;
		if (this.#ssid === "") {
			this.deadlineMs += IDLE_MS;
			if (!this.#isScanning) this.end();
		} else if (station?.ssid === this.#ssid) {
			this.#ssid = "";
			this.show(nowMs);
			this.answer(COMMAND_JOIN);
		} else if (lastError === WIFI_WRONG_PASSWORD || nowMs >= this.#joinEndMs) {
			this.#ssid = "";
			this.put(PACKET_ERROR, ERROR_CONNECT);
			this.show(nowMs);
		}
	}

	drain(): void {
		const improv = this.#improv;
		if (improv.room < CONSOLE_ROOM) return;
		if (this.#networks !== undefined && this.#answerLength === 0) this.putNetwork(this.#networks);
		if (this.#answerLength === 0) return;
		improv.room = improv.serial.write(this.#answer, 0, this.#answerLength);
		this.#answerLength = 0;
	}

	scanned(networks: Uint8Array | undefined): void {
		this.#task.fromHost(() => {
			this.#isScanning = false;
			this.#networks = new ScanCursor(networks ?? new Uint8Array(0), this.#improv.deps.text);
		});
	}

	/** Throws the exceptions of flash to the caller, after it has queued the error packet. */
	private receive(nowMs: number): void {
		const packet = this.#packet;
		if (SETTINGS_FILES) this.#pieces?.close(nowMs);
		while (this.#answerLength === 0 && this.#networks === undefined) {
			const end = this.#length < DATA_AT ? DATA_AT : DATA_AT + packet[LENGTH_AT] + 1;
			const count = this.#improv.serial.read(packet, this.#length, end);
			if (count === undefined) return;
			if (nowMs > this.#receivedMs + GAP_MS) {
				packet.copyWithin(0, this.#length, this.#length + count);
				this.#length = 0;
			}
			this.#receivedMs = nowMs;
			if (this.#ssid === "") this.deadlineMs = nowMs + IDLE_MS;
			this.#length += count;
			// Text or noise before a packet is skipped.
			for (let i = 0; i < this.#length && i < START.length; i++) {
				if (packet[i] === START.charCodeAt(i)) continue;
				packet.copyWithin(0, 1, this.#length--);
				i = -1;
			}
			if (this.#length <= DATA_AT || this.#length <= DATA_AT + packet[LENGTH_AT]) continue;
			this.#length = 0;
			this.take(nowMs);
		}
	}

	private take(nowMs: number): void {
		const packet = this.#packet;
		const end = DATA_AT + packet[LENGTH_AT];
		if (packet[TYPE_AT] !== PACKET_COMMAND) return;
		let error = ERROR_PACKET;
		try {
			if (sumOf(packet, 0, end) === packet[end] && TEXTS_AT + packet[TEXTS_AT - 1] === end) {
				error = ERROR_OTHER;
				error = this.carryOut(packet[DATA_AT], end, nowMs);
			}
		} finally {
			// A command may contain the password.
			packet.fill(0);
			if (error !== 0) this.put(PACKET_ERROR, error);
		}
	}

	/** Returns ERROR_…, or 0 on success. */
	private carryOut(command: number, end: number, nowMs: number): number {
		const { settings, gateway, deps } = this.#improv;
		const network = gateway.network!;
		const { text } = deps;
		const mayChange = this.#improv.mayChange(nowMs);
		switch (command) {
			case COMMAND_JOIN: {
				const ssidAt = TEXTS_AT + 1;
				const ssidEnd = ssidAt + this.#packet[TEXTS_AT];
				if (ssidEnd >= end || ssidEnd + 1 + this.#packet[ssidEnd] !== end) return ERROR_PACKET;
				const ssid = this.textAt(ssidAt, ssidEnd);
				const password = this.textAt(ssidEnd + 1, end);
				if (!mayChange) return ERROR_NOT_ALLOWED;
				const isWell = isSSID(text, ssid) && (password === "" || isPassword(text, password));
				if (!isWell || !network.isOn) return ERROR_CONNECT;
				settings.setStation({ ssid, password, dhcp: true }, true);
				this.#ssid = ssid;
				this.#joinEndMs = nowMs + JOIN_LIMIT_MS;
				// The network changes after a delay. Until then, the status describes the previous network.
				this.deadlineMs = nowMs + APPLY_DELAY_MS + LOOK_MS;
				this.show(nowMs);
				return 0;
			}
			case COMMAND_STATE:
				this.show(nowMs);
				if (this.#ssid === "" && network.address !== undefined) this.answer(command);
				return 0;
			case COMMAND_SCAN:
				if (this.#ssid !== "" || !(this.#isScanning || network.scan(this))) return ERROR_OTHER;
				this.#isScanning = true;
				return 0;
			case COMMAND_HOSTNAME:
			case COMMAND_NAME:
				if (end > TEXTS_AT) {
					const hostname = this.textAt(TEXTS_AT, end);
					if (!mayChange) return ERROR_NOT_ALLOWED;
					if (!isHostname(hostname) || !checkField(WIFI_HOSTNAME, hostname)) return ERROR_HOSTNAME;
					settings.setHostname(hostname);
				}
				break;
			case COMMAND_INFO:
			case COMMAND_NETWORK:
				break;
			case COMMAND_FILE:
				if (SETTINGS_FILES) {
					this.#pieces ??= new FilePieces(deps);
					const state = this.#pieces.take(this.#packet, TEXTS_AT, end, nowMs);
					if (state === undefined) return ERROR_PACKET;
					this.put(PACKET_RESULT, command, state);
					return 0;
				}
				return ERROR_COMMAND;
			default:
				return ERROR_COMMAND;
		}
		this.answer(command);
		return 0;
	}

	/** Returns the string. If it has invalid UTF-8, the result is not a valid name. */
	private textAt(start: number, end: number): string {
		try {
			return this.#improv.deps.text.decode(this.#packet, start, end);
		} catch {
			return "\n";
		}
	}

	private show(nowMs: number): void {
		const improv = this.#improv;
		const resting = improv.mayChange(nowMs) ? STATE_READY : STATE_STOPPED;
		const state = improv.gateway.network!.address === undefined ? resting : STATE_PROVISIONED;
		this.put(PACKET_STATE, this.#ssid === "" ? state : STATE_PROVISIONING);
	}

	private answer(command: number): void {
		const { settings, gateway, deps } = this.#improv;
		const { firmwareVersion, chip } = deps.info;
		const { hostname } = settings;
		const { network, httpsPort } = gateway;
		const { address, cable } = network!;
		const flags = (address === undefined ? 0 : IS_ONLINE) | HAS_WIFI | (cable === undefined ? 0 : HAS_CABLE);
		const url = `https://${address?.ip}${httpsPort === HTTPS_PORT ? "" : `:${httpsPort}`}`;
		let texts = [hostname];
		if (command === COMMAND_INFO) texts = [PRODUCT, firmwareVersion, chip, hostname];
		else if (command < COMMAND_INFO) texts = [url];
		else if (command === COMMAND_NETWORK) texts = address === undefined ? [String(flags)] : [String(flags), url];
		this.put(PACKET_RESULT, command, texts);
	}

	/** Queues the next visible network, or the packet that ends the list. */
	private putNetwork(networks: ScanCursor): void {
		const { text } = this.#improv.deps;
		while (networks.next()) {
			const { ssid, rssi, authmode } = networks;
			if (ssid === "" || text.encode(ssid).length > SSID_BYTES) continue;
			this.put(PACKET_RESULT, COMMAND_SCAN, [ssid, String(rssi), authmode === 0 ? "NO" : "YES"]);
			return;
		}
		this.#networks = undefined;
		this.put(PACKET_RESULT, COMMAND_SCAN);
	}

	/** Queues a packet whose data begin with `first`. In a result, the strings follow, cut to the available space. */
	private put(type: number, first: number, texts: readonly string[] = NOTHING): void {
		const bytes = this.#answer;
		const start = this.#answerLength;
		const data = start + 1 + DATA_AT;
		let end = data + 1;
		for (let i = 0; i < START.length; i++) bytes[start + 1 + i] = START.charCodeAt(i);
		bytes[data] = first;
		if (type === PACKET_RESULT) {
			end++;
			for (const text of texts) {
				const encoded = this.#improv.deps.text.encode(text).subarray(0, CONSOLE_ROOM - end - 4);
				bytes[end++] = encoded.length;
				bytes.set(encoded, end);
				end += encoded.length;
			}
			// An empty string prevents a data length of 10.
			if (end - data === LINE_END) bytes[end++] = 0;
			bytes[data + 1] = end - data - 2;
		}
		bytes[start] = LINE_END;
		bytes[start + 1 + TYPE_AT] = type;
		bytes[start + 1 + LENGTH_AT] = end - data;
		bytes[end] = sumOf(bytes, start + 1, end);
		bytes[end + 1] = LINE_END;
		this.#answerLength = end + 2;
	}
}

const NOTHING: readonly string[] = Object.freeze([]);

function sumOf(bytes: Uint8Array, start: number, end: number): number {
	let sum = 0;
	for (let i = start; i < end; i++) sum += bytes[i];
	return sum & 0xff;
}
