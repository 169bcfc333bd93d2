/**
 * Makes modules/resources/obis-names.bin (layout: modules/obis/names.ts) from modules/obis/names.tsv at each
 * compilation (tools/run.mjs). To save space, two kinds of text are stored only once: phrases, which are the parts of a
 * name that several rows share, and fragments, which are the pieces of text that save the most bytes.
 */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
	CHANNEL_ANY,
	CHANNEL_DEVICE,
	E_ANY,
	FRAGMENT,
	LANGUAGE_COUNT,
	MARK_CHANNEL,
	MARK_LIMIT,
	MARK_NEXT,
	MARK_PHASE,
	MARK_TARIFF,
	MEDIUM_ATTRIBUTE,
	MEDIUM_HEAT_LIST,
	MEDIUM_SHORT_LIST,
	NAME_LIMIT,
	TABLE_MAGIC,
} from "../modules/obis/names.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

export interface NameRow {
	readonly line: number;
	readonly key: number;
	/** One to three phrases, each in English, German and Polish. Marks are encoded as control characters. */
	readonly phrases: readonly Phrase[];
}

type Phrase = readonly string[];

const MARKS: Readonly<Record<string, number>> = Object.freeze({
	"{tariff}": MARK_TARIFF,
	"{next}": MARK_NEXT,
	"{phase}": MARK_PHASE,
	"{channel}": MARK_CHANNEL,
	"{limit}": MARK_LIMIT,
});
const FRAGMENT_LIMIT = 256 - FRAGMENT;
const FRAGMENT_LENGTH_LIMIT = 24;
const PHRASE_LIMIT = 3;
/** Maximum number of digits that replace a mark. */
const NUMBER_LENGTH = 3;

/** Character that no text contains. */
const SEPARATOR = "\0";

const utf8 = new TextEncoder();

/** Returns the rows sorted by key. */
export function parseNames(source: string): NameRow[] {
	const rows: NameRow[] = [];
	let header = false;
	source.split("\n").forEach((text, index) => {
		if (text === "" || text.startsWith("#")) return;
		if (!header) {
			if (text !== "medium\tchannel\tcode\ten\tde\tpl") throw new Error(`line ${index + 1}: not the column titles`);
			header = true;
			return;
		}
		try {
			rows.push(parseRow(text, index + 1));
		} catch (error) {
			throw new Error(`line ${index + 1}: ${(error as Error).message}`);
		}
	});
	rows.sort((x, y) => x.key - y.key);
	for (let i = 1; i < rows.length; i++) {
		if (rows[i].key === rows[i - 1].key) throw new Error(`line ${rows[i].line} repeats line ${rows[i - 1].line}`);
	}
	return rows;
}

export function buildTable(source: string): Uint8Array {
	const rows = parseNames(source);
	const phrases = numberPhrases(rows);
	const packer = new Packer([...phrases.values()].flat());
	const fragments = packer.fragments.map((fragment) => [...utf8.encode(fragment)]);
	const numbers = new Map([...phrases.keys()].map((key, number) => [key, number]));
	const packedPhrases = [...phrases.values()].map((phrase) => {
		const texts = phrase.map((text) => packer.pack(text));
		return [...texts.map((text) => text.length), ...texts.flat()];
	});

	const out: number[] = [];
	const word = (value: number) => {
		if (value > 0xffff) throw new Error("the table does not fit in 64 KB");
		out.push(value >> 8, value & 255);
	};
	[TABLE_MAGIC >>> 16, TABLE_MAGIC & 0xffff, rows.length, phrases.size, fragments.length].forEach(word);
	for (const row of rows) {
		word(Math.floor(row.key / 0x10000));
		word(row.key % 0x10000);
		const [head, ...tails] = row.phrases.map((phrase) => numbers.get(phraseKey(phrase)) ?? 0);
		word(head);
		out.push(tails[0] ?? 0, tails[1] ?? 0);
	}
	let at = out.length + (phrases.size + fragments.length + 1) * 2;
	for (const piece of [...packedPhrases, ...fragments]) {
		word(at);
		at += piece.length;
	}
	word(at);
	for (const piece of [...packedPhrases, ...fragments]) out.push(...piece);
	return Uint8Array.from(out);
}

/**
 * Returns the phrases by key, in the order of their numbers: the empty phrase, the phrases that end names, and all
 * others.
 */
