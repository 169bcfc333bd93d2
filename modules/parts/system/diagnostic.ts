/**
 * `GET system/diagnostic`: a report that is encrypted with HPKE for the manufacturer, so that it reveals nothing to
 * people who pass it on. It is produced block by block. Numbers are little-endian.
 *
 *   offset  bytes  content
 *   0       8      `SMGWDIAG`
 *   8       1      format, 1
 *   9       8      id of the manufacturer's key: the first 8 bytes of the SHA-256 of its point
 *   17      4      Unix time in seconds; 0 if the clock is not set
 *   21      1      n, bytes of the serial number
 *   22      n      serial number, ASCII; all bytes up to here are the `info` of HPKE
 *   22+n    65     ephemeral public key of this report ("enc")
 *
 * Blocks follow, each of which is an HPKE message. The three bytes before a block are its associated data: 0 (more
 * blocks follow) or 1 (last block), and the length of the message (2 bytes). A message consists of up to BLOCK bytes of
 * encrypted text and a tag of 16 bytes. The text is UTF-8 (report-lines.ts).
 */

import { UNSUPPORTED } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { asciiBytes } from "../../bytes/ascii.js";
import { decodeHex } from "../../bytes/hex.js";
import type { Core } from "../../core/core.js";
import { Sealer } from "../../hpke/sealer.js";
import type { BodySource } from "../../http/response.js";
import { GCM_TAG_LENGTH } from "../../io/crypto.js";
import type { Cost } from "../../io/memory.js";
import { ReportLines } from "./report-lines.js";
import type { System } from "./status.js";

/** Memory for the metrics as text or a copy of the session log, for a block, and for keys. */
export const REPORT_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 10_240 });

const MAGIC = "SMGWDIAG";
const FORMAT = 1;
const KEY_ID_LENGTH = 8;
const BLOCK = 1024;
const BLOCK_HEADER = 3;

export function getDiagnostic(exchange: Exchange<System>): void {
	const { core, part: system, response } = exchange;
	const { ledger, info } = core;
	if (info.reportKey === "") {
		exchange.fail(501, UNSUPPORTED, "This firmware was built without a manufacturer's key to encrypt a report for.");
		return;
	}
	if (system.isReporting || !ledger.claim(REPORT_COST)) {
		exchange.busy();
		return;
	}
	system.isReporting = true;
	const close = () => {
		ledger.release(REPORT_COST);
		system.isReporting = false;
	};
	let report: SealedReport;
	try {
		report = new SealedReport(core, system, close);
	} catch (error) {
		close();
		throw error;
	}
	response.lines("Content-Type: application/octet-stream\r\n");
	response.header("Content-Disposition", `attachment; filename="smgw-${info.serial}.report"`);
	response.send(200, report);
}

class SealedReport implements BodySource {
	readonly close: () => void;
	readonly #core: Core;
	readonly #sealer: Sealer;
	readonly #lines: ReportLines;
	readonly #text = new Uint8Array(BLOCK);
	#line: Uint8Array = new Uint8Array(0);
	#lineAt = 0;
	#block: Uint8Array;
	#blockAt = 0;
	#isLast = false;

	constructor(core: Core, { parts }: System, close: () => void) {
		const { crypto, info, clock, text } = core;
		this.close = close;
		this.#core = core;
		const digits = asciiBytes(info.reportKey);
		const key = decodeHex(digits, 0, digits.length) ?? digits;
		const serial = asciiBytes(info.serial);
		const timeS = Math.floor((clock.utcMs() ?? 0) / 1000);
		const head = new Uint8Array(MAGIC.length + 1 + KEY_ID_LENGTH + 5 + serial.length);
		head.set(asciiBytes(MAGIC));
		head[8] = FORMAT;
		head.set(crypto.sha256(key).subarray(0, KEY_ID_LENGTH), 9);
		for (let i = 0; i < 4; i++) head[17 + i] = timeS >>> (8 * i);
		head[21] = serial.length;
		head.set(serial, 22);
		this.#sealer = new Sealer({ crypto, text }, key, head);
		this.#block = joined(head, this.#sealer.encapsulated);
		this.#lines = new ReportLines(core, parts);
	}

	read(into: Uint8Array, start: number, end: number): number {
		let at = start;
		while (at < end) {
			if (this.#blockAt === this.#block.length) {
				if (this.#isLast) break;
				this.#block = this.nextBlock();
				this.#blockAt = 0;
			}
			const count = Math.min(end - at, this.#block.length - this.#blockAt);
			into.set(this.#block.subarray(this.#blockAt, this.#blockAt + count), at);
			this.#blockAt += count;
			at += count;
		}
		return at - start;
	}

	private nextBlock(): Uint8Array {
		const length = this.fill();
		const size = length + GCM_TAG_LENGTH;
		const head = new Uint8Array(BLOCK_HEADER);
		head[0] = this.#isLast ? 1 : 0;
		head[1] = size & 0xff;
		head[2] = size >> 8;
		return joined(head, this.#sealer.seal(head, this.#text.subarray(0, length)));
	}

	private fill(): number {
		const text = this.#text;
		let length = 0;
		while (length < BLOCK) {
			if (this.#lineAt === this.#line.length) {
				const lines = this.#lines.next();
				if (lines === undefined) {
					this.#isLast = true;
					break;
				}
				this.#line = this.#core.text.encode(`${lines}\n`);
				this.#lineAt = 0;
			}
			const count = Math.min(BLOCK - length, this.#line.length - this.#lineAt);
			text.set(this.#line.subarray(this.#lineAt, this.#lineAt + count), length);
			this.#lineAt += count;
			length += count;
		}
		return length;
	}
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
	const both = new Uint8Array(first.length + second.length);
	both.set(first);
	both.set(second, first.length);
	return both;
}
