/** Clients of the dialects over real sockets. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONObject } from "../api/gateway.js";
import { CLIENT_HEADERS, clientFrame, takeServerFrames } from "../websocket/peer.js";

export const CLIENT = "127.0.0.1";
const ANSWER_MS = 5000;
const CT002_PORT = 12_345;

/** Sends a frame of Shelly's RPC over UDP and returns the reply; undefined if none comes. */
export async function requestByUDP(body: object, port: number): Promise<JSONObject | undefined> {
	const reply = await exchange(JSON.stringify(body), port);
	return reply && JSON.parse(reply.toString());
}

/** Asks as a battery asks a Marstek CT002. Returns the total power, W; undefined if no reply comes. */
export async function requestCT002(): Promise<number | undefined> {
	const reply = await exchange("\x01\x0253|HMG-50|AABBCCDDEEFF|HME-4|112233445566|B|-217\x036e", CT002_PORT);
	return reply && Number(reply.toString("latin1").split("|")[8]);
}

/** Sends a datagram and returns the reply; undefined if none comes. */
async function exchange(message: string, port: number): Promise<Buffer | undefined> {
	const socket = createSocket("udp4");
	try {
		socket.bind(0, CLIENT);
		await once(socket, "listening");
		socket.send(message, port, CLIENT);
		const late = sleep(ANSWER_MS, undefined, { ref: false });
		const reply = await Promise.race([once(socket, "message"), late]);
		return reply?.[0];
	} finally {
		socket.close();
	}
}

const TEXT = 0x81;

/** A WebSocket to Shelly's RPC that has sent a request. It is closed if the gateway refuses it. */
export class RPCSocket {
	readonly messages: JSONObject[] = [];
	isClosed = false;
	readonly #socket: Socket;
	#bytes = Buffer.alloc(0);
	#hasHead = false;

	constructor(authority: string) {
		const [host, port] = authority.split(":");
		const fields = Object.entries({ Host: authority, ...CLIENT_HEADERS }).map(
			([name, value]) => `${name}: ${value}\r\n`,
		);
		this.#socket = connect(Number(port), host);
		this.#socket.write(`GET /rpc HTTP/1.1\r\n${fields.join("")}\r\n`);
		this.#socket.write(clientFrame(TEXT, JSON.stringify({ id: 1, src: "battery", method: "Shelly.GetDeviceInfo" })));
		this.#socket.on("data", (bytes) => this.take(bytes));
		this.#socket.on("error", () => {});
		this.#socket.on("close", () => {
			this.isClosed = true;
		});
	}

	end(): void {
		this.#socket.destroy();
	}

	private take(bytes: Buffer): void {
		this.#bytes = Buffer.concat([this.#bytes, bytes]);
		const head = this.#bytes.indexOf("\r\n\r\n") + 4;
		if (!this.#hasHead && head < 4) return;
		if (!this.#hasHead) {
			if (!this.#bytes.toString("latin1", 0, head).startsWith("HTTP/1.1 101 ")) {
				this.#socket.destroy();
				return;
			}
			assert.match(this.#bytes.toString("latin1", 0, head), /^HTTP\/1\.1 101 [\s\S]*s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/);
			this.#hasHead = true;
			this.#bytes = this.#bytes.subarray(head);
		}
		const [frames, end] = takeServerFrames(this.#bytes);
		for (const [first, payload] of frames) if (first === TEXT) this.messages.push(JSON.parse(payload));
		this.#bytes = this.#bytes.subarray(end);
	}
}

/** Power and export counter in the next datagram from this SMA energy meter, W and Wh; undefined if none comes. */
export async function receiveSMA(id: string): Promise<[watts: number, exported: number] | undefined> {
	const socket = createSocket({ type: "udp4", reuseAddr: true });
	const serial = 1_900_000_000 + (Number.parseInt(id.slice(4), 16) % 100_000_000);
	try {
		socket.bind(9522);
		await once(socket, "listening");
		// The firmware on Linux sends to this computer only.
		for (const own of [undefined, CLIENT]) socket.addMembership("239.12.255.254", own);
		const datagram = new Promise<Buffer>((resolve) => {
			socket.on("message", (bytes) => {
				if (bytes.length === 608 && bytes.readUInt32BE(20) === serial) resolve(bytes);
			});
		});
		const bytes = await Promise.race([datagram, sleep(ANSWER_MS, undefined, { ref: false })]);
		if (bytes === undefined) return undefined;
		return [(bytes.readUInt32BE(32) - bytes.readUInt32BE(52)) / 10, Number(bytes.readBigUInt64BE(60)) / 3600];
	} finally {
		socket.close();
	}
}

/** Reads registers by Modbus TCP; fails if the connection ends before the reply. */
export async function readModbus(port: number, first: number, count: number): Promise<Buffer> {
	const socket = connect(port, CLIENT);
	try {
		const bytes = Buffer.from([0, 1, 0, 0, 0, 6, 1, 3, 0, 0, 0, count]);
		bytes.writeUInt16BE(first, 8);
		socket.write(bytes);
		const ended = once(socket, "close").then(() => assert.fail("the connection ended"));
		const [reply] = (await Promise.race([once(socket, "data"), ended])) as [Buffer];
		return reply;
	} finally {
		socket.destroy();
	}
}