function numberPhrases(rows: readonly NameRow[]): Map<string, Phrase> {
	const empty: Phrase = Array.from({ length: LANGUAGE_COUNT }, () => "");
	const phrases = new Map([[phraseKey(empty), empty]]);
	for (const row of rows) {
		for (const phrase of row.phrases.slice(1)) phrases.set(phraseKey(phrase), phrase);
	}
	if (phrases.size > 256) throw new Error("more than 255 phrases at the ends of names: their number is one byte");
	for (const row of rows) phrases.set(phraseKey(row.phrases[0]), row.phrases[0]);
	return phrases;
}

function phraseKey(phrase: Phrase): string {
	return phrase.join("\n");
}

function parseRow(text: string, line: number): NameRow {
	const [medium, channel, code, ...names] = text.split("\t");
	const groups = /^(\d+)\.(\d+)\.(\d+|#)$/.exec(code ?? "");
	if (groups === null || names.length !== LANGUAGE_COUNT) throw new Error("not medium, channel, code and three names");
	if (/["\\]/.test(text)) throw new Error("a name with a character that JSON escapes, which the firmware does not");
	const any = groups[3] === "#";
	const c = numberUpTo(255, groups[1]);
	const limits = c === 0 && groups[2] === "5";
	const e = any ? E_ANY : numberUpTo(E_ANY - 1, groups[3]);
	const low = mediumOf(medium) * 16 + channelOf(channel);
	const key = ((c * 256 + numberUpTo(255, groups[2])) * 256 + e) * 256 + low;
	const allowed = new Set<string>();
	if (any) allowed.add("{tariff}").add("{next}");
	if (limits) allowed.add("{limit}");
	if (channel === "n") allowed.add("{channel}");
	if (medium === "1" && ((c > 20 && c <= 40) || (c > 140 && c <= 160))) allowed.add("{phase}");
	const texts = names.map((name) => parseName(name, allowed));
	const parts = texts.map((name) => name.split("|"));
	if (parts.some((split) => split.length !== parts[0].length || split.length > PHRASE_LIMIT || split.includes(""))) {
		throw new Error("the languages do not all have the same number of parts, one to three");
	}
	const phrases = parts[0].map((_, part) => parts.map((split) => split[part]));
	const marks = texts.map((name) => [...name].filter(isMark).sort().join(""));
	if (marks.some((used) => used !== marks[0])) throw new Error("the languages use different marks");
	if (medium === "1" && allowed.has("{phase}") !== marks[0].includes(String.fromCharCode(MARK_PHASE))) {
		throw new Error("a row of L1 stands for all phases and must show {phase}");
	}
	return { line, key, phrases };
}

function parseName(name: string, allowed: ReadonlySet<string>): string {
	if (name === "" || name !== name.trim() || /[\x00-\x1f\x7f]/.test(name)) throw new Error(`bad text: ${name}`);
	const text = name.replace(/\{[^}]*\}/g, (mark) => {
		if (!allowed.has(mark)) throw new Error(`${mark} has no meaning here`);
		return String.fromCharCode(MARKS[mark] ?? 0);
	});
	const marks = [...text].filter(isMark).length;
	if (utf8.encode(text).length + marks * (NUMBER_LENGTH - 1) > NAME_LIMIT) throw new Error(`too long: ${name}`);
	return text;
}

function mediumOf(text: string): number {
	if (text === "heat") return MEDIUM_HEAT_LIST;
	if (text === "attribute") return MEDIUM_ATTRIBUTE;
	return text === "short" ? MEDIUM_SHORT_LIST : numberUpTo(MEDIUM_HEAT_LIST - 1, text);
}

function channelOf(text: string): number {
	if (text === "*") return CHANNEL_ANY;
	return text === "n" ? CHANNEL_DEVICE : numberUpTo(CHANNEL_DEVICE - 1, text);
}

function numberUpTo(limit: number, text: string | undefined): number {
	const value = /^\d+$/.test(text ?? "") ? Number(text) : -1;
	if (value < 0 || value > limit) throw new Error(`${text} is not 0 to ${limit}`);
	return value;
}

function isMark(character: string): boolean {
	return character < " ";
}

class Packer {
	readonly fragments: string[];

	constructor(texts: readonly string[]) {
		// Packed text needs no escapes, because each letter beyond ASCII is a fragment.
		const letters = new Set(texts.flatMap((text) => [...text].filter((character) => character > "\x7f")));
		const savings = new Savings([...new Set(texts)]);
		this.fragments = [...letters].sort();
		while (this.fragments.length < FRAGMENT_LIMIT) {
			const fragment = savings.takeBest();
			if (fragment === undefined) break;
			this.fragments.push(fragment);
		}
		if (this.fragments.length > FRAGMENT_LIMIT) throw new Error("too many different letters");
	}

	/** Returns the shortest packed form, by dynamic programming over the positions in the text. */
	pack(text: string): number[] {
		const best: (number[] | undefined)[] = [[]];
		for (let i = 0; i < text.length; i++) {
			const head = best[i];
			if (head === undefined) continue;
			const offer = (length: number, byte: number) => {
				const other = best[i + length];
				if (other === undefined || other.length > head.length + 1) best[i + length] = [...head, byte];
			};
			if (text.charCodeAt(i) < FRAGMENT) offer(1, text.charCodeAt(i));
			this.fragments.forEach((fragment, index) => {
				if (text.startsWith(fragment, i)) offer(fragment.length, FRAGMENT + index);
			});
		}
		const packed = best[text.length];
		if (packed === undefined || packed.length > 255) throw new Error(`can't pack: ${text}`);
		return packed;
	}
}

interface Piece {
	readonly text: string;
	/** Number of bytes that the piece saved when it was last calculated. The true number can only be lower. */
	saved: number;
}

class Savings {
	/** Texts that are not packed yet. Separators are between them, and in the places of extracted fragments. */
	#rest: string;
	/** Candidates for fragments, in ascending order of `saved`. */
	readonly #queue: Piece[] = [];

	constructor(texts: readonly string[]) {
		this.#rest = texts.join(SEPARATOR);
		const counts = new Map<string, number>();
		for (let from = 0; from < this.#rest.length; from++) {
			for (let length = 1; length <= FRAGMENT_LENGTH_LIMIT; length++) {
				if (isMark(this.#rest.charAt(from + length - 1))) break;
				const piece = this.#rest.slice(from, from + length);
				if (length > 1) counts.set(piece, (counts.get(piece) ?? 0) + 1);
			}
		}
		for (const [text, count] of counts) {
			const saved = savedBy(text, count);
			if (saved > 0) this.#queue.push({ text, saved });
		}
		this.#queue.sort(worseFirst);
	}

	takeBest(): string | undefined {
		for (let top = this.#queue.pop(); top !== undefined; top = this.#queue.pop()) {
			top.saved = savedBy(top.text, this.#rest.split(top.text).length - 1);
			const next = this.#queue[this.#queue.length - 1];
			if (next === undefined || worseFirst(next, top) < 0) {
				this.#rest = this.#rest.replaceAll(top.text, SEPARATOR);
				return top.saved > 0 ? top.text : undefined;
			}
			if (top.saved > 0) this.#putBack(top);
		}
		return undefined;
	}

	#putBack(piece: Piece): void {
		let low = 0;
		let high = this.#queue.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (worseFirst(this.#queue[middle], piece) < 0) low = middle + 1;
			else high = middle;
		}
		this.#queue.splice(low, 0, piece);
	}
}

function worseFirst(x: Piece, y: Piece): number {
	if (x.saved !== y.saved) return x.saved - y.saved;
	return x.text < y.text ? -1 : 1;
}

/**
 * Returns the number of bytes that a fragment saves. Each use becomes one byte, and the piece and its offset are stored
 * once.
 */
function savedBy(piece: string, count: number): number {
	return count * (piece.length - 1) - utf8.encode(piece).length - 2;
}

/**
 * Makes the table. Has no effect if the table is newer than its sources. Throws an Error with the line of an invalid
 * row.
 */
export function buildNames(): void {
	const [source, table] = ["modules/obis/names.tsv", "modules/resources/obis-names.bin"].map((path) =>
		join(ROOT, path),
	);
	const written = statSync(table, { throwIfNoEntry: false })?.mtimeMs ?? 0;
	const makers = [fileURLToPath(import.meta.url), source, join(ROOT, "modules/obis/names.ts")];
	if (written > Math.max(...makers.map((path) => statSync(path).mtimeMs))) return;
	writeFileSync(table, buildTable(readFileSync(source, "utf8")));
}
