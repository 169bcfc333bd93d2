/**
 * The non-volatile memory of a coprocessor: items by their id, and rows of the extended tables by system, item and sub id.
 * What a fresh chip with a coordinator's image (Z-Stack 3.x.0) holds, and how the network of a chip stands in it.
 */

export const NV_STARTUP_OPTION = 0x0003;
export const NV_NIB = 0x0021;
export const NV_IEEE_ADDRESS = 0x0001;
const NV_EXTENDED_PAN_ID = 0x002d;
const NV_CONCENTRATOR_ENABLE = 0x0032;
const NV_ACTIVE_KEY = 0x003a;
const NV_ALTERNATE_KEY = 0x003b;
const NV_APS_EXTENDED_PAN_ID = 0x0047;
const NV_DEVICE_LIST = 0x004c;
export const NV_IS_ON_A_NETWORK = 0x0055;
/** Of herdsman: 0x55 in a chip that it has set up. */
const NV_CONFIGURED = 0x0060;
const NV_PRECONFIGURED_KEY = 0x0062;
const NV_PRECONFIGURED_KEYS_ENABLE = 0x0063;
const NV_TCLK_TABLE = 0x0101;
const NV_CHANNELS_DEFAULT = 0x0082;
export const NV_PAN_ID = 0x0083;
export const NV_CHANNEL_MASK = 0x0084;
export const NV_LOGICAL_TYPE = 0x0087;
export const NV_ZDO_DIRECT_CALLBACK = 0x008f;

/** Of NV_LOGICAL_TYPE. */
export const COORDINATOR = 0;
export const ROUTER = 1;
export const END_DEVICE = 2;

/** Of NV_STARTUP_OPTION: at the next start the settings, or the network, are those of a fresh chip. */
const START_DEFAULT_CONFIG = 1;
const START_DEFAULT_NETWORK = 2;

export const ANY_PAN_ID = 0xffff;

/** Bytes of the NIB where memory is aligned, and where in it what counts here stands. */
const NIB_BYTES = 116;
const NIB_SECURITY_LEVEL = 12;
const NIB_SHORT_ADDRESS = 22;
const NIB_CHANNEL = 24;
const NIB_PARENT = 26;
const NIB_PARENT_IEEE = 28;
const NIB_PAN_ID = 36;
const NIB_STATE = 38;
const NIB_CHANNEL_LIST = 40;
const NIB_EXTENDED_PAN_ID = 57;
const NIB_KEY_LOADED = 65;
const NIB_UPDATE_ID = 114;
const SECURITY_LEVEL = 5;

/** A network as one of its nodes knows it. Addresses and ids of 8 bytes stand least significant byte first. */
export interface Network {
	channel: number;
	panId: number;
	readonly extendedPanId: Buffer;
	readonly shortAddress: number;
	/** Who its parent is; the node itself for a coordinator. */
	readonly parent: number;
	readonly parentIEEE: Buffer;
	updateId: number;
}

/** As it stands in a file: hex by `id` or `system/item/sub`, ids in hex. */
export type NVContents = Readonly<Record<string, string>>;

/** Rows of the extended tables of system 1 that a fresh chip has: item, bytes of a row. */
const EXTENDED_TABLES: readonly (readonly [number, number])[] = [
	[1, 12],
	[4, 20],
	[6, 24],
	[7, 12],
];
const EXTENDED_ROWS = 4;
/** Item of the frame counters, one row for each network: 4 bytes, and the extended PAN id. */
const FRAME_COUNTERS = 7;
/** Settings of one byte that every chip has: broadcasts, concentrator, age of children, ZDO callbacks. */
const SETTINGS = [0x0030, 0x0033, 0x0036, 0x0038, 0x003e, NV_ZDO_DIRECT_CALLBACK];

export class NVMemory {
	readonly #items = new Map<string, Buffer>();
	/** Something is another. */
	onChanged: () => void = () => {};

