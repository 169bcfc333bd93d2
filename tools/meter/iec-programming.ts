/**
 * Programming mode of the simulated meter (IEC 62056-21:2002, 6.3.4 and 6.4.3): password, clock, and load profile P.01
 * of VDEW "Lastenheft Elektronische Lastgangzähler" 2.1.2. It shares no code with the gateway's reader.
 *
 *     request   `SOH R5 STX P.01([from];[to]) ETX BCC`
 *     answer    `STX P.01(time)(status)(period)(2)(1.5)(kW)(2.5)(kW) CR LF rows ETX BCC`
 *
 * R6 in place of R5 requests the answer in parts. EOT in place of ETX means that a further part follows after an ACK.
 *
 * The row that ends at T has the number n = T / period since 1970. Its import is n mod 1000 W, its export n mod 7 W.
 * Its status is 80 if n mod 32 = 7, and otherwise 00. A new head, the line that begins with P.01, precedes each row
 * whose status differs from that of the row before it. Clock and times are in UTC.
 *
 * With `stored`, the rows contain counters in place of powers, and the head ends with `(1.8.0)(kWh)(2.8.0)(kWh)`. Clock
 * and times are then in local time. They begin with the season digit that `seasonAt` returns, if it returns one.
 */
import { rowsBetween, type StoredRows } from "./steady-household.js";
import { ACK, ETX, frame, NAK, SOH } from "./telegram.js";

export const PROFILE_PLACES = ["none", "readout", "programming"] as const;
export const PROFILE_FAULTS = [
	"error",
	"error-alone",
	"nak",
	"silence",
	"break",
	"no-programming",
	"no-clock",
	"r6-only",
	"no-season",
	"long-answer",
	"password-error",
	"password-nak",
	"password-silence",
	"password-demand",
] as const;

/**
 * Forms of a load profile. With `bare-heads`, only the first head has an address. With `value-lines`, each value of a
 * row is on its own line.
 */
export const PROFILE_FORMS = ["plain", "bare-heads", "value-lines"] as const;

export interface ProfileOptions {
	place?: (typeof PROFILE_PLACES)[number];
	/** Period of the rows in minutes. Default: 15. */
	period?: number;
	/** Number of rows. Default: 400. */
	rows?: number;
	/** Season digit: 0 winter, 1 summer, 2 UTC, "" none. Default: 2. */
	season?: string;
	/** Password that the load profile requires. By default it requires none, and the meter ignores a password. */
	password?: string;
	/** Number of wrong passwords after which even the right one is refused. Default: 3. */
	tries?: number;
	/** Number of lines in each part of an answer to R6. Default: 10. */
	lines?: number;
	wrongBCC?: number;
	fault?: (typeof PROFILE_FAULTS)[number];
	/** Form of the load profile. Default: plain. */
	form?: (typeof PROFILE_FORMS)[number];
	/** Counters that the rows contain instead of powers. */
	stored?: StoredRows;
	/** Returns the minutes east of UTC, and the season digit or "". Only used with `stored`. Default: 0 and "2". */
	seasonAt?: (utcMs: number) => { minutes: number; digit: string };
}

/** Default period in minutes, and default number of rows. */
export const DEFAULT_PERIOD = 15;
export const DEFAULT_ROWS = 400;

const EOT = 0x04;
const MINUTE_MS = 60_000;
const READOUT_ROWS = 96;
const BREAK = Uint8Array.of(SOH, 0x42, 0x30, ETX, 0x71);
const REFUSAL = "(ERROR)";

export interface Answer {
	bytes: Uint8Array;
	ends?: true;
}

export class ProgrammingMode {
	readonly #options: ProfileOptions;
	readonly #clock: (nowMs: number) => number;
	#isAllowed: boolean;
	#tries: number;
	#wrongBCC: number;
	#parts: string[] = [];
	#last: Uint8Array = new Uint8Array(0);

	constructor(options: ProfileOptions, clock: (nowMs: number) => number) {
		this.#options = options;
		this.#clock = clock;
		this.#isAllowed = options.password === undefined;
		this.#tries = options.tries ?? 3;
		this.#wrongBCC = options.wrongBCC ?? 0;
	}

	get isLocked(): boolean {
		return this.#tries === 0;
	}

