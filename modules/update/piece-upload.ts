/** An upload in pieces. Between two pieces, no HTTP request is in progress. */
import type { Sender } from "./updater.js";

/**
 * Longest time between two pieces, ms. While two browsers load the page, the connection for the next piece may wait
 * half a minute for its TLS handshake.
 */
const PIECE_SILENCE_MS = 120_000;

export class PieceUpload implements Sender {
	readonly name: string;
	readonly silenceMs = PIECE_SILENCE_MS;
	request: Pick<Sender, "updated"> | undefined;
	isOver = false;

	constructor(name: string) {
		this.name = name;
	}

	updated(refusal: number, version: string): void {
		this.isOver = true;
		this.request?.updated(refusal, version);
	}
}
