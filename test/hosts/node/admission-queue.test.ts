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
	for (const { title, places, commands, admitted, dropped = "" } of ADMISSION_RULES)
		it(title, () => {
			let nowMs = 0;
			const queue = new AdmissionQueue<PendingConnection>(places, () => nowMs);
			const connections: PendingConnection[] = [];
			const closed: number[] = [];
			const served: string[] = [];
			for (const command of commands.split(",")) {
				const [word, value] = command.split(" ");
				if (word === "connect") {
					const connection = new PendingConnection(value);
					connections.push(connection);
					queue.add(connection);
				} else if (word === "admit") served.push(queue.take()?.remoteAddress ?? "-");
				else if (word === "trust") queue.know(value);
				else if (word === "forget") queue.forget();
				else if (word === "wait") nowMs += Number(value);
				else assert.fail(command);
				for (const [number, { isClosed }] of connections.entries())
					if (isClosed && !closed.includes(number)) closed.push(number);
			}
			assert.equal(served.join(" "), admitted);
			assert.equal(closed.join(" "), dropped);
		});

	it("drops a connection that its client has closed, and closes all waiting ones when the queue itself is closed", () => {
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
