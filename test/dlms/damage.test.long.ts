/**
 * Whole associations with answers that are damaged, repeated or late, or damaged by the meter before ciphering. Every
 * association ends and uses each invocation counter once. A ciphered and authenticated one returns only values that the
 * meter sent.
 */
import assert from "node:assert/strict";
import { type Mutator, runAll, seedOfRun } from "../fuzz/mutator.js";
import { byRun } from "../runs.js";
import { AssociationDriver, listOf } from "./association-driver.js";
import { Server } from "./server.js";

const TEXTS = ["11", "12", "06", "05", "14", "0A", "09", "16", "17"];
const SIZES = [1, 2, 4, 4, 8, 0, 0, 1, 4];

/** A meter's objects with distinct values, and their poll list. */
function objectsFor(mutator: Mutator): [string[], Map<string, string | number>] {
	const { random } = mutator;
	const polled: string[] = [];
	const values = new Map<string, string | number>([["1 0.0.42.0.0.255 2", "09034D4D4D"]]);
	for (let i = 0; i < random.below(20); i++) {
		const classId = mutator.pick([1, 3, 3, 3, 4, 5, 8]);
		polled.push(`${classId} 1-0:${i}.8.0.255 2`);
		const at = random.below(TEXTS.length);
		const size = SIZES[at] || random.below(30);
		const head = SIZES[at] === 0 ? size.toString(16).padStart(2, "0") : "";
		const value = `${TEXTS[at]}${head}${Buffer.from(random.bytes(size)).toString("hex")}`;
		values.set(`${classId} 1.0.${i}.8.0.255 2`, random.oneIn(8) ? random.below(14) : value);
		values.set(`${classId} 1.0.${i}.8.0.255 3`, random.oneIn(8) ? random.below(14) : "02020FFE161E");
		values.set(`${classId} 1.0.${i}.8.0.255 4`, "02020F02161B");
		values.set(`${classId} 1.0.${i}.8.0.255 5`, "090C07EA030107112D00FF800000");
	}
	return [polled, values];
}

async function damageAnswers(seed: number, runs: number): Promise<void> {
	await runAll("answers of a DLMS meter", seed, runs, (mutator) => {
		const { random } = mutator;
		const [polled, objects] = objectsFor(mutator);
		const level = {
			mechanism: mutator.pick([0, 1, 5]),
			ciphered: !random.oneIn(3),
			password: "12345678",
			block: mutator.pick([0, 0, 3, 50, 200]),
			general: random.oneIn(4),
			conformance: mutator.pick([0x001e1d, 0x00101d]),
			pdu: mutator.pick([0, 0, 40, 128]),
			release: random.oneIn(2),
		};
		const list = listOf(...polled);
		const whole = new AssociationDriver({ list, ...level });
		assert.equal(whole.run(new Server({ objects, ...level })), undefined);
		// An unciphered exception, which any sender can forge, may remove an object or its time.
		const good = new Set(whole.notes.all.flatMap((line) => [line, line.replace(/ \|.*/, "")]));

		const driver = new AssociationDriver({ list, ...level, counterLimit: 1 + random.below(20) });
		const seen: Uint8Array[] = [];
		const result = driver.run(new Server({ objects, ...level }), (answer) => {
			seen.push(answer);
			if (!random.oneIn(4)) return [answer];
			const odd = random.oneIn(4) ? mutator.pick(seen) : mutator.mutate(answer, mutator.pick(seen));
			return random.oneIn(2) ? [odd, answer] : [odd, odd, answer];
		});
		assert.ok(result !== undefined || driver.association.isRead);
		assert.ok(driver.cipher.counter <= driver.cipher.counterLimit);
		for (const line of driver.notes.all)
			assert.ok(!level.ciphered || good.has(line) || line.includes("refused"), `a value that was not sent: ${line}`);

		const plainFault = (answer: Uint8Array) => (random.oneIn(3) ? mutator.mutate(answer, answer) : answer);
		const inside = new AssociationDriver({ list, ...level });
		const sound = (answer: Uint8Array): Uint8Array => {
			const odd = plainFault(answer);
			// The server can cipher only APDUs that have a ciphered form: keep the answer's tag.
			return odd.length > 0 && odd[0] === answer[0] ? odd : answer;
		};
		inside.run(new Server({ objects, ...level, plainFault: sound }));
		assert.ok(inside.notes.all.length <= polled.length);
	});
}

const seed = seedOfRun();

describe(`damaged answers of a DLMS meter (SEED=${seed})`, () => {
	it("end the association or give correct values", () => damageAnswers(seed, byRun({ test: 400, long: 100_000 })));
});
