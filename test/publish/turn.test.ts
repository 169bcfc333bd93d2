import assert from "node:assert/strict";
import * as client from "../../modules/io/client.js";
import { connectFailure } from "../../modules/publish/connect-failures.js";
import { Turn, type TurnHolder } from "../../modules/publish/turn.js";

class Holder implements TurnHolder {
	readonly told: string[] = [];

	turnGiven(): void {
		this.told.push("given");
	}

	turnWanted(): void {
		this.told.push("wanted");
	}
}

describe("publish/turn", () => {
	it("is given to one after the other, in the order of asking", () => {
		const turn = new Turn();
		const [a, b, c] = [new Holder(), new Holder(), new Holder()];
		assert.equal(turn.ask(a), true);
		assert.equal(turn.ask(a), true, "asking again");
		assert.equal(turn.ask(b), false);
		assert.equal(turn.ask(b), false);
		assert.equal(turn.ask(c), false);
		assert.deepEqual(a.told, ["wanted", "wanted", "wanted"]);
		turn.giveBack(a);
		assert.deepEqual(b.told, ["given", "wanted"]);
		assert.deepEqual(c.told, []);
		turn.giveBack(b);
		assert.deepEqual(c.told, ["given"]);
		assert.equal(turn.ask(a), false);
	});

	it("is not given to one that has gone", () => {
		const turn = new Turn();
		const [a, b, c] = [new Holder(), new Holder(), new Holder()];
		turn.ask(a);
		turn.ask(b);
		turn.ask(c);
		turn.giveBack(b);
		turn.giveBack(new Holder());
		turn.giveBack(a);
		assert.deepEqual([b.told, c.told], [[], ["given"]]);
		turn.giveBack(c);
		assert.equal(turn.ask(b), true);
	});
});

describe("publish/connect-failures", () => {
	it("has a code and a sentence of its own for every way in which a connection fails", () => {
		const numbers = Object.entries(client).filter(
			([name, value]) => name.startsWith("CLIENT_") && typeof value === "number",
		);
		const codes = new Map(numbers.map(([name, value]) => [name, connectFailure(Number(value))]));
		assert.equal(new Set([...codes.values()].map(({ message }) => message)).size, numbers.length);
		assert.equal(codes.get("CLIENT_NO_ADDRESS")?.retcode, 2);
		assert.equal(codes.get("CLIENT_TIMEOUT")?.code, "timeout");
		assert.equal(codes.get("CLIENT_HANDSHAKE")?.code, "tls_failed");
		assert.equal(codes.get("CLIENT_EXPIRED")?.code, "certificate_expired");
		assert.equal(codes.get("CLIENT_OUT_OF_MEMORY")?.retcode, 6);
		for (const failure of codes.values()) assert.match(failure.message, /^[A-Z].*\.$/);
	});
});
