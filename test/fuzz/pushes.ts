/**
 * Hostile DLMS/COSEM pushes, pushed lists without codes, SML telegrams and TIC frames against their listeners, in
 * simulated time. No listener throws. A push is accepted only if it was sealed with the meter's own keys and was not
 * accepted before, not even before a restart, as far as flash has recorded it. SML values are shown only if their checks
 * are right, TIC values only if they were sent. A good transmission after a silence is read each time.
 */
import assert from "node:assert/strict";
import { DLMS_PUSH } from "../../modules/cosem/push.js";
import { DataWalker, STACK_SIZE } from "../../modules/dlms/axdr.js";
import { Cursor } from "../../modules/dlms/cursor.js";
import { EVENT_READOUT } from "../../modules/readout/protocol.js";
import { type Readout, STATUS_OK, STATUS_UNCHECKED } from "../../modules/readout/readout.js";
import { checkOf } from "../../tools/meter/hdlc-frame.js";
import { hdlcPush } from "../../tools/meter/push-frames.js";
import { SML_MAKES } from "../../tools/meter/sml-telegram.js";
import { ticTelegram } from "../../tools/meter/tic-telegram.js";
import { PushBed } from "../cosem/push-bed.js";
import { type Element, fitting, KNOWN_ROWS, listOf, makersOf, notification, numbersOf } from "../dlms/lists.js";
import { recordsOf } from "../meter/records.js";
import { Bed, telegramOf } from "../sml/bed.js";
import { READING, Bed as TICBed } from "../tic/bed.js";
import { HostilePusher, KEYS, RECORD } from "./hostile-pusher.js";
import { type Mutator, runAll } from "./mutator.js";

/** Highest number of counters that a restart forgets. */
const KEEP_EACH = 200;

/** The invocation counter, which a push shows as its reading. */
function counterOf({ records }: Readout): number {
	const [record, ...rest] = recordsOf(records);
	assert.ok(
		record.startsWith(RECORD) && rest.length === 0,
		`${record}, or one of ${rest.length} more readings, was never sent`,
	);
	return Number.parseInt(record.slice(RECORD.length), 10);
}

function receiveBytes(bed: PushBed, bytes: Uint8Array, mutator: Mutator): (Readout | string)[] {
	const outcomes: (Readout | string)[] = [];
	mutator.inPieces(bytes, (buffer, start, end) => {
		bed.nowMs += mutator.random.below(5);
		outcomes.push(...bed.take(buffer, start, end));
	});
	return outcomes;
}

export async function fuzzPushes(seed: number, runs: number): Promise<void> {
	const keys = { encryptionKey: KEYS.encryption, authenticationKey: KEYS.authentication };
	const meter = new HostilePusher();
	let checking = new PushBed(keys);
	const restart = (memory?: PushBed["opening"]["memory"]) =>
		new PushBed({ ...keys, learnedPush: checking.settings.learnedPush }, memory);
	const encrypting = new PushBed({ encryptionKey: KEYS.encryption });
	const open = new PushBed();
	/** Counters of accepted pushes, which must not be accepted again. */
	let shown: number[] = [];
	await runAll("pushes", seed, runs, (mutator) => {
		const { random } = mutator;
		for (const isOdd of shown.length === 0 ? [false] : [true, false]) {
			const before = meter.counter;
			const bytes = isOdd ? meter.odd(mutator) : meter.good(mutator);
			const isForged = isOdd && meter.isForged;
			const readouts = (bed: PushBed) =>
				[...receiveBytes(bed, bytes, mutator), ...bed.silence()].filter((one) => typeof one === "object");
			for (const readout of readouts(checking)) {
				assert.equal(readout.status, STATUS_OK);
				if (isForged) continue;
				const counter = counterOf(readout);
				assert.ok(counter > (shown.at(-1) ?? 0) && counter <= meter.counter, `${counter} after ${shown.at(-1)}`);
				shown.push(counter);
			}
			if (!isOdd) assert.equal(shown.at(-1), meter.counter, "a good push is refused");
			for (const { status } of readouts(encrypting)) assert.equal(status, STATUS_UNCHECKED);
			// The listener without keys accepts unencrypted messages from any sender, such as those that `odd` has
			// forged.
			for (const readout of readouts(open)) assert.ok(isForged || counterOf(readout) > before);
		}
		if (random.oneIn(50)) checking = restart(checking.opening.memory);
		else if (random.oneIn(100)) {
			DLMS_PUSH.forget?.(checking.opening.settings);
			checking = restart();
			shown = [];
		} else if (random.oneIn(20)) {
			const { learnedPush } = checking.settings;
			checking = restart();
			const storedCounter = Buffer.from(learnedPush).readUInt32BE(8);
			assert.ok(
				storedCounter >= (shown.at(-KEEP_EACH) ?? shown[0]),
				"more pushes could be replayed than flash may miss",
			);
			shown = shown.filter((counter) => counter <= storedCounter);
		}
	});
}

/** The simple elements of a list; undefined if it is invalid. */
function elementsIn(bytes: Uint8Array): Element[] | undefined {
	const elements: Element[] = [];
	const cursor = new Cursor(bytes).set(bytes, 0, bytes.length);
	const walker = new DataWalker(cursor, new Uint8Array(STACK_SIZE), 0);
	while (walker.next()) {
		const { tag, start, end } = walker;
		const length = tag === 9 ? [end - start] : [];
		elements.push({ bytes: Uint8Array.from([tag, ...length, ...bytes.subarray(start, end)]) });
	}
	return cursor.failed || cursor.left > 0 ? undefined : elements;
}

