/** Pushed lists without codes, made from rows (modules/dlms/lists.ts) by a row parser independent of the gateway's. */

import { GROUPS, KNOWN_LISTS } from "../../modules/dlms/lists.js";
import { protect } from "../../tools/meter/dlms-cipher.js";

/** The known rows with the words of their groups. */
export const KNOWN_ROWS = KNOWN_LISTS.split(";").map((row) =>
	row
		.split(" ")
		.map((word) => (/^[A-Z]$/.test(word) ? GROUPS[word.charCodeAt(0) - 65] : word))
		.join(" "),
);

export interface Element {
	/** Tag, length and content. */
	readonly bytes: Uint8Array;
	/** Record that the gateway makes of it. */
	readonly record?: string;
}

const UNITS: readonly (readonly [RegExp, string])[] = [
	[/^1-0:(1|2|21|22|41|42|61|62)\.7\.0$/, "*W"],
	[/^1-0:[12]\.8\.\d$/, "*Wh"],
	[/^1-0:[3-8]\.8\.\d$/, "*varh"],
	[/^1-0:[34]\.7\.0$/, "*var"],
	[/^1-0:[357]1\.7\.0$/, "*A"],
	[/^1-0:[357]2\.7\.0$/, "*V"],
];

const SIZES: Readonly<Record<number, number>> = { 3: 1, 5: 4, 6: 4, 18: 2, 22: 1 };

/** Words of a row after its makers. */
function wordsOf(row: string): readonly string[] {
	return row.split(" ").filter((word) => word !== "" && !/^[A-Z]{3}$/.test(word));
}

export function makersOf(row: string): readonly string[] {
	return row.split(" ").filter((word) => /^[A-Z]{3}$/.test(word));
}

function unitOf(code: string): string {
	return UNITS.find(([codes]) => codes.test(code))?.[1] ?? "";
}

function scaled(value: number, scaler: number): string {
	return scaler < 0 ? (value * 10 ** scaler).toFixed(-scaler) : String(value * 10 ** scaler);
}

/** An element that fits the word, with the value `value` or a text. */
function elementOf(word: string, value: number, maker: string | undefined): Element {
	const [, type, size, code, scaler = "0"] = /^(..)(..)?(?:=([^e*]*)(?:e(-?\d))?)?$/.exec(word) ?? [];
	const tag = Number.parseInt(type, 16);
	const address = code === undefined ? undefined : code.includes(":") ? code : `1-0:${code}`;
	if (tag === 9) {
		const length = size === undefined ? 9 : Number.parseInt(size, 16);
		const isClock = address === "0-0:1.0.0";
		const text = isClock
			? Buffer.from("07e9020207080910ffffc400", "hex")
			: Buffer.from(`${maker ?? "xyz"}${"0".repeat(length)}`.slice(0, length));
		const shown = isClock ? "2025-02-02T08:09:16+01:00" : text.toString();
		const record = address === undefined ? {} : { record: `${address}*255: ${shown}` };
		return { bytes: Buffer.concat([Buffer.of(9, length), text]), ...record };
	}
	const bytes = Buffer.alloc(1 + SIZES[tag], tag);
	bytes.fill(0, 1);
	bytes[bytes.length - 1] = value;
	if (address === undefined) return { bytes };
	return { bytes, record: `${address}*255: ${scaled(value, Number(scaler))}${unitOf(address)}` };
}

/** The shortest and the longest list that the row reads. */
export function listOf(row: string): readonly (readonly Element[])[] {
	const words = wordsOf(row);
	const elements = (some: readonly string[]) =>
		some.filter((word) => word !== "|").map((word, i) => elementOf(word, 1 + (i % 99), makersOf(row)[0]));
	const end = words.indexOf("|");
	return end < 0 ? [elements(words)] : [elements(words.slice(0, end)), elements(words)];
}

/** The elements of this hexadecimal text: tag and content of each. */
export function elementsOf(text: string): readonly Element[] {
	const pairs = text.split(" ");
	return pairs.flatMap((tag, i) => (i % 2 > 0 ? [] : [{ bytes: Buffer.from(tag + pairs[i + 1], "hex") }]));
}

/** Known rows that read a list of these elements, found without the gateway's code. */
export function fitting(elements: readonly Element[], title = ""): readonly string[] {
	const [first] = elements;
	const name = first?.bytes[0] === 9 ? Buffer.from(first.bytes.subarray(2, 5)).toString("latin1") : "";
	const matches = (word: string, { bytes }: Element) => {
		const [type] = word.split("=");
		return Buffer.from(bytes).toString("hex").startsWith(type);
	};
	return KNOWN_ROWS.filter((row) => {
		const makers = makersOf(row);
		if (makers.length > 0 && !makers.includes(name) && !makers.includes(title)) return false;
		const words = wordsOf(row);
		const ends = [words.indexOf("|"), words.length].filter((end) => end >= 0);
		return ends.some((end) => {
			const some = words.slice(0, end).filter((word) => word !== "|");
			return some.length === elements.length && some.every((word, i) => matches(word, elements[i]));
		});
	});
}

/** The records of the numbers in a list that the row fits, found without the gateway's code. */
export function numbersOf(row: string, elements: readonly Element[]): readonly string[] {
	const words = wordsOf(row).filter((word) => word !== "|");
	return elements.flatMap(({ bytes }, i) => {
		const [, code, scaler = "0"] = /^(?:..)=([^e]*)(?:e(-?\d))?$/.exec(words[i]) ?? [];
		if (code === undefined || bytes[0] === 9) return [];
		const value = bytes.slice(1).reduce((all, byte) => all * 256 + byte, 0);
		return [`1-0:${code}*255: ${scaled(value, Number(scaler))}${unitOf(`1-0:${code}`)}`];
	});
}

/** A data-notification without a time. */
export function notification(elements: readonly Element[]): Uint8Array {
	return Buffer.concat([
		Buffer.from("0f0000000100", "hex"),
		Buffer.of(2, elements.length),
		...elements.map(({ bytes }) => bytes),
	]);
}

/** The notification in general-glo-ciphering without a tag, from a meter of this maker. */
export function sealedList(plain: Uint8Array, encryption: Uint8Array, maker: string): Uint8Array {
	const title = Buffer.from(`${maker}00001`);
	const body = protect({ encryption, authentication: Buffer.alloc(16) }, { title, counter: 1 }, 0x20, plain);
	return Buffer.concat([
		Buffer.of(0xdb, title.length),
		title,
		Buffer.of(0x82, body.length >> 8, body.length & 0xff),
		body,
	]);
}
