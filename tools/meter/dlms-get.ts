/**
 * The simulated meter's side of GET by logical names (IEC 62056-5-3): normal, with data blocks, and with a list.
 *
 *   C0 01 id class(2) code(6) attribute 00                C4 01 id 00 data | C4 01 id 01 result
 *   C0 02 id block(4)                                    C4 02 id last block(4) 00 length data | … 01 result
 *   C0 03 id count { class code attribute selector }     C4 03 id count { 00 data | 01 result }
 */
import {
	array,
	type Encoded,
	enumeration,
	int8,
	lengthOf,
	NULL_DATA,
	octets,
	structure,
	uint8,
	uint16,
} from "./dlms-data.js";
import { type COSEMObject, codeBytes } from "./dlms-object.js";
import {
	ACCESS_DENIED,
	ASSOCIATION_CODE,
	CLASS_INCONSISTENT,
	DEVICE_NAME,
	OBJECT_UNDEFINED,
	objectList,
} from "./dlms-objects.js";
import type { HouseholdReading } from "./household.js";

export const BLOCK_GET = 0x001000;
export const MULTIPLE_REFERENCES = 0x000200;
export const GET = 0x000010;
export const SELECTIVE = 0x000004;
export const ACTION = 0x000001;

const SCOPE_VIOLATED = 13;
const NO_LONG_GET = 16;
const BLOCK_NUMBER_INVALID = 19;
const OTHER_REASON = 250;
const DESCRIPTOR_BYTES = 10;
/** Length of the fields before a block's data: tag, kind, id, last, number and result. */
const BLOCK_HEAD = 9;
const LENGTH_BYTES = 3;

export interface GetContext {
	client: number;
	conformance: number;
	limit: number;
	mayRead?: (object: COSEMObject) => boolean;
	context: number;
	mechanism: number;
	title: Uint8Array;
	clientTitle: Uint8Array;
}

export interface GetOptions {
	objects: readonly COSEMObject[];
	/** Result codes that replace values, by `A.B.C.D.E.F` or `A.B.C.D.E.F/attribute`. */
	results: ReadonlyMap<string, number>;
	logicalDevice: number;
}

export class GetService {
	readonly #options: GetOptions;
	#rest: Buffer = Buffer.alloc(0);
	#block = 0;

	constructor(options: GetOptions) {
		this.#options = options;
	}

	reset(): void {
		this.#rest = Buffer.alloc(0);
		this.#block = 0;
	}

	answer(apdu: Buffer, context: GetContext, reading: HouseholdReading): Buffer | undefined {
		const kind = apdu[1];
		if (kind === 1 && apdu.length >= 3 + DESCRIPTOR_BYTES) return this.#normal(apdu, context, reading);
		if (kind === 2 && apdu.length === 7 && context.conformance & BLOCK_GET) return this.#next(apdu, context);
		if (kind === 3 && context.conformance & MULTIPLE_REFERENCES) return this.#list(apdu, context, reading);
		return undefined;
	}

