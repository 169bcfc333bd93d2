/**
 * SML 1.04 telegrams (BSI TR-03109-1, annex IV, part b) of different makes, with the values of a household. Each
 * telegram has the documented peculiarity of its make, but no captured bytes.
 */
import { checkOf } from "./hdlc-frame.js";
import type { HouseholdReading } from "./household.js";

const WH = 30;
const WATT = 27;
const VOLT = 35;
const AMPERE = 33;
const HERTZ = 44;
const ABSENT = Buffer.of(0x01);
const ESCAPES = Buffer.of(0x1b, 0x1b, 0x1b, 0x1b);
const BEGIN = Buffer.of(0x01, 0x01, 0x01, 0x01);
/** Flag for export in the status word: bit 11 in new meters, bit 5 in old ones. */
const EXPORTS = 0x800;
const OLD_EXPORTS = 0x20;

interface Entry {
	readonly obis: string;
	readonly value: Buffer;
	readonly unit?: number;
	readonly scaler?: number;
	readonly status?: Buffer;
	readonly signature?: Buffer;
}

interface Make {
	readonly id: string;
	entries(reading: HouseholdReading, id: Buffer): Entry[];
	/** True if the times of values are bare numbers. */
	readonly hasBareTime?: true;
	/** True if checks are CRC-16/Kermit, high byte first. */
	readonly isKermit?: true;
	/** True if checks of messages omit a leading 00. */
	readonly hasShortCheck?: true;
	readonly signature?: number;
	/** True if values have times as in the standard. Default: no times. */
	readonly hasTime?: true;
}

/**
 * Encodes type and length. The length includes these bytes themselves. The length of a list is the number of its
 * elements.
 */
function head(type: number, length: number): Buffer {
	return length < 16 ? Buffer.of(type | length) : Buffer.of(0x80 | type | (length >> 4), length & 15);
}

function sized(type: number, bytes: Uint8Array): Buffer {
	return Buffer.concat([head(type, bytes.length + (bytes.length + 1 < 16 ? 1 : 2)), bytes]);
}

const octets = (bytes: Uint8Array) => sized(0x00, bytes);
const list = (...items: Uint8Array[]) => Buffer.concat([head(0x70, items.length), ...items]);

function bytesOf(value: number, size: number): Buffer {
	return Buffer.from(
		BigInt.asUintN(size * 8, BigInt(Math.round(value)))
			.toString(16)
			.padStart(size * 2, "0"),
		"hex",
	);
}

const signed = (value: number, size: number) => sized(0x50, bytesOf(value, size));
const unsigned = (value: number, size: number) => sized(0x60, bytesOf(value, size));

function shortest(value: number): Buffer {
	const whole = BigInt(Math.round(value));
	let size = 1;
	while (BigInt.asIntN(size * 8, whole) !== whole) size++;
	return signed(value, size);
}

function code(obis: string): Buffer {
	return octets(Buffer.from(obis.split(/[-:.*]/).map(Number)));
}

const importOf = ({ dayImport, nightImport }: HouseholdReading) => Math.round((dayImport + nightImport) * 10_000);
const exportOf = (reading: HouseholdReading) => Math.round(reading.export * 10_000);
/** Returns whole kWh, as a meter shows them while it waits for its PIN. */
const wholeKWh = (tenths: number) => Math.floor(tenths / 10_000);
const status = (reading: HouseholdReading, rest: number, bit: number) => rest | (reading.power < 0 ? bit : 0);

/** Entries for maker and id. `oldNames` has the codes that old meters use. */
const newNames = (maker: string, id: Buffer): Entry[] => [
	{ obis: "1-0:96.50.1*1", value: octets(Buffer.from(maker)) },
	{ obis: "1-0:96.1.0*255", value: octets(id) },
];
const oldNames = (maker: string, id: Buffer): Entry[] => [
	{ obis: "129-129:199.130.3*255", value: octets(Buffer.from(maker)) },
	{ obis: "1-0:0.0.9*255", value: octets(id) },
];
const energy = (obis: string, value: Buffer, more: Partial<Entry> = {}): Entry => ({
	obis,
	value,
	unit: WH,
	scaler: -1,
	...more,
});
const power = (value: Buffer, scaler = 0, obis = "1-0:16.7.0*255"): Entry => ({ obis, value, unit: WATT, scaler });
const noise = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i * 73 + 129) & 0xff));
const key = (value: Buffer): Entry => ({ obis: "129-129:199.130.5*255", value: octets(value) });

