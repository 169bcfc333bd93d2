/**
 * Non-volatile memory of a coprocessor: items by id, and rows of the extended tables by system, item and sub id.
 *
 * The changes of a start follow TI's source (simplelink-lowpower-f2-sdk, source/ti/zstack), in this order:
 *
 *   boot           zgInit (zglobals.c): with bit 0 of STARTUP_OPTION the settings, the node-is-on-a-network flag,
 *                  the network keys (ZDSecMgrNwkKeyInit) and the link keys are those of a fresh chip, and bit 0 is
 *                  cleared. The NIB and bit 1 stay.
 *   start of BDB   ZDOInitDeviceEx (zd_app.c): with bit 1 the NIB and the network keys are erased
 *                  (NLME_SetDefaultNV, ZDSecMgrClearNVKeyValues) and bit 1 is cleared. Without it, the network in
 *                  the NIB is restored, whatever the flag says, if the NIB has one (NLME_RestoreFromNV, which TI
 *                  publishes as a library only).
 *   nothing found  bdb_setFN (bdb.c): clears the flag and sets both bits. A leave does the same; the NIB stays until
 *                  the next start.
 *
 * Dumps of real chips in test/vectors/restricted/zigbee confirm the layout of the NIB, and that bit 1 survives a boot.
 */

export const NV_STARTUP_OPTION = 0x0003;
export const NV_NIB = 0x0021;
export const NV_IEEE_ADDRESS = 0x0001;
const NV_EXTENDED_PAN_ID = 0x002d;
const NV_CONCENTRATOR_ENABLE = 0x0032;
export const NV_ACTIVE_KEY = 0x003a;
export const NV_ALTERNATE_KEY = 0x003b;
const NV_APS_EXTENDED_PAN_ID = 0x0047;
const NV_DEVICE_LIST = 0x004c;
export const NV_IS_ON_A_NETWORK = 0x0055;
/** Item that zigbee-herdsman sets to 0x55 to mark a chip that it has configured. */
const NV_CONFIGURED = 0x0060;
const NV_PRECONFIGURED_KEY = 0x0062;
const NV_PRECONFIGURED_KEYS_ENABLE = 0x0063;
const NV_LINK_KEY_SEED = 0x0101;
/** Link key that was agreed with the coordinator. */
export const NV_LINK_KEY = 0x0102;
/** Copy of the active network key: number, key, padding, frame counter (nwkActiveKeyItems). */
export const NV_NETWORK_KEY = 0x0082;
export const NV_PAN_ID = 0x0083;
export const NV_CHANNEL_MASK = 0x0084;
export const NV_LOGICAL_TYPE = 0x0087;
export const NV_ZDO_DIRECT_CALLBACK = 0x008f;

export const COORDINATOR = 0;
export const ROUTER = 1;
export const END_DEVICE = 2;

/** Bit of NV_STARTUP_OPTION. If it is set, the next boot restores the settings of a fresh chip. */
const START_DEFAULT_CONFIG = 1;
/** Bit of NV_STARTUP_OPTION. If it is set, the next start of BDB erases the network. */
const START_DEFAULT_NETWORK = 2;

export const ANY_PAN_ID = 0xffff;
const NO_SHORT_ADDRESS = 0xfffe;
const KEY_BYTES = 16;
/** Length of NV_NETWORK_KEY with aligned memory. */
const NETWORK_KEY_BYTES = 24;

/** Length of the NIB with aligned memory, and offsets of those of its members that are used here. */
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

/** A network. Addresses and ids of 8 bytes have the least significant byte first. */
export interface Network {
	channel: number;
	panId: number;
	readonly extendedPanId: Buffer;
	readonly shortAddress: number;
	/** Short address of the parent. In a coordinator this is its own address. */
	readonly parent: number;
	readonly parentIEEE: Buffer;
	updateId: number;
}

/** Contents as hex strings. The keys are `id` or `system/item/sub`, with the ids in hex. */
export type NVContents = Readonly<Record<string, string>>;

/**
 * Extended tables of a fresh chip, which belong to system 1. Each entry has the table's item id and the length of its
 * rows.
 */
const EXTENDED_TABLES: readonly (readonly [number, number])[] = [
	[1, 12],
	[4, 20],
	[6, 24],
	[7, 12],
];
/** Tables with link keys: those of the trust centre, and those of other nodes. */
const LINK_KEY_TABLES = EXTENDED_TABLES.slice(1, 3);
const EXTENDED_ROWS = 4;
/** Table of frame counters. It has a row for each network, with 4 bytes and the extended PAN id. */
const FRAME_COUNTERS = 7;
const DEFAULT_LINK_KEY = Buffer.from("ZigBeeAlliance09");

type Item = readonly [id: number, value: Buffer];

/** Settings of a fresh chip (zgItemTable), and the random key of the network that it would form. */
const SETTINGS: readonly Item[] = [
	// These items are settings of broadcasts, of the age of children, and of retransmitted frames.
	...[0x0030, 0x0033, 0x0036, 0x0038, 0x003e].map((id): Item => [id, Buffer.of(0)]),
	// Koenkk's images enable the concentrator.
	[NV_CONCENTRATOR_ENABLE, Buffer.of(1)],
	[NV_APS_EXTENDED_PAN_ID, Buffer.alloc(8)],
	[NV_PRECONFIGURED_KEY, Buffer.alloc(KEY_BYTES, 0xc3)],
	[NV_PRECONFIGURED_KEYS_ENABLE, Buffer.of(1)],
	[NV_PAN_ID, Buffer.of(0xff, 0xff)],
	[NV_CHANNEL_MASK, Buffer.of(0x00, 0x08, 0x00, 0x00)],
	[NV_LOGICAL_TYPE, Buffer.of(COORDINATOR)],
	[NV_LINK_KEY_SEED, Buffer.alloc(KEY_BYTES, 7)],
];

