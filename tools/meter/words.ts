/** Parses the command-line options of tools; UsageError has a message for the user. */
import { parseArgs } from "node:util";

export class UsageError extends Error {
	override readonly name = "UsageError";
}

export const BAUD_RATES = [300, 600, 1200, 2400, 4800, 9600, 19200];
/** Speeds of unsolicited telegrams. */
export const PUSH_BAUD_RATES = [...BAUD_RATES, 38_400, 57_600, 115_200];

export const text = { type: "string" } as const;
export const flag = { type: "boolean" } as const;

type Kinds = Record<string, typeof text | typeof flag>;
/** Parsed options. Flags are true or undefined. */
export type Words<K extends Kinds> = { [Name in keyof K]?: K[Name] extends typeof text ? string : boolean };

export function parseWords<K extends Kinds>(args: string[], options: K): Words<K> {
	try {
		return parseArgs({ args, options, strict: true }).values as Words<K>;
	} catch (error) {
		throw new UsageError((error as Error).message);
	}
}

type Texts<Name extends string> = { readonly [N in Name]?: string };

export function choice<N extends string>(values: Texts<N>, name: N, allowed: readonly string[]): string | undefined {
	const value = values[name];
	if (value === undefined || allowed.includes(value)) return value;
	throw new UsageError(`--${name} takes ${allowed.join(", ")}.`);
}

export function oneOf<N extends string>(values: Texts<N>, name: N, allowed: readonly number[]): number | undefined {
	const value = choice(values, name, allowed.map(String));
	return value === undefined ? undefined : Number(value);
}

export function count<N extends string>(values: Texts<N>, name: N, limit: number, least = 0): number | undefined {
	const value = values[name];
	if (value === undefined) return undefined;
	if (!/^\d{1,10}$/.test(value) || Number(value) > limit || Number(value) < least)
		throw new UsageError(`--${name} takes ${least} to ${limit}.`);
	return Number(value);
}

export function moment<N extends string>(values: Texts<N>, name: N): number | undefined {
	const value = values[name];
	if (value === undefined) return undefined;
	const utcMs = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
	if (Number.isNaN(utcMs)) throw new UsageError(`--${name} takes a date and a time, such as 2026-01-31T12:00:00Z.`);
	return utcMs;
}

export function hex<N extends string>(values: Texts<N>, name: N, length: number): Buffer | undefined {
	const value = values[name];
	if (value === undefined) return undefined;
	if (value.length !== 2 * length || !/^[0-9A-Fa-f]*$/.test(value))
		throw new UsageError(`--${name} takes ${2 * length} hexadecimal digits.`);
	return Buffer.from(value, "hex");
}

export function defined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never;
}