const MAKES = {
	plain: {
		id: "0a01534d470000012345",
		entries: (reading) => [
			energy("1-0:1.8.0*255", signed(importOf(reading), 8)),
			energy("1-0:2.8.0*255", signed(exportOf(reading), 8)),
			power(signed(reading.power, 8)),
		],
		hasTime: true,
	},
	"emh-ehz": {
		id: "0901454d480000012345",
		entries: (reading, id) => [
			...oldNames("EMH", id),
			energy("1-0:1.8.0*255", signed(importOf(reading), 5), { status: unsigned(0x182, 2) }),
			energy("1-0:1.8.1*255", signed(Math.round(reading.dayImport * 10_000), 5)),
			energy("1-0:1.8.2*255", signed(Math.round(reading.nightImport * 10_000), 5)),
			power(signed(reading.power * 10, 4), -1),
			{ ...key(noise(48)), signature: octets(noise(20)) },
		],
		hasTime: true,
	},
	"emh-ed300l": {
		id: "06454d480100012345ab",
		entries: (reading, id) => [
			...oldNames("EMH", id),
			energy("1-0:1.8.0*255", signed(importOf(reading), 5), {
				status: unsigned(status(reading, 0x190, OLD_EXPORTS), 2),
			}),
			energy("1-0:2.8.0*255", signed(exportOf(reading), 5)),
			power(unsigned(Math.abs(reading.power) * 10, 4), -1, "1-0:15.7.0*255"),
		],
		hasTime: true,
	},
	"iskra-mt175": {
		id: "090149534b0000012345",
		entries: (reading, id) => [
			...oldNames("ISK", id),
			energy("1-0:1.8.0*255", unsigned(importOf(reading), 8), {
				status: unsigned(status(reading, 0x182, OLD_EXPORTS), 3),
			}),
			power(signed(reading.power, 4)),
		],
		hasTime: true,
	},
	"iskra-mt691": {
		id: "0a0149534b0000012345",
		entries: (reading, id) => [
			...newNames("ISK", id),
			energy("1-0:1.8.0*255", unsigned(importOf(reading), 4), { status: unsigned(0x1c0104, 4) }),
			energy("1-0:2.8.0*255", unsigned(exportOf(reading), 4)),
			power(shortest(reading.power)),
		],
		hasTime: true,
		hasShortCheck: true,
	},
	"dzg-dvs": {
		id: "0a01445a470002012345",
		entries: (reading, id) => {
			const centiwatts = Math.round(reading.power * 100);
			const isShort = centiwatts >= 0 && centiwatts < 0x10000;
			return [
				...newNames("DZG", id),
				energy("1-0:1.8.0*255", unsigned(importOf(reading), 4), {
					status: unsigned(status(reading, 0x1c0104, EXPORTS), 4),
				}),
				energy("1-0:2.8.0*255", unsigned(exportOf(reading), 4)),
				// Powers up to 655.35 W can be encoded in two bytes.
				power(isShort ? signed(centiwatts, 2) : shortest(centiwatts), -2),
			];
		},
		hasTime: true,
	},
	"holley-zdba": {
		id: "0a01484c590200012345",
		entries: (reading, id) => [
			...newNames("HLY", id),
			energy("1-0:1.8.0*255", unsigned(importOf(reading), 4), { status: unsigned(4, 4) }),
			energy("1-0:2.8.0*255", unsigned(exportOf(reading), 4), { status: unsigned(4, 4) }),
			power(shortest(reading.power)),
			{ obis: "1-0:32.7.0*255", value: unsigned(reading.phases[0].volts * 10, 2), unit: VOLT, scaler: -1 },
			{ obis: "1-0:31.7.0*255", value: unsigned(reading.phases[0].amperes * 100, 2), unit: AMPERE, scaler: -2 },
			{ obis: "1-0:14.7.0*255", value: unsigned(reading.frequency * 10, 2), unit: HERTZ, scaler: -1 },
			{ obis: "1-0:0.2.0*0", value: octets(Buffer.from("2.01.001")) },
			{ obis: "1-0:96.5.0*255", value: unsigned(4, 4) },
			...Array.from({ length: 8 }, (_, i) => ({ obis: `1-0:96.90.${i + 1}*1`, value: octets(noise(2)) })),
		],
		hasBareTime: true,
	},
	"holley-kermit": {
		id: "0a01484c590200054321",
		entries: (reading, id) => [
			...newNames("HLY", id),
			energy("1-0:1.8.0*255", unsigned(importOf(reading), 4)),
			power(shortest(reading.power)),
		],
		isKermit: true,
	},
	"no-pin": {
		id: "0a01454d480000054321",
		entries: (reading, id) => [
			...newNames("EMH", id),
			energy("1-0:1.8.0*255", unsigned(wholeKWh(importOf(reading)), 3), { scaler: 3 }),
			energy("1-0:2.8.0*255", unsigned(wholeKWh(exportOf(reading)), 2), { scaler: 3 }),
		],
		hasTime: true,
	},
	signed: {
		id: "0a01534d470000054321",
		entries: (reading, id) => [
			...newNames("SMG", id),
			energy("1-0:1.8.0*255", shortest(importOf(reading)), { signature: octets(noise(48)) }),
			power(shortest(reading.power)),
			{ obis: "1-0:96.3.10*255", value: Buffer.of(0x42, 0x01) },
		],
		hasTime: true,
		signature: 320,
	},
	escapes: {
		id: "0a01534d47001b1b1b1b",
		entries: (reading, id) => [
			...newNames("SMG", id),
			energy("1-0:1.8.0*255", unsigned(0x1b1b1b1b, 4)),
			power(shortest(reading.power)),
			key(Buffer.concat([ESCAPES, ESCAPES, Buffer.of(0x1b, 0x1a, 0), ESCAPES, BEGIN, Buffer.of(0x1b)])),
		],
	},
} satisfies Record<string, Make>;

