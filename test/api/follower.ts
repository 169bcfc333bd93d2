/** A client of `GET events`. It collects events with a parser independent of the gateway's code. */
import assert from "node:assert/strict";
import { createParser } from "eventsource-parser";
import type { JSONObject } from "./gateway.js";

export interface SentEvent {
	readonly name: string;
	readonly data: JSONObject;
}

export interface FollowOptions {
	/** Token of the request; default: that of the last login. */
	readonly token?: string;
	/** HTTPS (default) or plain HTTP. */
	readonly secure?: boolean;
	readonly headers?: Record<string, string>;
}

export class Follower {
	/** HTTP status; 0 before the reply. */
	status = 0;
	headers: ReadonlyMap<string, string> = new Map();
	/** The whole body so far. */
	text = "";
	readonly events: SentEvent[] = [];
	comments = 0;
	/** The `retry` field of the stream, ms. */
	retryMs = 0;
	/** True if the stream ended with its last chunk; false if the connection was only closed. */
	hasEnded = false;
	isClosed = false;
	/** Closes the client's connection. */
	readonly leave: () => void;
	readonly #parser = createParser({
		onEvent: ({ event = "", data }) => this.events.push({ name: event, data: JSON.parse(data) }),
		onComment: () => this.comments++,
		onRetry: (ms) => {
			this.retryMs = ms;
		},
		onError: (error) => assert.fail(error),
	});

	constructor(leave: () => void) {
		this.leave = leave;
	}

	feed(text: string): void {
		this.text += text;
		this.#parser.feed(text);
	}

	/** Parses all bytes received so far. */
	take(wire: Uint8Array, isClosed: boolean): void {
		const bytes = Buffer.from(wire);
		const headEnd = bytes.indexOf("\r\n\r\n");
		this.isClosed = isClosed;
		if (headEnd < 0) return;
		const [statusLine, ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
		this.status = Number(statusLine.split(" ")[1]);
		this.headers = new Map(
			lines.map((line) => [line.split(": ", 1)[0].toLowerCase(), line.slice(line.indexOf(": ") + 2)]),
		);
		let at = headEnd + 4;
		let text = "";
		if (this.headers.get("transfer-encoding") !== "chunked") text = bytes.toString("utf8", at);
		else {
			for (let lineEnd = bytes.indexOf("\r\n", at); lineEnd > 0; lineEnd = bytes.indexOf("\r\n", at)) {
				const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
				assert.ok(size >= 0, "a chunk without its size");
				if (size === 0) this.hasEnded = true;
				at = lineEnd + 2 + size + 2;
				if (size === 0 || at > bytes.length) break;
				text += bytes.toString("utf8", lineEnd + 2, at - 2);
			}
		}
		this.feed(text.slice(this.text.length));
	}

	names(): string[] {
		return this.events.map(({ name }) => name);
	}

	last(name: string): JSONObject {
		return this.events.findLast((event) => event.name === name)?.data;
	}
}