/** The longest list of each known row, with its records. */
const LISTS = KNOWN_ROWS.map((row) => {
	const elements = listOf(row).at(-1) ?? [];
	return {
		maker: makersOf(row)[0],
		plain: notification(elements),
		records: elements.flatMap(({ record }) => record ?? []),
	};
});

/**
 * With damage on the line, only lists that were sent are shown. A list that is sent with other elements gives values
 * only if it has the form of a known row.
 */
export async function fuzzLists(seed: number, runs: number): Promise<void> {
	const bed = new PushBed();
	const sent = new Set(LISTS.map(({ records }) => records.join()));
	const HEAD = 6;
	await runAll("lists", seed, runs, (mutator) => {
		const { maker, plain, records } = mutator.pick(LISTS);
		const other = mutator.pick(LISTS).plain;
		const isOnLine = mutator.random.oneIn(2);
		const apdu = isOnLine
			? plain
			: Buffer.concat([plain.subarray(0, HEAD), mutator.mutate(plain.subarray(HEAD), other)]);
		const frame = hdlcPush(apdu);
		const bytes = isOnLine ? mutator.mutate(frame, hdlcPush(other)) : frame;
		for (const outcome of [...receiveBytes(bed, bytes, mutator), ...bed.silence()]) {
			if (typeof outcome === "string") continue;
			const shown = recordsOf(outcome.records).join();
			if (isOnLine) assert.ok(sent.has(shown), `${shown} was never sent`);
			else {
				const elements = elementsIn(apdu.subarray(HEAD)) ?? [];
				const [row] = fitting(elements);
				// Six bytes may be the code of the value after them.
				const hasCodes = Buffer.from(apdu).includes(Buffer.from("0906", "hex"));
				assert.ok(row !== undefined || hasCodes, `${shown}: no row fits ${Buffer.from(apdu).toString("hex")}`);
				if (row === undefined) continue;
				const numbers = recordsOf(outcome.records).filter((record) => record.startsWith("1-0:"));
				assert.deepEqual(numbers, numbersOf(row, elements));
			}
		}
		if (fitting(elementsIn(plain.subarray(HEAD)) ?? []).length === 0) return;
		const [good] = bed.take(hdlcPush(plain));
		assert.ok(typeof good === "object", `a good list of ${maker} after the damaged one is refused`);
		assert.deepEqual(recordsOf(good.records), records);
	});
}

/** A telegram from each make of meter. */
export const SML_TELEGRAMS = SML_MAKES.map((make) => telegramOf(make));

/** A damaged telegram, or a malicious one with a correct outer check (`isForged`). */
export function oddSML(mutator: Mutator): { sent: Uint8Array; isForged: boolean } {
	const damaged = mutator.mutate(mutator.pick(SML_TELEGRAMS), mutator.pick(SML_TELEGRAMS));
	const isForged = mutator.random.oneIn(2);
	if (!isForged) return { sent: damaged, isForged };
	const checked = damaged.subarray(0, damaged.lastIndexOf(0x1a) + 2);
	return { sent: Uint8Array.from([...checked, ...checkOf(checked)]), isForged };
}

export async function fuzzSML(seed: number, runs: number): Promise<void> {
	const bed = new Bed();
	const good = new Map(SML_TELEGRAMS.map((telegram) => [telegram, readingsOf(new Bed(), telegram)]));
	let nowMs = 0;
	await runAll("SML", seed, runs, (mutator) => {
		const { random } = mutator;
		const one = mutator.pick(SML_TELEGRAMS);
		const { sent, isForged } = oddSML(mutator);
		mutator.inPieces(sent, (buffer, start, end) => {
			nowMs += random.below(5);
			for (let i = start; i < end; i++) {
				for (const { event, records } of bed.receive(buffer.subarray(i, i + 1), nowMs)) {
					// The damaged bytes may still contain a whole telegram: their own, or one that was spliced in.
					const isSent = [...good.values()].some((values) => values.join() === records.join());
					if (event === EVENT_READOUT && !isForged) assert.ok(isSent, `${records} was never sent`);
				}
			}
		});
		nowMs += 3000;
		bed.advance(nowMs);
		assert.deepEqual(readingsOf(bed, one), good.get(one), "a good telegram after the damaged one is misread");
		nowMs += 3000;
		bed.advance(nowMs);
	});
}

/** TIC frames as on the line, with parity. */
export const TIC_FRAMES = (["standard", "historic"] as const).map((mode) => ticTelegram(READING, mode));

export async function fuzzTIC(seed: number, runs: number): Promise<void> {
	const beds = TIC_FRAMES.map((frame) => {
		const bed = new TICBed();
		bed.receive(frame);
		const [{ records }] = bed.receive(frame);
		return { frame, bed, records };
	});
	const sent = new Set(beds.flatMap(({ records }) => records));
	await runAll("TIC", seed, runs, (mutator) => {
		const { frame, bed, records } = mutator.pick(beds);
		mutator.inPieces(mutator.mutate(frame, mutator.pick(TIC_FRAMES)), (buffer, start, end) => {
			for (const received of bed.receive(buffer.subarray(start, end))) {
				for (const record of received.records) assert.ok(sent.has(record), `${record} was never sent`);
				assert.ok(
					received.isCut || received.records.join() === records.join(),
					`a complete frame lacks some of ${records}`,
				);
			}
		});
		// The damage may leave a frame unfinished, which can spoil the first of two good frames.
		const after = [frame, frame].flatMap((good) => bed.receive(good));
		assert.deepEqual(after.at(-1)?.records, records, "a good frame after the damaged one is misread");
	});
}

function readingsOf(bed: Bed, telegram: Uint8Array): string[] {
	const received = bed.receive(telegram);
	assert.deepEqual(
		received.map(({ event }) => event),
		[EVENT_READOUT],
	);
	return received[0].records;
}