export type SMLMake = keyof typeof MAKES;
export const SML_MAKES = Object.keys(MAKES) as readonly SMLMake[];

export interface SMLTelegramFaults {
	/** True if the check of the whole transmission is wrong. */
	readonly hasWrongCheck?: boolean;
	/** True if the check of the message with the values is wrong. */
	readonly hasWrongMessageCheck?: boolean;
	/** True if a list announces one element too many. All checks are correct. */
	readonly isBroken?: boolean;
	/** True if the meter waits for its PIN. It then sends whole kWh and no power. */
	readonly isHidden?: boolean;
}

function kermitOf(bytes: Uint8Array): Buffer {
	let crc = 0;
	for (const byte of bytes) {
		crc ^= byte;
		for (let i = 0; i < 8; i++) crc = crc & 1 ? (crc >>> 1) ^ 0x8408 : crc >>> 1;
	}
	return Buffer.of(crc >> 8, crc & 0xff);
}

export function smlTelegram(
	reading: HouseholdReading,
	name: SMLMake = "plain",
	faults: SMLTelegramFaults = {},
): Uint8Array {
	const make: Make = MAKES[name];
	const check = make.isKermit ? kermitOf : checkOf;
	const seconds = unsigned((reading.utcMs / 1000) % 2 ** 32, 4);
	const time = make.hasTime ? list(unsigned(1, 1), seconds) : make.hasBareTime ? seconds : ABSENT;
	let number = Math.floor(reading.utcMs / 1000) & 0xffff;

	/** Makes a message with the next number. If a short check is needed, uses the next number that gives one. */
	const message = (tag: number, body: Uint8Array, isWrong = false): Buffer => {
		for (;;) {
			number++;
			const choice = list(unsigned(tag, 2), body);
			const start = Buffer.concat([head(0x70, 6), octets(bytesOf(number, 4)), unsigned(0, 1), unsigned(0, 1), choice]);
			let sum = check(start);
			if (isWrong) sum = Buffer.of(sum[0] ^ 0x55, sum[1]);
			const isShort = make.hasShortCheck === true && sum[0] === 0;
			if (make.hasShortCheck && !isShort && !isWrong && tag === 0x0701) continue;
			return Buffer.concat([start, sized(0x60, isShort ? sum.subarray(1) : sum), Buffer.of(0x00)]);
		}
	};

	const id = Buffer.from(make.id, "hex");
	const { isHidden = false } = faults;
	const entries = make
		.entries(isHidden ? inWholeKWh(reading) : reading, id)
		.filter(({ unit = WH }) => !isHidden || unit === WH)
		.map(({ obis, value, unit, scaler, status: word = ABSENT, signature = ABSENT }) =>
			list(
				code(obis),
				word,
				unit === undefined ? ABSENT : time,
				unit === undefined ? ABSENT : unsigned(unit, 1),
				scaler === undefined ? ABSENT : signed(scaler, 1),
				value,
				signature,
			),
		);
	const values = list(...entries);
	if (faults.isBroken) values[values.length > 0 && values[0] >= 0x80 ? 1 : 0]++;
	const listSignature = make.signature === undefined ? ABSENT : longOctets(noise(make.signature));
	const listName = octets(Buffer.from([1, 0, 0x62, 0x0a, 0xff, 0xff]));
	const listTime = make.hasTime ? time : ABSENT;
	const response = list(ABSENT, octets(id), listName, listTime, values, listSignature, ABSENT);
	const file = Buffer.concat([
		message(0x0101, list(ABSENT, ABSENT, octets(Buffer.of(0, 1)), octets(id), ABSENT, ABSENT)),
		message(0x0701, response, faults.hasWrongMessageCheck),
		message(0x0201, list(ABSENT)),
	]);
	const pad = (4 - (file.length % 4)) % 4;
	const all = Buffer.concat([ESCAPES, BEGIN, escaped(file), Buffer.alloc(pad), ESCAPES, Buffer.of(0x1a, pad)]);
	const sum = check(all);
	if (faults.hasWrongCheck) sum[0] ^= 0x55;
	return Buffer.concat([all, sum]);
}

function inWholeKWh(reading: HouseholdReading): HouseholdReading {
	const { dayImport, nightImport, export: exported } = reading;
	const day = Math.floor(dayImport);
	return {
		...reading,
		dayImport: day,
		nightImport: Math.floor(dayImport + nightImport) - day,
		export: Math.floor(exported),
	};
}

function longOctets(bytes: Uint8Array): Buffer {
	const length = bytes.length + 3;
	return Buffer.concat([Buffer.of(0x80 | (length >> 8), 0x80 | ((length >> 4) & 15), length & 15), bytes]);
}

function escaped(file: Buffer): Buffer {
	return Buffer.from(
		file.toString("latin1").replaceAll("\x1b\x1b\x1b\x1b", "\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b"),
		"latin1",
	);
}
