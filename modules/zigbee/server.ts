/**
 * Answers frames to the gateway's server clusters (ZCL revision 8, 2.5 and 3.5): attributes and Identify. Each frame
 * gets at most one answer of ZCL_LIMIT bytes. Items that do not fit are omitted, or reported as not fitting.
 *
 * Any node can set the time for which the device identifies itself. Only the coordinator can configure reports. Nothing
 * else can be changed. The reset command of Basic is refused.
 *
 * A frame with the direction "server to client" reads attributes of one of the gateway's clients.
 */
import { uint16LE } from "../bytes/integers.js";
import { type Attributes, IDENTIFY } from "./attributes.js";
import { type ClusterClient, ZCL_LIMIT, type ZCLFrame } from "./radio.js";
import { CHANGE, MAXIMUM, MINIMUM, NEVER, type Reports } from "./reports.js";
import {
	CONFIGURE_REPORTING,
	DEFAULT_RESPONSE,
	DISCOVER,
	DISCOVER_EXTENDED,
	DISCOVER_GENERATED,
	DISCOVER_RECEIVED,
	FAILURE,
	FRAME_CLUSTER,
	FRAME_MANUFACTURER,
	FRAME_NO_DEFAULT,
	FRAME_TO_CLIENT,
	INSUFFICIENT_SPACE,
	INVALID_TYPE,
	INVALID_VALUE,
	isAnalog,
	MALFORMED,
	NO_ATTRIBUTE,
	NO_CLUSTER,
	NO_CLUSTER_COMMAND,
	NO_GENERAL_COMMAND,
	NO_MANUFACTURER_CLUSTER_COMMAND,
	NO_MANUFACTURER_GENERAL_COMMAND,
	NOT_AUTHORIZED,
	NOT_FOUND,
	NOT_REPORTABLE,
	numberAt,
	numberSize,
	OK,
	putNumber,
	READ,
	READ_ONLY,
	READ_REPORTING,
	TYPE_U16,
	valueSize,
	WRITE,
	WRITE_NO_RESPONSE,
	WRITE_UNDIVIDED,
} from "./zcl.js";

const COMMAND_IDENTIFY = 0;
const COMMAND_QUERY = 1;

const COORDINATOR = 0x0000;

/** Bits in an answer to extended discovery of attributes. */
const ACCESS_READ = 1;
const ACCESS_WRITE = 2;
const ACCESS_REPORT = 4;

/**
 * Size of the buffer for an answer. It is larger than a frame, because the last value may be too long for the frame.
 */
export const ANSWER_SIZE = ZCL_LIMIT + 48;

export interface ServerOptions {
	readonly clients: readonly ClusterClient[];
	readonly user: {
		identify(seconds: number): void;
	};
}

export class Server {
	readonly #attributes: Attributes;
	readonly #reports: Reports;
	readonly #options: ServerOptions;
	#cluster = 0;
	#nowMs = 0;
	#client: ClusterClient | undefined;

	constructor(reports: Reports, options: ServerOptions) {
		this.#attributes = reports.attributes;
		this.#reports = reports;
		this.#options = options;
	}

