/**
 * Which attributes a poll list needs, in which order: scalers and units that are not known yet, then the values, each
 * followed by its capture time where the class has one (IEC 62056-6-2, 4.3.2 to 4.3.4).
 *
 * | class | value | scaler_unit | capture time |
 * |---|---|---|---|
 * | 3 Register | 2 | 3 | |
 * | 4 Extended register | 2 | 3 | 5 |
 * | 5 Demand register | 2 current, 3 last average | 4 | 6, of the last average |
 */
import { POLL_ATTRIBUTE, POLL_CLASS, POLL_CODE_LENGTH, POLL_ENTRY_SIZE, POLL_LIMIT } from "./poll-list.js";
import { SCALER_UNKNOWN, type ScalerCache } from "./scaler-cache.js";

export const KIND_VALUE = 0;
export const KIND_TIME = 1;
export const KIND_SCALER = 2;

const POSITION_BITS = 5;
const POSITION_MASK = 0x1f;

const CLASS_REGISTER = 3;
const CLASS_EXTENDED = 4;
const CLASS_DEMAND = 5;
const CLASS_CLOCK = 8;

/** The step for what `kind` tells of the object at `position`. */
export function stepOf(kind: number, position: number): number {
	return (kind << POSITION_BITS) | position;
}

/** KIND_… of a step. */
export function kindOf(step: number): number {
	return step >> POSITION_BITS;
}

/** Position in the list that a step is for. */
export function positionOf(step: number): number {
	return step & POSITION_MASK;
}

/** Where in the list the object at a position stands. */
export function entryAt(position: number): number {
	return 1 + position * POLL_ENTRY_SIZE;
}

/** The attribute that a step asks for. */
export function attributeOf(list: Uint8Array, step: number): number {
	const at = entryAt(positionOf(step));
	const kind = kindOf(step);
	if (kind === KIND_SCALER) return scalerAttribute(list, at);
	return kind === KIND_TIME ? timeAttribute(list, at) : list[at + POLL_ATTRIBUTE];
}

/** The answer to a step is a date and time, if it has the length of one. */
export function isTimestamp(list: Uint8Array, step: number): boolean {
	const at = entryAt(positionOf(step));
	const attribute = attributeOf(list, step);
	const classId = list[at + POLL_CLASS];
	// The time; begin and end of summer time, which have a text where they tell the year.
	if (classId === CLASS_CLOCK) return attribute === 2 || attribute === 5 || attribute === 6;
	if (classId === CLASS_EXTENDED) return attribute === 5;
	return classId === CLASS_DEMAND && (attribute === 6 || attribute === 7);
}

/** Position that holds scaler and unit of the object at `position`: the first with the same object; -1: it needs none. */
export function scalerPosition(list: Uint8Array, position: number): number {
	const at = entryAt(position);
	if (scalerAttribute(list, at) === 0) return -1;
	for (let i = 0; i < position; i++) {
		const other = entryAt(i);
		if (scalerAttribute(list, other) !== 0 && isSameObject(list, at, other)) return i;
	}
	return position;
}

/** Most steps of a list. */
export const STEPS_LIMIT = POLL_LIMIT * 3;

/** Writes the steps for a list at `into[at]`; returns the position after them, at most `at` + STEPS_LIMIT. */
export function putPlan(list: Uint8Array, cache: ScalerCache, into: Uint8Array, at: number): number {
	const count = list[0];
	let to = at;
	for (let i = 0; i < count; i++) {
		const wanted = scalerPosition(list, i) === i && cache.state(i) === SCALER_UNKNOWN;
		if (wanted) into[to++] = stepOf(KIND_SCALER, i);
	}
	for (let i = 0; i < count; i++) {
		into[to++] = stepOf(KIND_VALUE, i);
		if (timeAttribute(list, entryAt(i)) !== 0) into[to++] = stepOf(KIND_TIME, i);
	}
	return to;
}

/** The attribute with scaler and unit of the value that is asked for; 0: none. */
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