	#normal(apdu: Buffer, context: GetContext, reading: HouseholdReading): Buffer {
		const value = this.#read(apdu.subarray(3), context, reading);
		const head = Buffer.of(0xc4, 0x01, apdu[2]);
		if (typeof value === "number") return Buffer.concat([head, Buffer.of(1, value)]);
		const whole = Buffer.concat([head, Buffer.of(0), value]);
		if (whole.length <= context.limit) return whole;
		if ((context.conformance & BLOCK_GET) === 0) return Buffer.concat([head, Buffer.of(1, NO_LONG_GET)]);
		return this.#begin(value, apdu[2], context);
	}

	#list(apdu: Buffer, context: GetContext, reading: HouseholdReading): Buffer | undefined {
		const count = apdu[3];
		// No descriptor has selective access, so all have the same length.
		if (apdu.length !== 4 + count * DESCRIPTOR_BYTES) return undefined;
		const parts: Buffer[] = [Buffer.of(count)];
		for (let at = 4; at < apdu.length; at += DESCRIPTOR_BYTES) {
			const value = this.#read(apdu.subarray(at), context, reading);
			parts.push(typeof value === "number" ? Buffer.of(1, value) : Buffer.concat([Buffer.of(0), value]));
		}
		const results = Buffer.concat(parts);
		const whole = Buffer.concat([Buffer.of(0xc4, 0x03, apdu[2]), results]);
		if (whole.length <= context.limit) return whole;
		if (context.conformance & BLOCK_GET) return this.#begin(results, apdu[2], context);
		return undefined;
	}

	#begin(value: Buffer, id: number, context: GetContext): Buffer {
		this.#rest = value;
		this.#block = 0;
		return this.#sendBlock(id, context);
	}

	#next(apdu: Buffer, context: GetContext): Buffer {
		if (this.#block === 0 || apdu.readUInt32BE(3) !== this.#block) {
			const head = Buffer.of(0xc4, 0x02, apdu[2], 1, 0, 0, 0, 0, 1, BLOCK_NUMBER_INVALID);
			head.writeUInt32BE(apdu.readUInt32BE(3), 4);
			this.reset();
			return head;
		}
		return this.#sendBlock(apdu[2], context);
	}

	#sendBlock(id: number, { limit }: GetContext): Buffer {
		const size = Math.max(1, limit - BLOCK_HEAD - LENGTH_BYTES);
		const raw = this.#rest.subarray(0, size);
		this.#rest = this.#rest.subarray(size);
		this.#block++;
		const isLast = this.#rest.length === 0;
		const head = Buffer.of(0xc4, 0x02, id, isLast ? 1 : 0, 0, 0, 0, 0, 0);
		head.writeUInt32BE(this.#block, 4);
		if (isLast) this.reset();
		return Buffer.concat([head, lengthOf(raw.length), raw]);
	}

	/** Returns the value, or the result code of a refusal as a number. */
	#read(descriptor: Buffer, context: GetContext, reading: HouseholdReading): Encoded | number {
		const classId = descriptor.readUInt16BE(0);
		const code = [...descriptor.subarray(2, 8)].join(".");
		const attribute = descriptor.readInt8(8);
		const result = this.#options.results.get(`${code}/${attribute}`) ?? this.#options.results.get(code);
		if (result !== undefined) return result;
		const objects = [...this.#options.objects, ...this.#administration(context)];
		const object = objects.find((candidate) => candidate.code === code);
		if (object === undefined) return OBJECT_UNDEFINED;
		if (object.classId !== classId) return CLASS_INCONSISTENT;
		if (context.mayRead?.(object) === false) return ACCESS_DENIED;
		if (descriptor[9] !== 0) {
			const isGranted = attribute === 2 && (context.conformance & SELECTIVE) !== 0;
			return (isGranted ? object.select?.(descriptor.subarray(10), reading) : undefined) ?? SCOPE_VIOLATED;
		}
		if (attribute === 1) return octets(codeBytes(code));
		return object.attributes[attribute - 2]?.(reading) ?? OTHER_REASON;
	}

	#administration(context: GetContext): COSEMObject[] {
		const name = (arc: number, last: number) => octets(Buffer.of(0x60, 0x85, 0x74, 0x05, 0x08, arc, last));
		const conformance = Buffer.alloc(5);
		conformance.set([0x04, 24]);
		conformance.writeUIntBE(context.conformance, 2, 3);
		const limits = [uint16(context.limit), uint16(context.limit)];
		const contextInformation = structure(conformance, ...limits, uint8(6), int8(0), octets(Buffer.alloc(0)));
		const device = structure(uint16(this.#options.logicalDevice), octets(Buffer.from(DEVICE_NAME)));
		const administration: COSEMObject[] = [
			{
				classId: 15,
				version: 1,
				code: ASSOCIATION_CODE,
				attributes: [
					() => objectList([...this.#options.objects, ...administration]),
					() => structure(uint8(context.client), uint16(this.#options.logicalDevice)),
					() => name(1, context.context),
					() => contextInformation,
					() => name(2, context.mechanism),
					() => NULL_DATA,
					() => enumeration(2),
					() => octets(codeBytes("0.0.43.0.0.255")),
				],
			},
			{ classId: 17, version: 0, code: "0.0.41.0.0.255", attributes: [() => array([device])] },
			{
				classId: 64,
				version: 0,
				code: "0.0.43.0.0.255",
				attributes: [
					() => enumeration(context.context === 3 ? 3 : 0),
					() => enumeration(0),
					() => octets(context.clientTitle),
					() => octets(context.title),
				],
			},
		];
		return administration;
	}
}
