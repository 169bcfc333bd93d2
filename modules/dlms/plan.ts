/**
 * Steps in which the objects of a list (poll-list.ts) are read. Each step reads one attribute. The first step reads the
 * logical device name, which shows whether the cached scalers are valid. The scalers that are not in the cache follow,
 * and then the values, each with its capture time if the class has one (IEC 62056-6-2, 4.3.2 to 4.3.4).
 *
 * | class | value | scaler_unit | capture time |
 * |---|---|---|---|
 * | 3 Register | 2 | 3 | |
 * | 4 Extended register | 2 | 3 | 5 |
 * | 5 Demand register | 2 current average, 3 last average | 4 | 6, time of the last average |
 */
import { POLL_ATTRIBUTE, POLL_CLASS, POLL_CODE_LENGTH, POLL_ENTRY_SIZE, POLL_LIMIT } from "./poll-list.js";
import { SCALER_UNKNOWN, type ScalerCache } from "./scaler-cache.js";

export const KIND_VALUE = 0;
export const KIND_TIME = 1;
export const KIND_SCALER = 2;
/** Step that reads the logical device name, which has no position in the list. */
export const STEP_NAME = 0x60;

const POSITION_BITS = 5;
const POSITION_MASK = 0x1f;

const CLASS_REGISTER = 3;
const CLASS_EXTENDED = 4;
const CLASS_DEMAND = 5;
const CLASS_CLOCK = 8;

export function stepOf(kind: number, position: number): number {
	return (kind << POSITION_BITS) | position;
}

export function kindOf(step: number): number {
	return step >> POSITION_BITS;
}

export function positionOf(step: number): number {
	return step & POSITION_MASK;
}

export function entryAt(position: number): number {
	return 1 + position * POLL_ENTRY_SIZE;
}

export function attributeOf(list: Uint8Array, step: number): number {
	const at = entryAt(positionOf(step));
	const kind = kindOf(step);
	if (kind === KIND_SCALER) return scalerAttribute(list, at);
	return kind === KIND_TIME ? timeAttribute(list, at) : list[at + POLL_ATTRIBUTE];
}

/**
 * True if the attribute that a step reads is a time. Its value is only shown as a time if it also has the length of
 * one.
 */
export function isTimestamp(list: Uint8Array, step: number): boolean {
	const at = entryAt(positionOf(step));
	const attribute = attributeOf(list, step);
	const classId = list[at + POLL_CLASS];
	// The times of a clock are the time (2), and begin and end of summer time (5 and 6). The last two have a text only
	// if they contain a year.
	if (classId === CLASS_CLOCK) return attribute === 2 || attribute === 5 || attribute === 6;
	if (classId === CLASS_EXTENDED) return attribute === 5;
	return classId === CLASS_DEMAND && (attribute === 6 || attribute === 7);
}

/**
 * Returns the first position in the list that has the same object; its scaler is cached under this position. Returns -1
 * if the object has no scaler.
 */
export function scalerPosition(list: Uint8Array, position: number): number {
	const at = entryAt(position);
	if (scalerAttribute(list, at) === 0) return -1;
	for (let i = 0; i < position; i++) {
		const other = entryAt(i);
		if (scalerAttribute(list, other) !== 0 && isSameObject(list, at, other)) return i;
	}
	return position;
}

export const STEPS_LIMIT = 1 + POLL_LIMIT * 3;

/**
 * Writes the steps. Returns the end, which is at most `at` + STEPS_LIMIT. `named` is true if the steps must begin with
 * the device name.
 */
export function putPlan(list: Uint8Array, cache: ScalerCache, named: boolean, into: Uint8Array, at: number): number {
	const count = list[0];
	let to = at;
	if (named) into[to++] = STEP_NAME;
	for (let i = 0; i < count; i++) {
		const isNeeded = scalerPosition(list, i) === i && cache.state(i) === SCALER_UNKNOWN;
		if (isNeeded) into[to++] = stepOf(KIND_SCALER, i);
	}
	for (let i = 0; i < count; i++) {
		into[to++] = stepOf(KIND_VALUE, i);
		if (timeAttribute(list, entryAt(i)) !== 0) into[to++] = stepOf(KIND_TIME, i);
	}
	return to;
}

function scalerAttribute(list: Uint8Array, at: number): number {
	const classId = list[at + POLL_CLASS];
	const attribute = list[at + POLL_ATTRIBUTE];
	if (classId === CLASS_DEMAND) return attribute === 2 || attribute === 3 ? 4 : 0;
	return (classId === CLASS_REGISTER || classId === CLASS_EXTENDED) && attribute === 2 ? 3 : 0;
}

function timeAttribute(list: Uint8Array, at: number): number {
	const classId = list[at + POLL_CLASS];
	const attribute = list[at + POLL_ATTRIBUTE];
	if (classId === CLASS_EXTENDED) return attribute === 2 ? 5 : 0;
	return classId === CLASS_DEMAND && attribute === 3 ? 6 : 0;
}

function isSameObject(list: Uint8Array, one: number, other: number): boolean {
	for (let i = 0; i < POLL_CODE_LENGTH; i++) if (list[one + i] !== list[other + i]) return false;
	return list[one + POLL_CLASS] === list[other + POLL_CLASS];
}
