/** Reads the vectors of APDUs, and the values in captures as texts. */
import { readFileSync } from "node:fs";
import { TEXT_LIMIT } from "../../modules/bytes/octets.js";
import { DataWalker, STACK_SIZE } from "../../modules/dlms/axdr.js";
import { Cursor } from "../../modules/dlms/cursor.js";
import { AS_TEXT, render } from "../../modules/dlms/render.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";

export interface Capture {
	readonly name: string;
	readonly apdu: Uint8Array;
	/** Key of a general-glo-ciphered capture; `plain` has its contents. */
	readonly key?: string;
	readonly authentication_key?: string;
	readonly meter_title?: string;
	readonly counter?: number;
	readonly plain?: string;
	/** Begin and end of the value in the plain APDU. */
	readonly body_at: number;
	readonly end?: number;
	/** Texts of the value's simple elements; null for an element without text. */
	readonly values?: readonly (string | null)[];
	/** The value is not valid A-XDR. */
	readonly broken?: boolean;
	/** Expected result of the push listener. */
	readonly push: {
		readonly failure?: string;
		readonly meter_id?: string;
		readonly status?: number;
		readonly records?: readonly string[];
	};
}

/** One of several vectors in a file. */
export interface Example {
	readonly bytes: Uint8Array;
	readonly length: number;
	// biome-ignore lint/suspicious/noExplicitAny: what it has depends on its kind
	readonly [field: string]: any;
}

/** Every capture in the folder. */
export function captures(): Capture[] {
	return vectorNames("dlms")
		.map((name) => ({ name, expected: JSON.parse(readFileSync(vectorPath("dlms", name, "json"), "utf8")) }))
		.filter(({ expected }) => !Array.isArray(expected))
		.map(({ name, expected }) => ({ ...expected, name, apdu: readTelegram(vectorPath("dlms", name)) }));
}

/** The vectors of a file with several. */
export function examples(name: string): Example[] {
	const bytes = readTelegram(vectorPath("dlms", name));
	let at = 0;
	return JSON.parse(readFileSync(vectorPath("dlms", name, "json"), "utf8")).map((example: Example) => {
		at += example.length;
		return { ...example, bytes: bytes.slice(at - example.length, at) };
	});
}

/** Texts of the simple elements at the cursor, null without text; undefined if invalid. */
export function valuesAt(cursor: Cursor): (string | null)[] | undefined {
	const walker = new DataWalker(cursor, new Uint8Array(STACK_SIZE), 0);
	const text = new Uint8Array(TEXT_LIMIT);
	const values: (string | null)[] = [];
	for (walker.begin(); walker.next(); ) {
		const length = render(walker, 0, AS_TEXT, text);
		values.push(length < 0 ? null : Buffer.from(text.subarray(0, length)).toString("latin1"));
	}
	return cursor.failed ? undefined : values;
}

export function valuesOf(bytes: Uint8Array, start = 0, end = bytes.length): (string | null)[] | undefined {
	return valuesAt(new Cursor(bytes).set(bytes, start, end));
}
