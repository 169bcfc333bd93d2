/** Zigbee Device Objects of a node (Zigbee specification R22, 2.4), over the air and for the host. */
import { type AirFrame, BROADCAST } from "./air.js";
import type { Chip, Endpoint } from "./chip.js";
import { uint16 } from "./frames.js";
import { capabilities, leave, moveNetwork } from "./network-life.js";
import { COORDINATOR, END_DEVICE, NV_ZDO_DIRECT_CALLBACK } from "./nvram.js";

const ZDO = 5;
const RAW_COPY = 0xff;
const DEVICE_ANNOUNCE_INDICATION = 0xc1;
const PERMIT_JOIN_INDICATION = 0xcb;

/** Bit that marks the cluster of an answer. */
const RESPONSE = 0x8000;
export const NWK_ADDRESS = 0x0000;
export const IEEE_ADDRESS = 0x0001;
const NODE_DESCRIPTOR = 0x0002;
const POWER_DESCRIPTOR = 0x0003;
const SIMPLE_DESCRIPTOR = 0x0004;
const ACTIVE_ENDPOINTS = 0x0005;
const MATCH_DESCRIPTORS = 0x0006;
const DEVICE_ANNOUNCE = 0x0013;
const BIND = 0x0021;
const UNBIND = 0x0022;
const MGMT_LQI = 0x0031;
const MGMT_ROUTES = 0x0032;
const MGMT_BINDINGS = 0x0033;
export const MGMT_LEAVE = 0x0034;
export const PERMIT_JOINING = 0x0036;
export const NWK_UPDATE = 0x0038;

const OK = 0x00;
const INVALID_ENDPOINT = 0x82;
const NOT_SUPPORTED = 0x84;
const NO_ENTRY = 0x88;
const TABLE_FULL = 0x8c;

const TO_IEEE = 3;
const CHANGES_CHANNEL = 0xfe;
/** Longest duration of an energy scan, as the exponent in the request. */
const SCAN_LIMIT = 5;
const QUIET = 40;
const LEAVE_REJOIN = 0x80;
const LEAVE_REMOVE_CHILDREN = 0x40;
const WATCH_ALL = 0xffff;
const LINK_QUALITY = 200;

/** Sends a request to a node, which may be this one. A broadcast reaches this node too. */
export function askZDO(chip: Chip, destination: number, cluster: number, payload: readonly number[]): void {
	const data = Buffer.from([chip.nextSequence(), ...payload]);
	send(chip, destination, cluster, data);
	const isForAll = destination >= BROADCAST;
	if (isForAll && cluster === PERMIT_JOINING) {
		permit(chip, data[1]);
		chip.after(chip.stepMs, () => sayResponse(chip, 0, PERMIT_JOINING, Buffer.of(OK)));
	}
	if (isForAll && cluster === NWK_UPDATE) update(chip, data.subarray(1));
}

function send(chip: Chip, destination: number, cluster: number, payload: Buffer): void {
	const { network } = chip;
	if (network === undefined) return;
	const ends = { sourceEndpoint: 0, destinationEndpoint: 0, profile: 0 };
	chip.transmit({ ...ends, source: network.shortAddress, destination, cluster, payload, wantsAck: false });
}

export function hearZDO(chip: Chip, { source, destination, cluster, payload }: AirFrame): void {
	const [sequence] = payload;
	const data = payload.subarray(1);
	if (chip.watched.has(cluster) || chip.watched.has(WATCH_ALL)) {
		const isBroadcast = destination >= BROADCAST ? 1 : 0;
		const head = [...uint16(source), isBroadcast, ...uint16(cluster), 0, sequence, ...uint16(destination)];
		chip.say(ZDO, RAW_COPY, [...head, ...data]);
	}
	if (cluster >= RESPONSE) {
		sayResponse(chip, source, cluster - RESPONSE, data);
		return;
	}
	if (cluster === DEVICE_ANNOUNCE) {
		chip.say(ZDO, DEVICE_ANNOUNCE_INDICATION, [...uint16(source), ...data]);
		return;
	}
	const answer = ANSWERS.get(cluster);
	const isBroadcast = destination >= BROADCAST;
	const reply = answer === undefined ? (isBroadcast ? undefined : [NOT_SUPPORTED]) : answer(chip, data, source);
	if (reply !== undefined && !(isBroadcast && cluster !== NWK_ADDRESS)) {
		send(chip, source, cluster | RESPONSE, Buffer.from([sequence, ...reply]));
	}
}

