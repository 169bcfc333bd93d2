/** Shared by the portable checks of sockets and clients: pattern bytes, both ways, in pieces. */
import type { Host } from "../../../modules/io/host.js";
import { expectBytes, expectEqual, pattern, RecordingStream, until } from "./check.js";

const PIECE = 2048;

/** A connection that records its events. */
export abstract class RecordingConnection extends RecordingStream {
	protected abstract override read(into: Uint8Array, start?: number): number | undefined;
	protected abstract write(bytes: Uint8Array): number;

	/** Reads the pattern of that length in pieces. */
	async expectPattern(host: Host, length: number): Promise<void> {
		const piece = new Uint8Array(PIECE);
		let at = 0;
		await until(
			host,
			() => {
				for (let count = this.read(piece); count; count = this.read(piece)) {
					expectBytes(piece.subarray(0, count), pattern(count, at), `what the other side sent, from ${at} on`);
					at += count;
				}
				return at >= length;
			},
			`${length} bytes from the other side`,
		);
		expectEqual(at, length, "bytes from the other side");
	}

	/** Writes the pattern of that length as room permits. */
	async sendPattern(host: Host, length: number): Promise<void> {
		let at = 0;
		await until(host, () => this.writable > 0, "onWritable");
		while (at < length) {
			const piece = pattern(Math.min(length - at, this.writable, PIECE), at);
			this.writable = this.write(piece);
			at += piece.length;
			await until(host, () => this.writable > 0, "room to write");
		}
	}
}
