import assert from "node:assert/strict";
import { AdmissionQueue } from "../../../hosts/node/admission-queue.js";
import { ADMISSION_RULES } from "../admission-rules.js";

class PendingConnection {
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
	for (const { title, places, commands, taken, left = "" } of ADMISSION_RULES)
		it(title, () => {
			let nowMs = 0;
			const queue = new AdmissionQueue<PendingConnection>(places, () => nowMs);
			const connections: PendingConnection[] = [];
			const lost: number[] = [];
			const served: string[] = [];
			for (const order of commands.split(",")) {
				const [word, value] = order.split(" ");
				if (word === "come") {
					const connection = new PendingConnection(value);
					connections.push(connection);
					queue.add(connection);
				} else if (word === "take") served.push(queue.take()?.remoteAddress ?? "-");
				else if (word === "know") queue.know(value);
				else if (word === "forget") queue.forget();
				else if (word === "pass") nowMs += Number(value);
				else assert.fail(order);
				for (const [number, { isClosed }] of connections.entries())
					if (isClosed && !lost.includes(number)) lost.push(number);
			}
			assert.equal(served.join(" "), taken);
			assert.equal(lost.join(" "), left);
		});

	it("drops a connection that has closed, and closes the waiting ones when it is closed itself", () => {
		const queue = new AdmissionQueue<PendingConnection>(4, () => 0);
		const connections = ["a", "b", "c"].map((address) => new PendingConnection(address));
		for (const connection of connections) queue.add(connection);
		queue.remove(connections[0]);
		assert.equal(queue.take(), connections[1]);
		queue.close();
		assert.equal(queue.count, 0);
		assert.deepEqual(
			connections.map(({ isClosed }) => isClosed),
			[false, false, true],
		);
	});
});
