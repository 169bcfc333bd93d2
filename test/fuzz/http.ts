/**
 * Damaged requests of a logged-in client to the whole gateway, in a virtual world with the built-in simulator. Nothing
 * throws, every reply is HTTP, no connection is lost, and good requests work after every hundred.
 */
import assert from "node:assert/strict";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import type { VirtualReply } from "../../hosts/node/virtual-request.js";
import { Gateway } from "../../modules/app/gateway.js";
import { checkFaults } from "../faults.js";
import { type Mutator, runAll } from "./mutator.js";
import {
	API,
	CONNECTIONS,
	checkReplies,
	checkSimulated,
	GOOD_ADDRESS,
	LOGIN,
	oddRequest,
	pauseMs,
	WAIT_MS,
} from "./requests.js";

class GatewayBed {
	readonly world = new VirtualWorld({ utcMs: Date.UTC(2026, 10, 20, 6) });
	token = "";

	constructor() {
		new Gateway(this.world).start();
		this.checkGood();
	}

	/** Sends bytes over a new connection, lets time pass, and returns all that was received. */
	exchange(bytes: Uint8Array, mutator: Mutator): string {
		const client = this.#connect();
		mutator.inPieces(bytes, (buffer, start, end) => {
			if (client.isClosed) return;
			client.send(buffer.slice(start, end));
			if (mutator.random.oneIn(4)) this.world.advance(mutator.random.below(3));
		});
		this.world.advance(pauseMs(mutator, 5));
		const { text } = client;
		client.close();
		this.world.advance(1);
		return text;
	}

	/** Gets a new token for later requests, after earlier connections have closed. */
	logIn(): void {
		this.world.advance(WAIT_MS);
		const client = this.#connect(GOOD_ADDRESS);
		this.token = this.#good(client, "system/login", LOGIN).json().token;
		client.close();
		this.world.advance(1);
	}

	/**
	 * Logs in, opens all connections that the gateway serves, and checks on each that requests work and that a readout
	 * has the simulator's values.
	 */
	checkGood(): void {
		this.logIn();
		const clients = Array.from({ length: CONNECTIONS }, () => this.#connect(GOOD_ADDRESS));
		for (const client of clients) {
			this.#good(client, "iec62056/config", { mode_d_enabled: false, battery: false });
			this.#good(client, "iec62056/control", { simulator_en: true, log_en: true });
			checkSimulated(this.#good(client, "iec62056/read").json());
		}
		for (const client of clients) client.close();
		this.world.advance(1);
		checkFaults();
	}

	#connect(address?: string): VirtualClient {
		return this.world.connect(true, address);
	}

	#good(client: VirtualClient, path: string, body?: unknown): VirtualReply {
		const headers = { Authorization: `Bearer ${this.token}` };
		const reply = this.world.request(API + path, { client, headers, body });
		assert.equal(reply.status, 200, reply.text);
		return reply;
	}
}

export async function fuzzRequests(seed: number, runs: number): Promise<void> {
	const bed = new GatewayBed();
	let text = "";
	await runAll("requests", seed, runs, (mutator, run) => {
		if (run % 100 === 99) bed.checkGood();
		// A damaged request logged out; later requests need a new token.
		else if (text.includes('"unauthorized"')) bed.logIn();
		const request = oddRequest(mutator, bed.token);
		text = bed.exchange(request.bytes, mutator);
		checkReplies(text, request);
		checkFaults();
	});
	bed.checkGood();
}
