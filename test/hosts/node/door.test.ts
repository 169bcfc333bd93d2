import assert from "node:assert/strict";
import { Door } from "../../../hosts/node/door.js";

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

describe("The door of the bench", () => {
	const fill = (door: Door<Caller>, ...addresses: string[]) =>
		addresses.map((address) => {
			const caller = new Caller(address);
			door.add(caller);
			return caller;
		});
	const order = (door: Door<Caller>) => {
		const addresses: string[] = [];
		for (let next = door.take(); next !== undefined; next = door.take()) addresses.push(next.remoteAddress);
		return addresses.join(" ");
	};

	it("lets in by turns, and first who came first", () => {
		const door = new Door<Caller>(8);
		fill(door, "a", "a", "a", "b", "c", "b");
		assert.equal(order(door), "a b c a b a");
		fill(door, "c", "b", "d");
		assert.equal(order(door), "d c b");
	});

	it("lets in first whom somebody knows", () => {
		const door = new Door<Caller>(8);
		door.know("owner");
		fill(door, "a", "b", "owner", "c", "owner");
		assert.equal(order(door), "owner owner a b c");
	});

	it("sends one of the most away when it is full, never whom somebody knows", () => {
		const door = new Door<Caller>(4);
		door.know("owner");
		const callers = fill(door, "owner", "owner", "owner", "a", "b", "b", "c");
		assert.deepEqual(
			callers.map(({ isClosed }) => isClosed),
			[false, false, false, true, true, true, false],
		);
		assert.equal(door.count, 4);
	});

	it("forgets who has gone", () => {
		const door = new Door<Caller>(4);
		const [first] = fill(door, "a", "b");
		door.remove(first);
		assert.equal(order(door), "b");
		fill(door, "a");
		door.close();
		assert.equal(door.count, 0);
	});
});