	constructor(contents?: NVContents) {
		if (contents === undefined) this.#setDefaults();
		else for (const [key, hex] of Object.entries(contents)) this.#items.set(key, Buffer.from(hex, "hex"));
	}

	get contents(): NVContents {
		return Object.fromEntries([...this.#items].map(([key, value]) => [key, value.toString("hex")]));
	}

	get(key: string): Buffer | undefined {
		return this.#items.get(key);
	}

	set(key: string, value: Uint8Array): void {
		this.#items.set(key, Buffer.from(value));
		this.onChanged();
	}

	/** False: there was none. */
	delete(key: string): boolean {
		const was = this.#items.delete(key);
		if (was) this.onChanged();
		return was;
	}

	item(id: number): Buffer | undefined {
		return this.get(keyOf(id));
	}

	setItem(id: number, value: Uint8Array): void {
		this.set(keyOf(id), value);
	}

	/** The network that the chip belongs to, started or not. */
	get network(): Network | undefined {
		const nib = this.item(NV_NIB);
		if (nib?.length !== NIB_BYTES || nib.readUInt16LE(NIB_PAN_ID) === ANY_PAN_ID) return undefined;
		return {
			channel: nib[NIB_CHANNEL],
			panId: nib.readUInt16LE(NIB_PAN_ID),
			extendedPanId: Buffer.from(nib.subarray(NIB_EXTENDED_PAN_ID, NIB_EXTENDED_PAN_ID + 8)),
			shortAddress: nib.readUInt16LE(NIB_SHORT_ADDRESS),
			parent: nib.readUInt16LE(NIB_PARENT),
			parentIEEE: Buffer.from(nib.subarray(NIB_PARENT_IEEE, NIB_PARENT_IEEE + 8)),
			updateId: nib[NIB_UPDATE_ID],
		};
	}

	set network(network: Network | undefined) {
		this.setItem(NV_IS_ON_A_NETWORK, Buffer.of(network === undefined ? 0 : 1));
		if (network === undefined) {
			this.delete(keyOf(NV_NIB));
			return;
		}
		const nib = Buffer.alloc(NIB_BYTES);
		nib[NIB_SECURITY_LEVEL] = SECURITY_LEVEL;
		nib.writeUInt16LE(network.shortAddress, NIB_SHORT_ADDRESS);
		nib[NIB_CHANNEL] = network.channel;
		nib.writeUInt16LE(network.parent, NIB_PARENT);
		network.parentIEEE.copy(nib, NIB_PARENT_IEEE);
		nib.writeUInt16LE(network.panId, NIB_PAN_ID);
		nib[NIB_STATE] = 0;
		nib.writeUInt32LE(2 ** network.channel, NIB_CHANNEL_LIST);
		network.extendedPanId.copy(nib, NIB_EXTENDED_PAN_ID);
		nib[NIB_KEY_LOADED] = 1;
		nib[NIB_UPDATE_ID] = network.updateId;
		this.setItem(NV_NIB, nib);
		const counters = this.get(keyOf(1, FRAME_COUNTERS, 0));
		if (counters === undefined || !network.extendedPanId.equals(counters.subarray(4)))
			this.set(keyOf(1, FRAME_COUNTERS, 0), Buffer.concat([Buffer.alloc(4), network.extendedPanId]));
	}

	/** The extended PAN id that a network is to be formed with; undefined: the chip's own address. */
	get wantedExtendedPanId(): Buffer | undefined {
		const wanted = this.item(NV_EXTENDED_PAN_ID);
		return wanted?.length === 8 && wanted.some((byte) => byte !== 0 && byte !== 0xff) ? wanted : undefined;
	}

	/** The key of a new network is in use from now on. */
	useNetworkKey(): void {
		const key = Buffer.concat([Buffer.of(0), this.item(NV_PRECONFIGURED_KEY) ?? Buffer.alloc(16)]);
		this.setItem(NV_ACTIVE_KEY, key);
		this.setItem(NV_ALTERNATE_KEY, key);
	}

	/** What a start does first: NV_STARTUP_OPTION says what is to be as in a fresh chip. It is cleared by that. */
	start(): void {
		const option = this.item(NV_STARTUP_OPTION)?.[0] ?? 0;
		if (option !== 0) this.setItem(NV_STARTUP_OPTION, Buffer.of(0));
		if ((option & START_DEFAULT_NETWORK) !== 0) this.network = undefined;
		if ((option & START_DEFAULT_CONFIG) === 0) return;
		const { network } = this;
		this.#items.clear();
		this.#setDefaults();
		if (network !== undefined) this.network = network;
	}

	#setDefaults(): void {
		const defaults: readonly (readonly [number, Buffer])[] = [
			[NV_STARTUP_OPTION, Buffer.of(0)],
			// The images of Koenkk have the concentrator on.
			[NV_CONCENTRATOR_ENABLE, Buffer.of(1)],
			...SETTINGS.map((id): readonly [number, Buffer] => [id, Buffer.of(0)]),
			[NV_ACTIVE_KEY, Buffer.alloc(17)],
			[NV_ALTERNATE_KEY, Buffer.alloc(17)],
			[NV_DEVICE_LIST, Buffer.alloc(2 + 4 * 6)],
			[NV_IS_ON_A_NETWORK, Buffer.of(0)],
			[NV_PRECONFIGURED_KEY, Buffer.alloc(16)],
			[NV_PRECONFIGURED_KEYS_ENABLE, Buffer.of(1)],
			[NV_CHANNELS_DEFAULT, Buffer.alloc(24)],
			[NV_PAN_ID, Buffer.of(0xff, 0xff)],
			[NV_CHANNEL_MASK, Buffer.of(0x00, 0x08, 0x00, 0x00)],
			[NV_LOGICAL_TYPE, Buffer.of(0)],
			[NV_TCLK_TABLE, Buffer.alloc(16, 7)],
		];
		for (const [id, value] of defaults) this.setItem(id, value);
		for (const [item, length] of EXTENDED_TABLES) {
			for (let sub = 0; sub < EXTENDED_ROWS; sub++) this.set(keyOf(1, item, sub), Buffer.alloc(length));
		}
	}
}

export function keyOf(...ids: number[]): string {
	return ids.map((id) => id.toString(16).padStart(4, "0")).join("/");
}

/** As herdsman takes its network in its options. */
export interface CoordinatorNetwork {
	readonly panId: number;
	/** Most significant byte first. */
	readonly extendedPanId: readonly number[];
	readonly networkKey: readonly number[];
	readonly channel: number;
}

/** The memory of a coordinator that herdsman has formed this network with before: it starts in no time. */
export function formedCoordinator(
	ieee: Buffer,
	{ panId, extendedPanId, networkKey, channel }: CoordinatorNetwork,
): NVMemory {
	const nv = new NVMemory();
	const id = Buffer.from(extendedPanId).reverse();
	const mask = Buffer.alloc(4);
	mask.writeUInt32LE(2 ** channel);
	nv.setItem(NV_CONFIGURED, Buffer.of(0x55));
	nv.setItem(NV_PRECONFIGURED_KEY, Buffer.from(networkKey));
	nv.setItem(NV_PAN_ID, Buffer.of(panId & 0xff, panId >> 8));
	nv.setItem(NV_CHANNEL_MASK, mask);
	nv.setItem(NV_EXTENDED_PAN_ID, id);
	nv.setItem(NV_APS_EXTENDED_PAN_ID, id);
	nv.setItem(NV_ZDO_DIRECT_CALLBACK, Buffer.of(1));
	nv.useNetworkKey();
	nv.network = { channel, panId, extendedPanId: id, shortAddress: 0, parent: 0, parentIEEE: ieee, updateId: 0 };
	return nv;
}