function sayResponse(chip: Chip, source: number, cluster: number, data: Buffer): void {
	if (chip.nv.item(NV_ZDO_DIRECT_CALLBACK)?.[0] !== 1) return;
	const command = 0x80 | cluster;
	if (cluster !== NWK_ADDRESS && cluster !== IEEE_ADDRESS) {
		chip.say(ZDO, command, [...uint16(source), ...data]);
		return;
	}
	// Over the air, status and both addresses (11 bytes) precede count, index and list. The host gets the index before
	// the count.
	const [count = 0, index = 0] = data.subarray(11);
	chip.say(ZDO, command, [...data.subarray(0, 11), index, count, ...data.subarray(13)]);
}

type Answer = (chip: Chip, data: Buffer, source: number) => readonly number[] | undefined;

const ANSWERS: ReadonlyMap<number, Answer> = new Map<number, Answer>([
	[NWK_ADDRESS, (chip, data) => (chip.ieee.equals(data.subarray(0, 8)) ? addresses(chip) : undefined)],
	[IEEE_ADDRESS, (chip) => addresses(chip)],
	[NODE_DESCRIPTOR, (chip) => [OK, ...own(chip), ...nodeDescriptor(chip)]],
	[POWER_DESCRIPTOR, (chip) => [OK, ...own(chip), 0x10, 0xc1]],
	[SIMPLE_DESCRIPTOR, (chip, data) => simpleDescriptor(chip, data.readUInt8(2))],
	[ACTIVE_ENDPOINTS, (chip) => [OK, ...own(chip), chip.endpoints.size, ...[...chip.endpoints.keys()].reverse()]],
	[MATCH_DESCRIPTORS, (chip, data) => matching(chip, data.subarray(2))],
	[BIND, (chip, data) => [bind(chip, data)]],
	[UNBIND, (chip, data) => [unbind(chip, data)]],
	[MGMT_LQI, (chip, data) => neighbours(chip, data.readUInt8(0))],
	[MGMT_ROUTES, (_chip, data) => [OK, 0, data.readUInt8(0), 0]],
	[MGMT_BINDINGS, (chip, data) => bindings(chip, data.readUInt8(0))],
	[MGMT_LEAVE, askedToLeave],
	[PERMIT_JOINING, (chip, data) => permit(chip, data.readUInt8(0))],
	[NWK_UPDATE, (chip, data) => update(chip, data)],
]);

function own(chip: Chip): [number, number] {
	return uint16(chip.network!.shortAddress);
}

function addresses(chip: Chip): number[] {
	return [OK, ...chip.ieee, ...own(chip)];
}

/**
 * Returns the node descriptor of a ZNP as delivered: no manufacturer, 2.4 GHz, 80 bytes in a frame, stack revision 22.
 */
function nodeDescriptor(chip: Chip): number[] {
	const serverMask = chip.role === COORDINATOR ? 0x2c01 : 0x2c00;
	const sizes = [0x50, ...uint16(0x00a0), ...uint16(serverMask), ...uint16(0x00a0), 0];
	return [chip.role, 0x40, chip.role === COORDINATOR ? 0x8f : capabilities(chip), ...uint16(0), ...sizes];
}

function simpleDescriptor(chip: Chip, id: number): number[] {
	const endpoint = chip.endpoints.get(id);
	if (endpoint === undefined) return [INVALID_ENDPOINT, ...own(chip), 0];
	const { profile, device, version, inputs, outputs } = endpoint;
	const head = [id, ...uint16(profile), ...uint16(device), version];
	const clusters = [inputs.length, ...inputs.flatMap(uint16), outputs.length, ...outputs.flatMap(uint16)];
	return [OK, ...own(chip), head.length + clusters.length, ...head, ...clusters];
}

function matching(chip: Chip, data: Buffer): number[] {
	const profile = data.readUInt16LE(0);
	const inputs = data.readUInt8(2);
	const list = (at: number, count: number) =>
		Array.from({ length: count }, (_, index) => data.readUInt16LE(at + 2 * index));
	const wantedIn = list(3, inputs);
	const wantedOut = list(4 + 2 * inputs, data.readUInt8(3 + 2 * inputs));
	const isMatch = (one: Endpoint) =>
		one.profile === profile &&
		(wantedIn.some((cluster) => one.inputs.includes(cluster)) ||
			wantedOut.some((cluster) => one.outputs.includes(cluster)));
	const found = [...chip.endpoints].filter(([, endpoint]) => isMatch(endpoint)).map(([id]) => id);
	return [OK, ...own(chip), found.length, ...found];
}

interface BindRequest {
	readonly endpoint: number;
	readonly cluster: number;
	readonly destination: Buffer;
	readonly destinationEndpoint: number;
}

/** Parses a bind request. Returns undefined if it is for another node or for a group. */
function bindRequest(chip: Chip, data: Buffer): BindRequest | undefined {
	if (!chip.ieee.equals(data.subarray(0, 8)) || data.readUInt8(11) !== TO_IEEE) return undefined;
	return {
		endpoint: data.readUInt8(8),
		cluster: data.readUInt16LE(9),
		destination: Buffer.from(data.subarray(12, 20)),
		destinationEndpoint: data.readUInt8(20),
	};
}

