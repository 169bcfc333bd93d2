/**
 * DNS messages according to RFC 1035, independent of the project's reader and writer. `message` does not compress
 * names, but accepts names that the test has compressed; `parse` reads compressed names, and throws on errors.
 */

export interface Question {
	readonly name: string;
	readonly type: number;
	readonly class?: number;
}

export interface ResourceRecord extends Question {
	readonly ttl?: number;
	readonly data: Uint8Array;
}

export interface Parts {
	readonly id?: number;
	readonly flags?: number;
	readonly questions?: readonly Question[];
	readonly answers?: readonly ResourceRecord[];
	readonly authorities?: readonly ResourceRecord[];
	readonly additionals?: readonly ResourceRecord[];
}

export const A = 1;
export const PTR = 12;
export const TXT = 16;
export const AAAA = 28;
export const SRV = 33;
export const OPT = 41;
export const NSEC = 47;
export const HTTPS = 65;
export const ANY = 255;

const bytesOf = (...parts: (Uint8Array | number[] | Buffer)[]) =>
	new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))));
const u16 = (value: number) => [value >> 8, value & 0xff];

/** Labels separated by dots; "\." is a dot in a label. */
export function name(text: string): Uint8Array {
	const labels = text.split(/(?<!\\)\./).map((label) => Buffer.from(label.replaceAll("\\.", ".")));
	return bytesOf(...labels.filter((label) => label.length > 0).flatMap((label) => [[label.length], label]), [0]);
}

export const address = (text: string) => Uint8Array.from(text.split("."), Number);
export const srv = (port: number, host: string) => bytesOf(u16(0), u16(0), u16(port), name(host));
export const txt = (...texts: string[]) => bytesOf(...texts.flatMap((text) => [[text.length], Buffer.from(text)]));

export function message({
	id = 0,
	flags = 0,
	questions = [],
	answers = [],
	authorities = [],
	additionals = [],
}: Parts): Uint8Array {
	const records = [...answers, ...authorities, ...additionals];
	const counts = [questions, answers, authorities, additionals].map((list) => u16(list.length));
	return bytesOf(
		u16(id),
		u16(flags),
		...counts,
		...questions.map((one) => bytesOf(name(one.name), u16(one.type), u16(one.class ?? 1))),
		...records.map(({ name: owner, type, class: dnsClass = 1, ttl = 120, data }) =>
			bytesOf(name(owner), u16(type), u16(dnsClass), u16(ttl >>> 16), u16(ttl & 0xffff), u16(data.length), data),
		),
	);
}

/** Parsed message; a record is `name TYPE ttl data`, with `!` after the type if the top bit of its class is set. */
export interface Parsed {
	readonly id: number;
	readonly flags: number;
	readonly questions: string[];
	readonly answers: string[];
	readonly authorities: string[];
	readonly additionals: string[];
}

const TYPES: Record<number, string> = {
	[A]: "A",
	[PTR]: "PTR",
	[TXT]: "TXT",
	[SRV]: "SRV",
	[NSEC]: "NSEC",
	[ANY]: "ANY",
};

export function parse(bytes: Uint8Array): Parsed {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	let at = 12;
	const readName = (): string => {
		const labels: string[] = [];
		let end = -1;
		for (let i = at; ; ) {
			const length = view.getUint8(i);
			if (length === 0) {
				at = end < 0 ? i + 1 : end;
				return labels.join(".");
			}
			if (length >= 0xc0) {
				if (end < 0) end = i + 2;
				const to = view.getUint16(i) & 0x3fff;
				if (to >= i) throw new Error(`pointer from ${i} to ${to}`);
				i = to;
				continue;
			}
			if (length > 63) throw new Error(`label of ${length} at ${i}`);
			labels.push(Buffer.from(bytes.subarray(i + 1, i + 1 + length)).toString());
			i += 1 + length;
		}
	};
	const readType = () => {
		const type = view.getUint16(at);
		const dnsClass = view.getUint16(at + 2);
		at += 4;
		if ((dnsClass & 0x7fff) !== 1) throw new Error(`class ${dnsClass}`);
		return `${TYPES[type] ?? type}${dnsClass & 0x8000 ? "!" : ""}`;
	};
	const readData = (type: string, end: number): string => {
		if (type === "A") return bytes.subarray(at, end).join(".");
		if (type === "PTR") return readName();
		if (type === "SRV") {
			at += 6;
			return `${view.getUint16(at - 2)} ${readName()}`;
		}
		if (type === "NSEC") return `${readName()} ${Buffer.from(bytes.subarray(at, end)).toString("hex")}`;
		return Buffer.from(bytes.subarray(at, end)).toString("latin1");
	};
	const readRecord = () => {
		const owner = readName();
		const type = readType();
		const ttl = view.getUint32(at);
		const end = at + 6 + view.getUint16(at + 4);
		at += 6;
		const data = readData(type.replace("!", ""), end);
		at = end;
		return `${owner} ${type} ${ttl} ${data}`;
	};
	const list = (offset: number, read: () => string) => Array.from({ length: view.getUint16(offset) }, read);
	const parsed = {
		id: view.getUint16(0),
		flags: view.getUint16(2),
		questions: list(4, () => `${readName()} ${readType()}`),
		answers: list(6, readRecord),
		authorities: list(8, readRecord),
		additionals: list(10, readRecord),
	};
	if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes are left`);
	return parsed;
}
