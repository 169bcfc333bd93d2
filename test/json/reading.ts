/** Drives a JSONReader as a connection does, builds values from its tokens, and compares them with JSON.parse. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
	JSONReader,
	TOKEN_ARRAY_END,
	TOKEN_ARRAY_START,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_FALSE,
	TOKEN_MORE,
	TOKEN_NAME,
	TOKEN_NULL,
	TOKEN_NUMBER,
	TOKEN_OBJECT_END,
	TOKEN_OBJECT_START,
	TOKEN_STRING,
	TOKEN_TRUE,
} from "../../modules/json/reader.js";

export const encoder = new TextEncoder();
export const decoder = new TextDecoder("utf-8", { fatal: true });

/** The next token, with new pieces pushed on demand. */
export function tokens(reader: JSONReader, bytes: Uint8Array, pieces: Iterator<number>): () => number {
	let at = 0;
	reader.begin();
	return () => {
		for (;;) {
			const token = reader.next();
			if (token !== TOKEN_MORE) return token;
			if (at === bytes.length) {
				reader.finish();
				continue;
			}
			const size = pieces.next().value as number;
			// The piece is in the middle of a buffer that is overwritten afterwards, like a socket's.
			const piece = new Uint8Array(size + 4).fill(0xff);
			const end = Math.min(bytes.length, at + size);
			piece.set(bytes.subarray(at, end), 2);
			reader.push(piece, 2, 2 + end - at);
			at = end;
		}
	};
}

export function* sizes(...list: number[]): Generator<number> {
	for (;;) yield* list;
}

export function textOf(reader: JSONReader): string {
	assert.equal(reader.truncated, false);
	return decoder.decode(reader.text.subarray(0, reader.length));
}

/** Stands for a number that is longer than the reader converts. */
const TOO_LONG = Symbol("too long");

/** Builds the value as JSON.parse does; undefined if the reader rejects it. */
export function read(reader: JSONReader, bytes: Uint8Array, pieces: Iterator<number> = sizes(1 << 20)): unknown {
	const next = tokens(reader, bytes, pieces);
	const open: (unknown[] | Map<string, unknown>)[] = [];
	const names: string[] = [];
	let top: unknown;
	const place = (value: unknown) => {
		const parent = open.at(-1);
		if (parent === undefined) top = value;
		else if (Array.isArray(parent)) parent.push(value);
		else parent.set(names.pop()!, value);
	};
	for (;;) {
		switch (next()) {
			case TOKEN_END:
				return plain(top);
			case TOKEN_ERROR:
				assert.equal(reader.next(), TOKEN_ERROR);
				return undefined;
			case TOKEN_OBJECT_START: {
				const map = new Map<string, unknown>();
				place(map);
				open.push(map);
				break;
			}
			case TOKEN_ARRAY_START: {
				const list: unknown[] = [];
				place(list);
				open.push(list);
				break;
			}
			case TOKEN_OBJECT_END:
			case TOKEN_ARRAY_END:
				open.pop();
				break;
			case TOKEN_NAME:
				names.push(textOf(reader));
				break;
			case TOKEN_STRING:
				place(textOf(reader));
				break;
			case TOKEN_NUMBER:
				if (reader.truncated) return TOO_LONG;
				place(reader.number);
				break;
			case TOKEN_TRUE:
				place(true);
				break;
			case TOKEN_FALSE:
				place(false);
				break;
			case TOKEN_NULL:
				place(null);
				break;
			default:
				assert.fail("unknown token");
		}
	}
}

function plain(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(plain);
	if (!(value instanceof Map)) return value;
	// Object.fromEntries defines properties, so "__proto__" is an ordinary name, as in JSON.parse.
	return Object.fromEntries([...value].map(([name, item]) => [name, plain(item)]));
}

/** Result of JSON.parse for the bytes, or undefined; lone surrogates are rejected, as by the reader. */
function parsed(bytes: Uint8Array): unknown {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		const value = JSON.parse(text);
		return hasLoneSurrogate(text) ? undefined : value;
	} catch {
		return undefined;
	}
}

function hasLoneSurrogate(json: string): boolean {
	let lone = false;
	const check = (text: string) => {
		if (!(text as unknown as { isWellFormed(): boolean }).isWellFormed()) lone = true;
	};
	// The value loses repeated names, so the tokens are checked one by one.
	for (const match of json.matchAll(/"(?:[^"\\]|\\.)*"/g)) check(JSON.parse(match[0]) as string);
	return lone;
}

export const wide = () => new JSONReader({ maxDepth: 31, scratch: 4096 });
export const documents = fc.json({ maxDepth: 6, stringUnit: "grapheme" });
export const splits = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });

export function plainOf(json: string): unknown {
	const value: unknown = JSON.parse(json);
	return hasLoneSurrogate(json) ? undefined : value;
}

/** Throws, with the seed, if reader and JSON.parse disagree on one of `numRuns` documents with changed bytes. */
export function compareMutations(numRuns: number): void {
	const reader = wide();
	const likely = fc.constantFrom(...encoder.encode('{}[]",:\\u0d8e-.'));
	const edit = fc.record({ at: fc.nat(), byte: fc.oneof(fc.nat(255), likely) });
	fc.assert(
		fc.property(documents, fc.array(edit, { minLength: 1, maxLength: 4 }), splits, (json, edits, pieces) => {
			const bytes = encoder.encode(json);
			for (const { at, byte } of edits) bytes[at % bytes.length] = byte;
			const actual = read(reader, bytes, sizes(...pieces));
			if (actual !== TOO_LONG) assert.deepEqual(actual, parsed(bytes));
		}),
		{ numRuns },
	);
}
