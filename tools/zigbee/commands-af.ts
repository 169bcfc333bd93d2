/** AF commands, which are about endpoints and their data, and APP_CNF commands, which are about commissioning. */
import type { Chip, Commands } from "./chip.js";
import { recover, startCommissioning } from "./network-life.js";

const OK = 0x00;
const INVALID_PARAMETER = 0x02;
const DUPLICATE_ENDPOINT = 0xb8;
const NO_BOUND_DEVICE = 0xb9;
const NOT_IN_A_NETWORK = 0xc2;

const APS_ACK = 0x10;
/** Address modes of AF_DATA_REQUEST_EXT. */
const TO_BOUND = 0;
const TO_SHORT = 2;
const TO_IEEE = 3;
const TO_BROADCAST = 15;
/** Limit of data bytes in a frame that is not fragmented. */
const DATA_LIMIT = 230;

function clusters(data: Buffer, at: number): number[] {
	return Array.from({ length: data.readUInt8(at) }, (_, index) => data.readUInt16LE(at + 1 + 2 * index));
}

function register(chip: Chip, data: Buffer): number[] {
	const id = data.readUInt8(0);
	if (chip.endpoints.has(id)) return [DUPLICATE_ENDPOINT];
	const inputs = clusters(data, 7);
	chip.endpoints.set(id, {
		profile: data.readUInt16LE(1),
		device: data.readUInt16LE(3),
		version: data.readUInt8(5),
		inputs,
		outputs: clusters(data, 8 + 2 * inputs.length),
	});
	return [OK];
}

interface Request {
	readonly destination: number;
	readonly destinationEndpoint: number;
	readonly sourceEndpoint: number;
	readonly cluster: number;
	readonly transaction: number;
	readonly options: number;
	readonly payload: Buffer;
}

function send(chip: Chip, request: Request): number[] {
	const { network } = chip;
	const { sourceEndpoint, cluster, transaction, payload } = request;
	const refusal = chip.faults.refusals.shift();
	if (refusal !== undefined && refusal !== OK) return [refusal];
	const endpoint = chip.endpoints.get(sourceEndpoint);
	if (network === undefined) return [NOT_IN_A_NETWORK];
	if ((endpoint === undefined && sourceEndpoint !== 0) || payload.length > DATA_LIMIT) return [INVALID_PARAMETER];
	const common = { source: network.shortAddress, sourceEndpoint, cluster, payload, profile: endpoint?.profile ?? 0 };
	const wantsAck = (request.options & APS_ACK) !== 0;
	chip.sendData({ ...common, ...destinationOf(request), wantsAck }, transaction);
	return [OK];
}

function destinationOf({ destination, destinationEndpoint }: Request) {
	return { destination, destinationEndpoint };
}

/** Sends the data to each binding of the cluster. There may be none. */
function sendToBound(chip: Chip, request: Request): number[] {
	const { sourceEndpoint, cluster, transaction } = request;
	const rows = chip.bindings.filter((row) => row.endpoint === sourceEndpoint && row.clusters.includes(cluster));
	for (const { destination, destinationEndpoint } of rows) {
		const short = shortOf(chip, destination);
		if (short !== undefined) send(chip, { ...request, destination: short, destinationEndpoint });
	}
	if (rows.length === 0) {
		chip.after(chip.stepMs, () => chip.say(4, 0x80, [NO_BOUND_DEVICE, sourceEndpoint, transaction]));
	}
	return [OK];
}

/** Returns the node's short address, or undefined if the node is in no network of this chip. */
function shortOf(chip: Chip, ieee: Buffer): number | undefined {
	if (chip.network === undefined) return undefined;
	return chip.air.members(chip.network).find((station) => station.ieee.equals(ieee))?.network?.shortAddress;
}

function sendExtended(chip: Chip, data: Buffer): number[] {
	const mode = data.readUInt8(0);
	const length = data.readUInt16LE(18);
	if (data.length < 20 + length) throw new RangeError("too short");
	const request: Request = {
		destination: data.readUInt16LE(1),
		destinationEndpoint: data.readUInt8(9),
		sourceEndpoint: data.readUInt8(12),
		cluster: data.readUInt16LE(13),
		transaction: data.readUInt8(15),
		options: data.readUInt8(16),
		payload: Buffer.from(data.subarray(20, 20 + length)),
	};
	if (mode === TO_BOUND) return sendToBound(chip, request);
	if (mode === TO_SHORT || mode === TO_BROADCAST) return send(chip, request);
	const short = mode === TO_IEEE ? shortOf(chip, data.subarray(1, 9)) : undefined;
	return short === undefined ? [INVALID_PARAMETER] : send(chip, { ...request, destination: short });
}

export const AF_COMMANDS: Commands = {
	// AF_REGISTER, AF_DELETE
	1024: register,
	1028: (chip, data) => [chip.endpoints.delete(data.readUInt8(0)) ? OK : INVALID_PARAMETER],
	// AF_DATA_REQUEST, _EXT
	1025: (chip, data) => {
		const length = data.readUInt8(9);
		if (data.length < 10 + length) throw new RangeError("too short");
		return send(chip, {
			destination: data.readUInt16LE(0),
			destinationEndpoint: data.readUInt8(2),
			sourceEndpoint: data.readUInt8(3),
			cluster: data.readUInt16LE(4),
			transaction: data.readUInt8(6),
			options: data.readUInt8(7),
			payload: Buffer.from(data.subarray(10, 10 + length)),
		});
	},
	1026: sendExtended,
	// AF_INTER_PAN_CTL
	1040: () => [OK],
	// APP_CNF_SET_ENDDEVICETIMEOUT
	3842: () => [OK],
	// APP_CNF_BDB_START_COMMISSIONING
	3845: (chip, data) => {
		startCommissioning(chip, data.readUInt8(0));
		return [OK];
	},
	// APP_CNF_BDB_SET_CHANNEL
	3848: (chip, data) => {
		chip.channels[data.readUInt8(0) === 0 ? "secondary" : "primary"] = data.readUInt32LE(1);
		return [OK];
	},
	// APP_CNF_BDB_ZED_ATTEMPT_RECOVER_NWK
	3850: (chip) => {
		if (chip.nv.network === undefined) return [INVALID_PARAMETER];
		recover(chip);
		return [OK];
	},
	// APP_CNF_SET_POLL_RATE_TYPE
	3852: (chip, data) => {
		chip.polling.setRate(data.readUInt16LE(0), data.readUInt32LE(2));
		return [OK];
	},
};