	/** Writes the answer to `into`, which has ANSWER_SIZE bytes. Returns its length; 0 if there is no answer. */
	answer(frame: ZCLFrame, cluster: number, source: number, endpoint: number, into: Uint8Array, nowMs: number): number {
		const { control, command, manufacturer } = frame;
		const attributes = this.#attributes;
		const isToClient = (control & FRAME_TO_CLIENT) !== 0;
		const isCluster = (control & FRAME_CLUSTER) !== 0;
		this.#cluster = cluster;
		this.#nowMs = nowMs;
		this.#client = isToClient ? clientOf(this.#options.clients, cluster) : undefined;
		into[0] = FRAME_NO_DEFAULT | (control & FRAME_MANUFACTURER) | (isToClient ? 0 : FRAME_TO_CLIENT);
		let at = 1;
		if (control & FRAME_MANUFACTURER) at = putNumber(into, at, 2, manufacturer);
		into[at++] = frame.sequence;
		into[at] = command + 1;
		const body = at + 1;
		let end = body;
		let status = OK;
		if (control & FRAME_MANUFACTURER)
			status = isCluster ? NO_MANUFACTURER_CLUSTER_COMMAND : NO_MANUFACTURER_GENERAL_COMMAND;
		else if (isToClient ? this.#client === undefined : !attributes.clusters.includes(cluster)) status = NO_CLUSTER;
		else if (isCluster) {
			status = isToClient ? OK : this.identify(frame);
			if (status === OK && !isToClient && command === COMMAND_QUERY && attributes.identifyUntilMs < Infinity) {
				into[0] |= FRAME_CLUSTER;
				into[at] = COMMAND_IDENTIFY;
				return attributes.write(attributes.find(IDENTIFY, 0), into, body, nowMs);
			}
		} else if (command === READ) end = this.read(frame, into, body);
		else if (command === WRITE || command === WRITE_UNDIVIDED || command === WRITE_NO_RESPONSE) {
			into[at] = WRITE + 2;
			end = this.write(frame, into, body);
			if (command === WRITE_NO_RESPONSE) return 0;
		} else if (command === CONFIGURE_REPORTING) end = this.configure(frame, source, endpoint, into, body);
		else if (command === READ_REPORTING) end = this.readReporting(frame, into, body);
		else if (command === DISCOVER || command === DISCOVER_EXTENDED) end = this.discover(frame, into, body);
		else if (command === DISCOVER_RECEIVED || command === DISCOVER_GENERATED)
			end = this.discoverCommands(frame, into, body);
		else status = NO_GENERAL_COMMAND;
		if (end > body) return end;
		if (!isCluster && status === OK) status = MALFORMED;
		if (frame.isBroadcast || (status === OK && control & FRAME_NO_DEFAULT)) return 0;
		into[at] = DEFAULT_RESPONSE;
		into[body] = command;
		into[body + 1] = status;
		return body + 2;
	}

	/** Carries out a command. Only the cluster Identify has commands. */
	private identify({ command, bytes, start, end }: ZCLFrame): number {
		if (this.#cluster !== IDENTIFY || command > COMMAND_QUERY) return NO_CLUSTER_COMMAND;
		if (command === COMMAND_QUERY) return OK;
		if (start + 2 > end) return MALFORMED;
		this.identifyFor(uint16LE(bytes, start));
		return OK;
	}

	private identifyFor(seconds: number): void {
		this.#attributes.identifyUntilMs = seconds > 0 ? this.#nowMs + seconds * 1000 : Infinity;
		this.#options.user.identify(seconds);
	}

	private read({ bytes, start, end }: ZCLFrame, into: Uint8Array, body: number): number {
		let at = body;
		for (let from = start; from + 2 <= end && at + 3 <= ZCL_LIMIT; from += 2) {
			const id = uint16LE(bytes, from);
			const valueEnd = this.value(id, into, at + 3);
			let status = OK;
			if (valueEnd === at + 3) status = NO_ATTRIBUTE;
			else if (valueEnd < 0) status = FAILURE;
			else if (valueEnd > ZCL_LIMIT) status = INSUFFICIENT_SPACE;
			putNumber(into, at, 2, id);
			into[at + 2] = status;
			at = status === OK ? valueEnd : at + 3;
		}
		return at;
	}

	/** Writes a value. Returns the end, `at` if the attribute does not exist, or -1 if its value is unknown. */
	private value(id: number, into: Uint8Array, at: number): number {
		if (this.#client !== undefined) return this.#client.readAttribute(id, into, at);
		const attributes = this.#attributes;
		const row = attributes.find(this.#cluster, id);
		if (row < 0) return at;
		into[at] = attributes.typeOf(row);
		return attributes.write(row, into, at + 1, this.#nowMs);
	}

	private write({ command, bytes, start, end }: ZCLFrame, into: Uint8Array, body: number): number {
		const attributes = this.#attributes;
		let at = body;
		let seconds = -1;
		let from = start;
		while (from + 3 <= end && at + 3 <= ZCL_LIMIT) {
			const id = uint16LE(bytes, from);
			const type = bytes[from + 2];
			const size = valueSize(type, bytes, from + 3, end);
			const row = this.#client === undefined ? attributes.find(this.#cluster, id) : -1;
			let status = OK;
			if (row < 0) status = this.#client?.attributes.includes(id) === true ? READ_ONLY : NO_ATTRIBUTE;
			else if (!attributes.isWritable(row)) status = READ_ONLY;
			else if (type !== TYPE_U16 || !(size > 0)) status = INVALID_TYPE;
			else seconds = uint16LE(bytes, from + 3);
			if (status !== OK) {
				into[at] = status;
				at = putNumber(into, at + 1, 2, id);
			}
			// If the size is unknown, `from` becomes NaN, which ends the loop.
			from += 3 + size;
		}
		const hasFailed = at > body;
		if (seconds >= 0 && !(hasFailed && command === WRITE_UNDIVIDED)) this.identifyFor(seconds);
		else if (seconds < 0 && !hasFailed) return body;
		if (!hasFailed) into[at++] = OK;
		return at;
	}

	private configure(frame: ZCLFrame, source: number, endpoint: number, into: Uint8Array, body: number): number {
		const { bytes, start, end } = frame;
		const attributes = this.#attributes;
		const reports = this.#reports;
		let at = body;
		let from = start;
		while (from + 5 <= end && at + 4 <= ZCL_LIMIT) {
			const row = this.reportable(bytes, from);
			// A record with the other direction asks the gateway to receive reports. It is refused, because no attribute
			// accepts reports.
			let status = -row;
			let next = from + 5;
			if (bytes[from] === 0) {
				const type = bytes[from + 3];
				const size = isAnalog(type) ? numberSize(type) : 0;
				next = from + 8 + size;
				if (next > end) break;
				const least = uint16LE(bytes, from + 4);
				const longest = uint16LE(bytes, from + 6);
				if (row < 0) status = -row;
				else if (type !== attributes.typeOf(row)) status = INVALID_TYPE;
				else if (least > longest && longest > 0) status = INVALID_VALUE;
				else if (source !== COORDINATOR) status = NOT_AUTHORIZED;
				else {
					status = OK;
					const change = numberAt(bytes, from + 8, size);
					reports.configure(attributes.valueOf(row), least, longest, change, endpoint);
				}
			}
			if (status !== OK) at = this.putRecord(status, bytes, from, into, at);
			from = next;
		}
		if (from > start && at === body) into[at++] = OK;
		return at;
	}

	/** Returns the row for the record (direction, id) at `bytes[at]`, or a negated status. */
	private reportable(bytes: Uint8Array, at: number): number {
		const attributes = this.#attributes;
		const id = uint16LE(bytes, at + 1);
		const row = this.#client === undefined ? attributes.find(this.#cluster, id) : -1;
		if (row < 0) return this.#client?.attributes.includes(id) === true ? -NOT_REPORTABLE : -NO_ATTRIBUTE;
		return bytes[at] !== 0 || attributes.valueOf(row) < 0 ? -NOT_REPORTABLE : row;
	}

	private putRecord(status: number, bytes: Uint8Array, from: number, into: Uint8Array, at: number): number {
		into[at] = status;
		into.set(bytes.subarray(from, from + 3), at + 1);
		return at + 4;
	}

	private readReporting({ bytes, start, end }: ZCLFrame, into: Uint8Array, body: number): number {
		const attributes = this.#attributes;
		const reports = this.#reports;
		let at = body;
		for (let from = start; from + 3 <= end && at + 4 <= ZCL_LIMIT; from += 3) {
			const row = this.reportable(bytes, from);
			const type = row < 0 ? 0 : attributes.typeOf(row);
			const number = row < 0 ? 0 : attributes.valueOf(row);
			const size = isAnalog(type) ? numberSize(type) : 0;
			let status = OK;
			if (row < 0) status = -row;
			else if (reports.setting(number, MAXIMUM) === NEVER) status = NOT_FOUND;
			else if (at + 9 + size > ZCL_LIMIT) status = INSUFFICIENT_SPACE;
			at = this.putRecord(status, bytes, from, into, at);
			if (status !== OK) continue;
			into[at] = type;
			at = putNumber(into, at + 1, 2, reports.setting(number, MINIMUM));
			at = putNumber(into, at, 2, reports.setting(number, MAXIMUM));
			at = putNumber(into, at, size, reports.setting(number, CHANGE));
		}
		return at;
	}

	private discover({ command, bytes, start, end }: ZCLFrame, into: Uint8Array, body: number): number {
		if (start + 3 > end) return body;
		const attributes = this.#attributes;
		const client = this.#client;
		const first = uint16LE(bytes, start);
		const maximum = bytes[start + 2];
		const isExtended = command === DISCOVER_EXTENDED;
		let at = body + 1;
		let count = 0;
		into[body] = 1;
		let row = client === undefined ? attributes.next(this.#cluster, -1) : 0;
		while (client === undefined ? row >= 0 : row < client.attributes.length) {
			const id = client === undefined ? attributes.idOf(row) : client.attributes[row];
			if (id >= first) {
				if (count++ === maximum || at + 4 > ZCL_LIMIT) {
					into[body] = 0;
					break;
				}
				at = putNumber(into, at, 2, id);
				// Only the type is needed. The value will be overwritten.
				if (client !== undefined) client.readAttribute(id, into, at);
				else into[at] = attributes.typeOf(row);
				at++;
				if (isExtended) into[at++] = ACCESS_READ | (client === undefined ? this.accessOf(row) : 0);
			}
			row = client === undefined ? attributes.next(this.#cluster, row) : row + 1;
		}
		return at;
	}

	private accessOf(row: number): number {
		const attributes = this.#attributes;
		return (attributes.isWritable(row) ? ACCESS_WRITE : 0) | (attributes.valueOf(row) < 0 ? 0 : ACCESS_REPORT);
	}

	private discoverCommands({ command, bytes, start, end }: ZCLFrame, into: Uint8Array, body: number): number {
		if (start + 2 > end) return body;
		let at = body + 1;
		into[body] = 1;
		if (this.#client === undefined && this.#cluster === IDENTIFY) {
			const last = command === DISCOVER_RECEIVED ? COMMAND_QUERY : COMMAND_IDENTIFY;
			for (let id = bytes[start]; id <= last; id++) {
				if (at - body > bytes[start + 1]) into[body] = 0;
				else into[at++] = id;
			}
		}
		return at;
	}
}

export function clientOf(clients: readonly ClusterClient[], cluster: number): ClusterClient | undefined {
	return clients.find((client) => client.cluster === cluster);
}
