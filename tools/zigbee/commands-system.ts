/** SYS and UTIL commands, which are about the chip and its memory. */
import type { Chip, Commands } from "./chip.js";
import { keyOf } from "./nvram.js";

const OK = 0x00;
const NV_FAILED = 0x0a;
const NV_CREATED = 0x09;
const NV_BAD_LENGTH = 0x0c;

/** Reply to SYS_PING. Each bit is a subsystem that is present: SYS, UTIL and others. */
const CAPABILITIES = [0x79, 0x05];
/** Logical types, as bits. All three types are compiled in. */
const DEVICE_TYPES = 7;
const NO_ADDRESS = [0xfe, 0xff];
const READ_LIMIT = 246;
/** Size of an entry in the table of associated devices, with aligned members. */
const ASSOCIATED_BYTES = 36;

/** Returns the key of a row. The data begin with system, item and sub id. */
const rowOf = (data: Buffer) => keyOf(data.readUInt8(0), data.readUInt16LE(1), data.readUInt16LE(3));
const itemOf = (data: Buffer) => keyOf(data.readUInt16LE(0));

function read(value: Buffer | undefined, offset: number, limit = READ_LIMIT): number[] {
	if (value === undefined || offset > value.length) return [NV_FAILED, 0];
	const part = value.subarray(offset, offset + limit);
	return [OK, part.length, ...part];
}

/** Writes into an item. The item must exist and be long enough. */
function write(chip: Chip, key: string, offset: number, bytes: Buffer): number[] {
	const value = chip.nv.get(key);
	if (value === undefined || offset + bytes.length > value.length) return [NV_FAILED];
	const changed = Buffer.from(value);
	bytes.copy(changed, offset);
	chip.nv.set(key, changed);
	return [OK];
}

function create(chip: Chip, key: string, length: number, initial: Buffer): number[] {
	if (chip.nv.get(key) !== undefined) return [OK];
	const value = Buffer.alloc(length, 0xff);
	initial.copy(value);
	chip.nv.set(key, value);
	return [NV_CREATED];
}

function remove(chip: Chip, key: string, length: number | undefined): number[] {
	const value = chip.nv.get(key);
	if (value === undefined) return [NV_CREATED];
	if (length !== undefined && length !== value.length) return [NV_BAD_LENGTH];
	chip.nv.delete(key);
	return [OK];
}

function taken(data: Buffer, at: number, length: number): Buffer {
	if (at + length > data.length) throw new RangeError("too short");
	return data.subarray(at, at + length);
}

export const SYSTEM_COMMANDS: Commands = {
	// SYS_PING
	257: () => CAPABILITIES,
	// SYS_VERSION
	258: (chip) => chip.version,
	// SYS_GET_EXTADDR
	260: (chip) => chip.ieee,
	// SYS_OSAL_NV_ITEM_INIT
	263: (chip, data) => create(chip, itemOf(data), data.readUInt16LE(2), taken(data, 5, data.readUInt8(4))),
	// SYS_OSAL_NV_READ, _WRITE
	264: (chip, data) => read(chip.nv.get(itemOf(data)), data.readUInt8(2)),
	265: (chip, data) => write(chip, itemOf(data), data.readUInt8(2), taken(data, 4, data.readUInt8(3))),
	// SYS_RANDOM
	268: () => [0x5a, 0xa5],
	// SYS_STACK_TUNE
	271: () => [OK],
	// SYS_OSAL_NV_DELETE, _LENGTH
	274: (chip, data) => remove(chip, itemOf(data), data.readUInt16LE(2)),
	275: (chip, data) => lengthOf(chip.nv.get(itemOf(data))).slice(0, 2),
	// SYS_SET_TX_POWER
	276: (_chip, data) => [data.readUInt8(0)],
	// SYS_OSAL_NV_READ_EXT, _WRITE_EXT
	284: (chip, data) => read(chip.nv.get(itemOf(data)), data.readUInt16LE(2)),
	285: (chip, data) => write(chip, itemOf(data), data.readUInt16LE(2), taken(data, 6, data.readUInt16LE(4))),
	// SYS_NV_CREATE, _DELETE, _LENGTH, _READ, _WRITE, _UPDATE, for rows of the extended tables.
	304: (chip, data) => create(chip, rowOf(data), data.readUInt32LE(5), Buffer.alloc(0)),
	305: (chip, data) => remove(chip, rowOf(data), undefined),
	306: (chip, data) => lengthOf(chip.nv.get(rowOf(data))),
	307: (chip, data) => read(chip.nv.get(rowOf(data)), data.readUInt16LE(5), data.readUInt8(7)),
	308: (chip, data) => write(chip, rowOf(data), data.readUInt16LE(5), taken(data, 8, data.readUInt8(7))),
	309: (chip, data) => {
		chip.nv.set(rowOf(data), taken(data, 6, data.readUInt8(5)));
		return [OK];
	},
	// UTIL_GET_DEVICE_INFO
	1792: (chip) => {
		const address = chip.network === undefined ? NO_ADDRESS : shortOf(chip);
		return [OK, ...chip.ieee, ...address, DEVICE_TYPES, chip.devState, 0];
	},
	// UTIL_LED_CONTROL
	1802: () => [OK],
	// UTIL_ASSOC_COUNT, _FIND_DEVICE, _GET_WITH_ADDRESS. The chip has no associated devices.
	1864: () => [0, 0],
	1865: () => Buffer.alloc(ASSOCIATED_BYTES, 0xff),
	1866: () => Buffer.alloc(ASSOCIATED_BYTES, 0xff),
};

function lengthOf(value: Buffer | undefined): number[] {
	const length = value?.length ?? 0;
	return [length & 0xff, length >> 8, 0, 0];
}

function shortOf({ network }: Chip): number[] {
	return [network!.shortAddress & 0xff, network!.shortAddress >> 8];
}