	begin(): Answer | undefined {
		this.#isAllowed = this.#options.password === undefined;
		this.#parts = [];
		if (this.#options.fault === "no-programming") return undefined;
		return demand();
	}

	/** Answers a command. The caller has checked the BCC. */
	take(command: string, data: string, nowMs: number): Answer | undefined {
		const { fault } = this.#options;
		if (command === "P1") return this.#takePassword(data);
		const isClock = data.startsWith("0.9.");
		if (!isClock && fault === "nak") return { bytes: Uint8Array.of(NAK) };
		if (!isClock && fault === "silence") return undefined;
		if (fault === "break") return { bytes: BREAK, ends: true };
		this.#parts = this.#answerTo(command, data, this.#clock(nowMs));
		return this.more();
	}

	/** Returns the next part of the answer, after ACK. */
	more(): Answer | undefined {
		const part = this.#parts.shift();
		if (part === undefined) return undefined;
		const bytes = frame(Buffer.from(part, "latin1"));
		if (this.#parts.length > 0) {
			bytes[bytes.length - 2] = EOT;
			bytes[bytes.length - 1] ^= ETX ^ EOT;
		}
		this.#last = bytes;
		return this.#spoilt();
	}

	/** Returns the last part again, after NAK. */
	again(): Answer | undefined {
		return this.#last.length > 0 ? this.#spoilt() : undefined;
	}

	#takePassword(data: string): Answer | undefined {
		const { fault, password } = this.#options;
		if (password === undefined) return undefined;
		const isRight = data === `(${password})`;
		this.#isAllowed = isRight && !this.isLocked;
		if (!isRight) this.#tries = Math.max(0, this.#tries - 1);
		if (this.#isAllowed) return { bytes: Uint8Array.of(ACK) };
		if (fault === "password-silence") return undefined;
		if (fault === "password-nak") return { bytes: Uint8Array.of(NAK) };
		if (fault === "password-demand") return demand();
		if (fault !== "password-error") return { bytes: BREAK, ends: true };
		this.#last = frame(Buffer.from("(ERR03)"));
		return { bytes: this.#last };
	}

	readoutLines(nowMs: number): string[] {
		if (this.#options.place !== "readout") return [];
		return this.#linesOf("", "", this.#clock(nowMs), READOUT_ROWS);
	}

	#spoilt(): Answer {
		const bytes = this.#last.slice();
		if (this.#wrongBCC > 0) {
			this.#wrongBCC--;
			bytes[bytes.length - 1] ^= 0x55;
		}
		return { bytes };
	}

	#answerTo(command: string, data: string, utcMs: number): string[] {
		const { fault, place = "none", lines = 10 } = this.#options;
		const { minutes, digit } = this.#seasonAt(utcMs);
		const isStored = this.#options.stored !== undefined;
		const now = new Date(isStored ? utcMs + minutes * MINUTE_MS : utcMs).toISOString();
		const season = isStored ? digit : "";
		const isRead = command === "R5" || command === "R6";
		if (isRead && fault !== "no-clock") {
			if (data === "0.9.1()") return [`0.9.1(${season}${now.slice(11, 19).replaceAll(":", "")})`];
			if (data === "0.9.2()") return [`0.9.2(${season}${now.slice(2, 10).replaceAll("-", "")})`];
		}
		const [, from, to] = /^P\.01\(([0-9]*);([0-9]*)\)$/.exec(data) ?? [];
		if (!isRead || from === undefined || place === "none") return [REFUSAL];
		const isRefused =
			!this.#isAllowed ||
			fault === "error-alone" ||
			(fault === "r6-only" && command === "R5") ||
			(fault === "no-season" && from.length % 2 === 1);
		if (isRefused) return [REFUSAL];
		if (fault === "error") return ["P.01(ERROR)"];
		const { stored } = this.#options;
		const all =
			stored === undefined
				? this.#linesOf(from, to ?? "", utcMs, Number.POSITIVE_INFINITY)
				: this.#countersOf(stored, utcMs, this.#utcOf(from), this.#utcOf(to ?? "") || utcMs);
		if (all.length === 0) return ["P.01()"];
		const size = command === "R6" ? lines : all.length;
		const parts: string[] = [];
		for (let i = 0; i < all.length; i += size) parts.push(`${all.slice(i, i + size).join("\r\n")}\r\n`);
		return parts;
	}

	#seasonAt(utcMs: number): { minutes: number; digit: string } {
		return this.#options.seasonAt?.(utcMs) ?? { minutes: 0, digit: "2" };
	}

