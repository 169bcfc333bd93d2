/**
 * Runs the gateway in XS in the virtual world, for repeatable measurements and memory tests. Time advances in pieces.
 * The engine finishes its work after each piece.
 */
import { bundleGateway } from "../../hosts/node/bundle.js";
import { XSEngine } from "../../hosts/node/engine-xs.js";
import { GATEWAY_SCRIPT } from "../../hosts/node/snapshot.js";
import { type VirtualOptions, VirtualWorld } from "../../hosts/node/virtual.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { encodeRequest, takeReply, type VirtualReply, type VirtualRequest } from "../../hosts/node/virtual-request.js";
import { findXSWorker } from "../../hosts/node/xs-worker.js";

/** Length of a piece of time. The engine receives all input of a piece together. */
const PIECE_MS = 8;
const LIMIT_MS = 120_000;
const LABEL_PASSWORD = "label-password";

export interface XSWorldOptions extends VirtualOptions {
	pieceMs?: number;
}

export class XSWorld {
	readonly world: VirtualWorld;
	readonly engine: XSEngine;
	token = "";
	readonly #pieceMs: number;
	#crash: Error | undefined;

	constructor(options: XSWorldOptions) {
		const program = findXSWorker();
		if (program === undefined) throw new Error("the XS engine is not installed: npm could not build @agoric/xsnap");
		this.#pieceMs = options.pieceMs ?? PIECE_MS;
		this.world = new VirtualWorld({ utcMs: Date.UTC(2026, 10, 20, 6), ...options });
		this.engine = new XSEngine({
			host: this.world,
			program,
			script: GATEWAY_SCRIPT,
			onCrash: (message) => {
				this.#crash = new Error(message);
			},
		});
	}

	/** `enter` prepares the world before the gateway starts in it. */
	static async start(options: XSWorldOptions = {}, enter?: (world: VirtualWorld) => void): Promise<XSWorld> {
		// The gateway is bundled here, because a plain compilation does not update the script.
		await bundleGateway();
		const world = new XSWorld(options);
		enter?.(world.world);
		await world.engine.start();
		await world.#settle();
		return world;
	}

	stop(): Promise<void> {
		return this.engine.stop();
	}

	/** Returns the number of used XS slots, without the slots of the loaded code before the start. */
	async slots(): Promise<number> {
		const slots = await this.engine.slots();
		this.#check();
		return slots;
	}

	async until(isDone: () => boolean, limitMs = LIMIT_MS): Promise<void> {
		const { time } = this.world;
		const endMs = time.nowMs + limitMs;
		while (!isDone()) {
			if (time.nowMs >= endMs) throw new Error(`it did not happen in ${limitMs} ms`);
			time.advance(this.#pieceMs);
			await this.#settle();
		}
	}

	async advance(ms: number): Promise<void> {
		const { time } = this.world;
		const endMs = time.nowMs + ms;
		while (time.nowMs < endMs) {
			// Time without events passes at once.
			time.run(Math.min(Math.max(time.nowMs + this.#pieceMs, time.nextMs), endMs));
			await this.#settle();
		}
	}

	async request(path: string, request: VirtualRequest = {}, client?: VirtualClient): Promise<VirtualReply> {
		const connection = client ?? this.world.connect();
		this.send(connection, path, request);
		const reply = await this.reply(connection);
		if (client === undefined) {
			connection.close();
			await this.advance(1);
		}
		return reply;
	}

	send(client: VirtualClient, path: string, request: VirtualRequest = {}): void {
		const headers = this.token === "" ? {} : { Authorization: `Bearer ${this.token}` };
		client.send(encodeRequest(`/api/v1/${path}`, { ...request, headers: { ...headers, ...request.headers } }));
	}

	async reply(client: VirtualClient): Promise<VirtualReply> {
		let seen = -1;
		let reply: VirtualReply | undefined;
		await this.until(() => {
			// The reply is parsed only when no more data arrive. Otherwise a long one would be searched repeatedly.
			if (client.receivedCount === seen) reply = takeReply(client);
			seen = client.receivedCount;
			return reply !== undefined || client.isClosed;
		});
		reply ??= takeReply(client);
		if (reply === undefined) throw new Error("the gateway closed the connection before the end of the reply");
		return reply;
	}

	async login(): Promise<void> {
		const body = { username: "admin", password: LABEL_PASSWORD };
		this.token = (await this.request("system/login", { body })).json().token;
	}

	async #settle(): Promise<void> {
		// The virtual world may react to the engine's actions although its time does not advance, so these are awaited.
		await this.engine.settled();
		this.#check();
	}

	#check(): void {
		if (this.#crash !== undefined) throw this.#crash;
	}
}
