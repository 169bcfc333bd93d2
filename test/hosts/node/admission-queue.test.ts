import assert from "node:assert/strict";
import { AdmissionQueue } from "../../../hosts/node/admission-queue.js";
import { DOOR_RULES } from "../admission-rules.js";

class Caller {
	readonly remoteAddress: string;
	isClosed = false;

	constructor(remoteAddress: string) {
		this.remoteAddress = remoteAddress;
	}

	close(): void {
		this.isClosed = true;
	}
}

describe("The admission queue of the simulator", () => {
	for (const { title, places, orders, taken, left = "" } of DOOR_RULES)
		it(title, () => {
			let nowMs = 0;
			const door = new AdmissionQueue<Caller>(places, () => nowMs);
			const callers: Caller[] = [];
			const lost: number[] = [];
			const served: string[] = [];
			for (const order of orders.split(",")) {
				const [word, value] = order.split(" ");
				if (word === "come") {
					const caller = new Caller(value);
					callers.push(caller);
					door.add(caller);
				} else if (word === "take") served.push(door.take()?.remoteAddress ?? "-");
				else if (word === "know") door.know(value);
				else if (word === "forget") door.forget();
				else if (word === "pass") nowMs += Number(value);
				else assert.fail(order);
				for (const [number, { isClosed }] of callers.entries())
					if (isClosed && !lost.includes(number)) lost.push(number);
			}
			assert.equal(served.join(" "), taken);
			assert.equal(lost.join(" "), left);
		});

	it("drops a connection that has closed, and closes the others at its own end", () => {
		const door = new AdmissionQueue<Caller>(4, () => 0);
		const callers = ["a", "b", "c"].map((address) => new Caller(address));
		for (const caller of callers) door.add(caller);
		door.remove(callers[0]);
		assert.equal(door.take(), callers[1]);
		door.close();
		assert.equal(door.count, 0);
		assert.deepEqual(
			callers.map(({ isClosed }) => isClosed),
			[false, false, true],
		);
	});
});