const FRESH: readonly Item[] = [
	[NV_STARTUP_OPTION, Buffer.of(0)],
	[NV_ZDO_DIRECT_CALLBACK, Buffer.of(0)],
	[NV_ACTIVE_KEY, Buffer.alloc(1 + KEY_BYTES)],
	[NV_ALTERNATE_KEY, Buffer.alloc(1 + KEY_BYTES)],
	[NV_DEVICE_LIST, Buffer.alloc(2 + 4 * 6)],
	[NV_IS_ON_A_NETWORK, Buffer.of(0)],
	[NV_NETWORK_KEY, Buffer.alloc(NETWORK_KEY_BYTES)],
];

export class NVMemory {
	readonly #items = new Map<string, Buffer>();
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

	/** Deletes an item. Returns false if it did not exist. */
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

	/** Network in the NIB. It remains there even after the chip has left it. */
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

	set network(network: Network) {
		this.isOnANetwork = true;
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

	/** True if the flag bdbNodeIsOnANetwork of BDB is set. */
	get isOnANetwork(): boolean {
		return this.item(NV_IS_ON_A_NETWORK)?.[0] === 1;
	}

	set isOnANetwork(isOn: boolean) {
		this.setItem(NV_IS_ON_A_NETWORK, Buffer.of(Number(isOn)));
	}

	/** Extended PAN id for a network that the chip forms. Undefined if the chip uses its own address for it. */
	get wantedExtendedPanId(): Buffer | undefined {
		const wanted = this.item(NV_EXTENDED_PAN_ID);
		return wanted?.length === 8 && wanted.some((byte) => byte !== 0 && byte !== 0xff) ? wanted : undefined;
	}

	/** Key for a network that the chip forms. */
	get ownKey(): Buffer {
		return this.item(NV_PRECONFIGURED_KEY) ?? Buffer.alloc(KEY_BYTES);
	}

	/** Key of the present network, or zeros if there is none. */
	get networkKey(): Buffer {
		return this.item(NV_NETWORK_KEY)?.subarray(1, 1 + KEY_BYTES) ?? Buffer.alloc(KEY_BYTES);
	}

	set networkKey(key: Buffer) {
		const numbered = Buffer.concat([Buffer.of(0), key]);
		this.setItem(NV_ACTIVE_KEY, numbered);
		this.setItem(NV_ALTERNATE_KEY, numbered);
		this.setItem(NV_NETWORK_KEY, Buffer.concat([numbered], NETWORK_KEY_BYTES));
	}

	get #startupOption(): number {
		return this.item(NV_STARTUP_OPTION)?.[0] ?? 0;
	}

	boot(): void {
		const option = this.#startupOption;
		if ((option & START_DEFAULT_CONFIG) !== 0) {
			for (const [id, value] of SETTINGS) this.setItem(id, value);
			for (const [item, length] of LINK_KEY_TABLES) this.#clearRows(item, length);
			this.networkKey = Buffer.alloc(KEY_BYTES);
			this.isOnANetwork = false;
			this.setItem(NV_STARTUP_OPTION, Buffer.of(option & ~START_DEFAULT_CONFIG));
		}
		// Deleted items get the values of a fresh chip.
		for (const [id, value] of FRESH) if (this.item(id) === undefined) this.setItem(id, value);
	}

	startNetwork(): Network | undefined {
		const option = this.#startupOption;
		if ((option & START_DEFAULT_NETWORK) !== 0) {
			this.isOnANetwork = false;
			this.networkKey = Buffer.alloc(KEY_BYTES);
			this.setItem(NV_LINK_KEY, DEFAULT_LINK_KEY);
		} else if (this.network !== undefined) return this.network;
		const nib = Buffer.alloc(NIB_BYTES);
		nib.writeUInt16LE(NO_SHORT_ADDRESS, NIB_SHORT_ADDRESS);
		nib.writeUInt16LE(ANY_PAN_ID, NIB_PAN_ID);
		this.setItem(NV_NIB, nib);
		this.setItem(NV_STARTUP_OPTION, Buffer.of(option & ~START_DEFAULT_NETWORK));
		return undefined;
	}

	setFactoryNew(): void {
		this.isOnANetwork = false;
		this.setItem(NV_STARTUP_OPTION, Buffer.of(START_DEFAULT_CONFIG | START_DEFAULT_NETWORK));
	}

	settle(panId: number): void {
		this.setItem(NV_PAN_ID, Buffer.of(panId & 0xff, panId >> 8));
		this.setItem(NV_STARTUP_OPTION, Buffer.of(0));
	}

	#setDefaults(): void {
		for (const [id, value] of [...SETTINGS, ...FRESH]) this.setItem(id, value);
		for (const [item, length] of EXTENDED_TABLES) this.#clearRows(item, length);
	}

	#clearRows(item: number, length: number): void {
		for (let sub = 0; sub < EXTENDED_ROWS; sub++) this.set(keyOf(1, item, sub), Buffer.alloc(length));
	}
}

export function keyOf(...ids: number[]): string {
	return ids.map((id) => id.toString(16).padStart(4, "0")).join("/");
}

export interface CoordinatorNetwork {
	readonly panId: number;
	/** Extended PAN id, most significant byte first. */
	readonly extendedPanId: readonly number[];
	readonly networkKey: readonly number[];
	readonly channel: number;
}

/**
 * Returns the memory of a coordinator in which herdsman has already formed the network. This saves time at the start.
 */
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
	nv.networkKey = nv.ownKey;
	nv.network = { channel, panId, extendedPanId: id, shortAddress: 0, parent: 0, parentIEEE: ieee, updateId: 0 };
	return nv;
}
