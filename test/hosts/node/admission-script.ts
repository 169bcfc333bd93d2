/** Runs the commands of admission-rules.ts on the simulator's admission queue. */
import assert from "node:assert/strict";
import { AdmissionQueue } from "../../../hosts/node/admission-queue.js";

export class PendingConnection {
	readonly remoteAddress: string;
	isClosed = false;

	constructor(remoteAddress: string) {
		this.remoteAddress = remoteAddress;
	}

	close(): void {
		this.isClosed = true;
	}
}

export interface Outcome {
	/** Addresses in the order of `admit`, "-" if none waited. */
	readonly admitted: string;
	/** Dropped connections, by the number of their `connect` command from 0 on. */
	readonly dropped: string;
}

export function runScript(places: number, seed: number, commands: readonly string[]): Outcome {
	let nowMs = 1000;
	const queue = new AdmissionQueue<PendingConnection>({ limit: places, seed, nowMs: () => nowMs });
	const connections: PendingConnection[] = [];
	const closed: number[] = [];
	const admitted: string[] = [];
	for (const command of commands) {
		const [word, value] = command.split(" ");
		if (word === "connect") {
			const connection = new PendingConnection(value);
			connections.push(connection);
			queue.add(connection);
		} else if (word === "admit") admitted.push(queue.take()?.remoteAddress ?? "-");
		else if (word === "answer") queue.answered(value);
		else if (word === "trust") queue.trust(value);
		else if (word === "forget") queue.forget();
		else if (word === "wait") nowMs += Number(value);
		else assert.fail(command);
		for (const [number, { isClosed }] of connections.entries())
			if (isClosed && !closed.includes(number)) closed.push(number);
	}
	return { admitted: admitted.join(" "), dropped: closed.join(" ") };
}