function bind(chip: Chip, data: Buffer): number {
	const wanted = bindRequest(chip, data);
	if (wanted === undefined) return NOT_SUPPORTED;
	const row = rowOf(chip, wanted);
	if (row?.clusters.includes(wanted.cluster)) return OK;
	if (row !== undefined && row.clusters.length < chip.clusterLimit) row.clusters.push(wanted.cluster);
	else if (chip.bindings.length < chip.bindingLimit) chip.bindings.push({ ...wanted, clusters: [wanted.cluster] });
	else return TABLE_FULL;
	return OK;
}

function unbind(chip: Chip, data: Buffer): number {
	const wanted = bindRequest(chip, data);
	const row = wanted && rowOf(chip, wanted);
	const index = row?.clusters.indexOf(wanted!.cluster) ?? -1;
	if (index < 0) return NO_ENTRY;
	row!.clusters.splice(index, 1);
	chip.bindings = chip.bindings.filter(({ clusters }) => clusters.length > 0);
	return OK;
}

function rowOf(chip: Chip, { endpoint, destination, destinationEndpoint }: BindRequest) {
	return chip.bindings.find(
		(row) =>
			row.endpoint === endpoint &&
			row.destinationEndpoint === destinationEndpoint &&
			row.destination.equals(destination),
	);
}

function bindings(chip: Chip, start: number): number[] {
	const rows = chip.bindings.flatMap(({ endpoint, destination, destinationEndpoint, clusters }) =>
		clusters.map((cluster) => [
			...[...chip.ieee, endpoint, ...uint16(cluster), TO_IEEE],
			...[...destination, destinationEndpoint],
		]),
	);
	const shown = rows.slice(start, start + 2);
	return [OK, rows.length, start, shown.length, ...shown.flat()];
}

/** Lists all other nodes as neighbours, because in the simulation all are in range. */
function neighbours(chip: Chip, start: number): number[] {
	const network = chip.network!;
	const others = chip.air.members(network).filter((station) => station !== chip);
	const rows = others.map(({ ieee, isSleepy, network: theirs }) => {
		const { shortAddress, parent } = theirs!;
		const type = shortAddress === 0 ? COORDINATOR : isSleepy ? END_DEVICE : 1;
		// Bits 2-3 mean that the receiver is on when idle. Bits 4-6 are the relation: 0 parent, 1 child, 2 sibling.
		const relation = shortAddress === network.parent ? 0 : parent === network.shortAddress ? 1 : 2;
		const kind = type | ((isSleepy ? 0 : 1) << 2) | (relation << 4);
		return [
			...network.extendedPanId,
			...ieee,
			...uint16(shortAddress),
			kind,
			2,
			shortAddress === 0 ? 0 : 1,
			LINK_QUALITY,
		];
	});
	const shown = rows.slice(start, start + 2);
	return [OK, rows.length, start, shown.length, ...shown.flat()];
}

function askedToLeave(chip: Chip, data: Buffer, source: number): number[] {
	const who = data.subarray(0, 8);
	const flags = data.readUInt8(8);
	if (who.some((byte) => byte !== 0) && !who.equals(chip.ieee)) return [NOT_SUPPORTED];
	const isRemote = source !== chip.network?.shortAddress;
	const answerMs = 2 * chip.stepMs;
	chip.after(answerMs, () =>
		leave(chip, isRemote, flags & LEAVE_REMOVE_CHILDREN ? 1 : 0, flags & LEAVE_REJOIN ? 1 : 0),
	);
	return [OK];
}

function permit(chip: Chip, seconds: number): number[] {
	chip.open(seconds);
	if (chip.role !== END_DEVICE) chip.after(chip.stepMs, () => chip.say(ZDO, PERMIT_JOIN_INDICATION, [seconds]));
	return [OK];
}

/** Handles a network update. If it changes the coordinator's channel, the whole network changes its channel. */
function update(chip: Chip, data: Buffer): number[] {
	const mask = data.readUInt32LE(0);
	const duration = data.readUInt8(4);
	if (duration <= SCAN_LIMIT) {
		// The scan reports that all channels are equally quiet and that nothing was sent.
		const count = mask.toString(2).replaceAll("0", "").length;
		return [OK, ...data.subarray(0, 4), 0, 0, 0, 0, count, ...Array.from({ length: count }, () => QUIET)];
	}
	if (duration !== CHANGES_CHANNEL) return [NOT_SUPPORTED];
	if (chip.role === COORDINATOR) {
		chip.after(chip.stepMs, () => moveNetwork(chip, { channel: 31 - Math.clz32(mask & -mask) }));
	}
	return [OK];
}