	#utcOf(text: string): number {
		const localMs = momentOf(text, 0);
		if (localMs === 0) return 0;
		const digit = text.length % 2 === 1 ? text[0] : "";
		for (const minutes of [0, 60, 120]) {
			const utcMs = localMs - minutes * MINUTE_MS;
			const own = this.#seasonAt(utcMs);
			if (own.minutes === minutes && (digit === "" || own.digit === "" || own.digit === digit)) return utcMs;
		}
		return localMs - this.#seasonAt(localMs).minutes * MINUTE_MS;
	}

	/** Returns the rows. A new head follows each gap, and each change of the offset from UTC or of the season digit. */
	#countersOf(stored: StoredRows, utcMs: number, fromMs: number, toMs: number): string[] {
		const { periodS = 900 } = stored;
		const lines: string[] = [];
		let nextMs = 0;
		let before = "";
		for (const { timeMs, importWh, exportWh } of rowsBetween(stored, utcMs, fromMs, toMs)) {
			const { minutes, digit } = this.#seasonAt(timeMs);
			const mark = `${minutes}${digit}`;
			if (timeMs !== nextMs || mark !== before) {
				const stamp = digits(timeMs + minutes * MINUTE_MS);
				lines.push(`P.01(${digit}${stamp})(00)(${periodS / 60})(2)(1.8.0)(kWh)(2.8.0)(kWh)`);
			}
			before = mark;
			nextMs = timeMs + periodS * 1000;
			lines.push(`(${(importWh / 1000).toFixed(3)})(${(exportWh / 1000).toFixed(3)})`);
		}
		return lines;
	}

	#linesOf(from: string, to: string, utcMs: number, limit: number): string[] {
		const { period = DEFAULT_PERIOD, rows = DEFAULT_ROWS, season = "2", fault, form } = this.#options;
		const periodMs = period * MINUTE_MS;
		const last = Math.floor(utcMs / periodMs);
		const fromMs = fault === "long-answer" ? 0 : momentOf(from, 0);
		const toMs = momentOf(to, Number.POSITIVE_INFINITY);
		const lines: string[] = [];
		let before = "";
		for (let n = last - Math.min(rows, limit) + 1; n <= last; n++) {
			if (n * periodMs < fromMs || n * periodMs > toMs) continue;
			const status = n % 32 === 7 ? "80" : "00";
			const address = form === "bare-heads" && before !== "" ? "" : "P.01";
			if (status !== before)
				lines.push(`${address}(${season}${digits(n * periodMs)})(${status})(${period})(2)(1.5)(kW)(2.5)(kW)`);
			before = status;
			const values = [`(${watts(n % 1000)})`, `(${watts(n % 7)})`];
			if (form === "value-lines") lines.push(...values);
			else lines.push(values.join(""));
		}
		return lines;
	}
}

/** Asks for the password. A client that encrypts the password uses the operand. */
function demand(): Answer {
	return { bytes: frame(Buffer.from("P0\x02(01234567)"), SOH) };
}

/** Reads `SOH command [STX data] ETX BCC`. Returns undefined if the BCC is wrong. */
export function readCommand(bytes: Uint8Array): { command: string; data: string } | undefined {
	const check = bytes.slice(1, -1).reduce((sum, byte) => sum ^ byte, 0);
	if (check !== bytes[bytes.length - 1]) return undefined;
	const [command, data = ""] = Buffer.from(bytes.subarray(1, -2)).toString("latin1").split("\x02");
	return { command, data };
}

/** Reads a time as UTC, without the season digit. Returns `none` for an empty text. */
function momentOf(text: string, none: number): number {
	if (text === "") return none;
	const [year, month, day, hour, minute] = text
		.slice(text.length % 2)
		.match(/../g)!
		.map(Number);
	return Date.UTC(2000 + year, month - 1, day, hour, minute);
}

function digits(utcMs: number): string {
	return new Date(utcMs).toISOString().replace(/\D/g, "").slice(2, 14);
}

function watts(number: number): string {
	return (number / 1000).toFixed(3);
}
