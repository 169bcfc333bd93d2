/** Faulty servers for the native clients: an OpenSSL server behind a proxy that changes, delays or cuts its bytes. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { Mutator, runAll } from "../../fuzz/mutator.js";
import { type ClientPeer, HOST, TestServer } from "./stream-client-driver.js";

const LANES = 3;
/** A damaged exchange may end with both sides waiting; this limits the wait, ms. */
const PATIENCE_MS = 400;

/** A proxy before a server; `change` returns the bytes to forward in place of a piece, or undefined for a reset. */
export function between(port: number, change: (piece: Buffer, near: Socket) => Uint8Array | undefined) {
	return TestServer.tcp((near) => {
		const far = connect({ port, host: HOST });
		far.on("error", () => {});
		near.on("data", (bytes) => far.write(bytes));
		far.on("data", (bytes) => {
			const changed = change(bytes, near);
			if (changed === undefined) near.resetAndDestroy();
			else if (changed.length > 0 && near.writable) near.write(changed);
		});
		near.on("close", () => far.destroy());
		far.on("close", () => near.destroy());
	});
}

/**
 * A server that sends this alert after its ServerHelloDone and closes, or only closes. If `early`, it does not wait for
 * the client's answer.
 */
export async function alerting(port: number, alert: number | undefined, early = false): Promise<TestServer> {
	const bytes = alert === undefined ? Buffer.alloc(0) : Buffer.from([21, 3, 3, 0, 2, 2, alert]);
	return between(port, (piece, near) => {
		if (early) near.end(Buffer.concat([piece, bytes]), () => near.destroy());
		else near.once("data", () => near.end(bytes));
		return early ? Buffer.alloc(0) : piece;
	});
}

/** Damages exchanges: the client must report the end of each, and the next exchange must work. */
export async function fuzzClients(peer: ClientPeer, port: number, seed: number, runs: number): Promise<void> {
	const exchangeDamaged = async (mutator: Mutator, lane: number): Promise<void> => {
		let left = mutator.random.below(6);
		const server = await between(port, (piece) =>
			left-- === 0 ? mutator.mutate(piece, Buffer.from([22, 3, 3, 0, 4, 14, 0, 0, 0])) : piece,
		);
		const tls = { trusted: "root" };
		const line = await peer.connect(lane, { port: server.port, timeoutMs: PATIENCE_MS, tls });
		assert.match(line, /connected|over [578] after 0 /);
		if (line.includes("connected")) peer.command(lane, "send 3000");
		await peer.close(lane);
		peer.unread(new RegExp(`^${lane} (sent|over)`));
		await server.close();
	};
	await runAll("damaged servers", seed, runs, async ({ random }) => {
		const mutators = new Array(LANES).fill(0).map(() => new Mutator(random.below(1_000_000)));
		await Promise.all(mutators.map((mutator, lane) => exchangeDamaged(mutator, lane)));
	});
}
