/** Command line of the meter simulator with DLMS/COSEM. */
import type { Zone } from "./dlms-data.js";
import type { FrameFaults, FrameNumbers } from "./dlms-faults.js";
import type { Reaction } from "./dlms-security.js";
import type { ServerFaults, ServerOptions } from "./dlms-server.js";
import type { StationFaults, StationOptions } from "./hdlc-station.js";
import type { StoredRows } from "./steady-household.js";
import {
	BAUD_RATES,
	choice,
	count,
	defined,
	flag,
	hex,
	moment,
	oneOf,
	parseWords,
	text,
	UsageError,
	type Words,
} from "./words.js";

export interface DLMSProgramOptions {
	port?: string;
	baud: number;
	signOn?: {
		ident: string;
		only: boolean;
		confirms: boolean;
		address?: string;
		silence: number;
		lieBaud?: number;
	};
	lingerMs: number;
	inactivityMs: number;
	reactionMs?: number;
	pace: boolean;
	echo: boolean;
	atMs?: number;
	server: Omit<ServerOptions, "household">;
	station: Omit<StationOptions, "answer" | "onReset" | "onEvent">;
	faults: FrameFaults & { damage?: number; lateMs?: number };
	seed: number;
	quiet: boolean;
}

const COUNT_LIMIT = 1_000_000;
const MILLISECONDS_LIMIT = 60_000;
const COUNTER_LIMIT = 0xffff_ffff;
const REACTIONS = ["aare", "exception", "decipher-exception", "silence", "dm"];
/** Mechanisms of HLS, by their Green Book numbers. */
const MECHANISMS = new Map([
	["maker", 2],
	["md5", 3],
	["sha1", 4],
	["sha256", 6],
	["ecdsa", 7],
]);
const SECURITIES = new Map([
	["auth", 0x10],
	["encrypt", 0x20],
	["both", 0x30],
]);

export function wantsDLMS(args: readonly string[]): boolean {
	return args.some((arg, i) => arg === "--protocol=dlms" || (arg === "--protocol" && args[i + 1] === "dlms"));
}

export function parseDLMSOptions(args: string[]): DLMSProgramOptions | undefined {
	const values = parseWords(args, WORDS);
	if (values.help) return undefined;
	if (values["baud-pace"] && values.port !== undefined) {
		throw new UsageError("--baud-pace is for the pseudo-terminal: a real port has its own speed.");
	}
	const isModeE = (values["mode-e"] || values["mode-e-only"]) ?? false;
	for (const name of ["ident", "address", "no-confirm", "linger", "lie"] as const) {
		if (values[name] !== undefined && !isModeE) throw new UsageError(`--${name} goes with --mode-e.`);
	}
	const ident = values.ident ?? "LGZ5\\2ZMD3104";
	if (!/^[A-Za-z]{3}[0-9]\\2[ -~]{0,16}$/.test(ident) || /[/!]/.test(ident)) {
		throw new UsageError("--ident takes three letters, a digit, \\2 and up to 16 characters without / and !.");
	}
	if (values.address !== undefined && !/^[0-9A-Za-z ]{1,32}$/.test(values.address)) {
		throw new UsageError("--address takes 1 to 32 of 0-9, A-Z, a-z and blank.");
	}
	const silence = count(values, "silence", COUNT_LIMIT) ?? 0;
	const signOn = {
		ident,
		only: values["mode-e-only"] ?? false,
		confirms: !values["no-confirm"],
		silence,
		...defined({ address: values.address, lieBaud: oneOf(values, "lie", BAUD_RATES) }),
	};
	return defined({
		port: values.port,
		baud: oneOf(values, "baud", BAUD_RATES) ?? 9600,
		signOn: isModeE ? signOn : undefined,
		lingerMs: count(values, "linger", COUNT_LIMIT) ?? 0,
		inactivityMs: (count(values, "inactivity", 86_400, 1) ?? 120) * 1000,
		reactionMs: count(values, "reaction", MILLISECONDS_LIMIT),
		pace: values["baud-pace"] ?? false,
		echo: values.echo ?? false,
		atMs: moment(values, "at"),
		server: parseServer(values),
		station: { ...parseStation(values), faults: parseStationFaults(values, isModeE ? 0 : silence) },
		faults: parseFaults(values),
		seed: count(values, "seed", COUNTER_LIMIT) ?? 1,
		quiet: values.quiet ?? false,
	});
}

function parseServer(values: Values): Omit<ServerOptions, "household"> {
	const password = values.password ?? "12345678";
	if (password.startsWith("hex:") && !/^hex:([0-9A-Fa-f]{2})*$/.test(password)) {
		throw new UsageError("--password takes text, or hex: and pairs of hexadecimal digits.");
	}
	const deviation = choice(values, "zone-sign", ["standard", "swapped", "none"]) ?? "standard";
	return {
		zone: { minutes: minutes(values.zone ?? "60"), deviation: deviation as Zone["deviation"] },
		logicalDevice: count(values, "logical", 16_382, 1) ?? 1,
		publicClient: count(values, "public-client", 126, 1) ?? 16,
		lowClient: count(values, "lls-client", 126, 1) ?? 32,
		gmacClient: count(values, "gmac-client", 126, 1) ?? 1,
		bySHA256: values["hls-digest"] ?? false,
		keepsAssociation: values["keep-association"] ?? false,
		password: password.startsWith("hex:") ? Buffer.from(password.slice(4), "hex") : Buffer.from(password, "utf8"),
		keys: {
			encryption: hex(values, "guek", 16) ?? Buffer.from("000102030405060708090a0b0c0d0e0f", "hex"),
			authentication: hex(values, "ak", 16) ?? Buffer.from("d0d1d2d3d4d5d6d7d8d9dadbdcdddedf", "hex"),
		},
		title: hex(values, "system-title", 8) ?? Buffer.from("4757530000bc614e", "hex"),
		security: SECURITIES.get(choice(values, "security", [...SECURITIES.keys()]) ?? "both")!,
		encryption: (choice(values, "encryption", ["off", "allowed", "required"]) ?? "allowed") as "allowed",
		counter: count(values, "invocation-counter", COUNTER_LIMIT) ?? 0,
		ownCounter: 0,
		pdu: count(values, "pdu", 65_535, 64) ?? 1024,
		conformance: (hex(values, "conformance", 3) ?? Buffer.from("001215", "hex")).readUIntBE(0, 3),
		general: values["general-glo"] ?? false,
		oddTypes: values["odd-types"] ?? false,
		publicLimited: values["public-limited"] ?? false,
		results: parseResults(values),
		...defined({ stored: parseStored(values) }),
		faults: parseServerFaults(values),
	};
}

function parseStored(values: Values): StoredRows | undefined {
	const rows = count(values, "counter-rows", COUNT_LIMIT, 1);
	return rows === undefined ? undefined : { rows };
}

function minutes(value: string): number {
	if (/^-?\d{1,3}$/.test(value) && Math.abs(Number(value)) <= 840) return Number(value);
	throw new UsageError("--zone takes -840 to 840.");
}

function parseServerFaults(values: Values): ServerFaults {
	const refusal = numbers(values, "refuse", 3);
	const exception = numbers(values, "exception", 2, 3);
	return defined({
		refusal: refusal as [number, number, number] | undefined,
		bareRefusal: values["bare-refusal"],
		initiateError: count(values, "initiate-error", 255),
		onWrongKey: choice(values, "on-wrong-key", REACTIONS) as Reaction | undefined,
		onLowCounter: choice(values, "on-low-counter", REACTIONS) as Reaction | undefined,
		wrongAnswer: values["wrong-f-ctos"],
		actionResult: count(values, "action-result", 255, 1),
		exception: exception && ([exception[0], exception[1]] as const),
		exceptionAfter: exception?.[2],
		requestLimit: count(values, "request-limit", COUNTER_LIMIT),
		suite: oneOf(values, "suite", [1, 2]),
		strictSuite: values["strict-suite"],
		hls: parseHLS(values),
		shortNames: choice(values, "short-names", ["refuse", "accept"]) as "refuse" | "accept" | undefined,
	});
}

function parseHLS(values: Values): ServerFaults["hls"] {
	const name = choice(values, "hls", [...MECHANISMS.keys()]);
	const reply = choice(values, "hls-reply", ["refuse", "hide", "accept"]);
	if (name === undefined && reply !== undefined) throw new UsageError("--hls-reply goes with --hls.");
	if (name === undefined) return undefined;
	return { mechanism: MECHANISMS.get(name)!, accepts: reply === "accept", isNamed: reply !== "hide" };
}

function parseStation(values: Values): Omit<StationOptions, "answer" | "onReset" | "onEvent"> {
	const [transmit, receive = transmit] = numbers(values, "hdlc-info", 1, 2) ?? [128];
	if (transmit < 32 || receive < 32 || transmit > 2030 || receive > 2030)
		throw new UsageError("--hdlc-info takes 32 to 2030, and a second such number after a colon.");
	return defined({
		logical: count(values, "logical", 16_382, 1) ?? 1,
		physical: count(values, "physical", 16_382, 1) ?? 17,
		addressLength: oneOf(values, "address-length", [1, 2, 4]),
		clients: [
			count(values, "public-client", 126, 1) ?? 16,
			count(values, "lls-client", 126, 1) ?? 32,
			count(values, "gmac-client", 126, 1) ?? 1,
		],
		transmit,
		receive,
		window: count(values, "window", 7, 1) ?? 1,
		bareUA: values["bare-ua"] ?? false,
	});
}

function parseStationFaults(values: Values, silence: number): StationFaults {
	return defined({
		silence,
		refuse: count(values, "dm", COUNT_LIMIT),
		refuseUntilDisconnect: values["dm-until-disc"],
		busy: count(values, "rnr", COUNT_LIMIT),
		reject: count(values, "rej", COUNT_LIMIT),
		frameReject: count(values, "frmr", COUNT_LIMIT, 1),
		loseAfter: count(values, "lose-after", COUNT_LIMIT),
	});
}

function parseFaults(values: Values): DLMSProgramOptions["faults"] {
	return defined({
		wrongFCS: list(values, "wrong-fcs"),
		wrongHCS: list(values, "wrong-hcs"),
		drop: list(values, "drop"),
		duplicate: list(values, "duplicate"),
		cut: list(values, "cut"),
		garbage: list(values, "garbage"),
		notify: list(values, "notify"),
		lateMs: count(values, "late", MILLISECONDS_LIMIT),
		damage: count(values, "damage", COUNT_LIMIT),
	});
}

function parseResults(values: Values): Map<string, number> {
	const results = new Map<string, number>();
	for (const code of values.missing?.split(",") ?? []) results.set(readCode(code), 4);
	for (const code of values.deny?.split(",") ?? []) results.set(readCode(code), 3);
	for (const entry of values.result?.split(",") ?? []) {
		const [, code, result] = /^(.*)=(\d{1,3})$/.exec(entry) ?? [];
		if (code === undefined || Number(result) < 1 || Number(result) > 255)
			throw new UsageError("--result takes CODE=N with N from 1 to 255.");
		results.set(readCode(code), Number(result));
	}
	return results;
}

/** Returns a code as `A.B.C.D.E.F`, followed by the attribute if there is one. */
function readCode(written: string): string {
	const parts = /^(?:(\d+)-(\d+):)?(\d+)\.(\d+)\.(\d+)(?:\.(\d+))?(\/\d+)?$/.exec(written);
	if (parts === null || parts.slice(1, 7).some((part) => Number(part ?? 0) > 255))
		throw new UsageError(`${written} is not a code such as 1.8.0 or 0-0:96.1.0, or 1.8.0/3 for one attribute.`);
	const [, a, b, c, d, e, f = "255", attribute = ""] = parts;
	const isAbstract = c === "0" || Number(c) >= 94;
	return `${a ?? (isAbstract ? "0" : "1")}.${b ?? "0"}.${c}.${d}.${e}.${f}${attribute}`;
}

function numbers(values: Values, name: Name, least: number, most = least): number[] | undefined {
	const parts = values[name]?.split(":");
	if (parts === undefined) return undefined;
	if (parts.length < least || parts.length > most || !parts.every((part) => /^\d{1,6}$/.test(part)))
		throw new UsageError(
			`--${name} takes ${least === most ? least : `${least} to ${most}`} numbers, colons between them.`,
		);
	return parts.map(Number);
}

function list(values: Values, name: Name): FrameNumbers | undefined {
	return values[name]?.split(",").map((part) => {
		const [, first, span, last] = /^(\d{1,6})(-?)(\d{0,6})$/.exec(part) ?? [];
		if (first === undefined || (span === "" && last !== ""))
			throw new UsageError(`--${name} takes numbers and spans, as in 3,5-7,9-.`);
		return [Number(first), span === "" ? Number(first) : last === "" ? Number.POSITIVE_INFINITY : Number(last)];
	});
}

const WORDS = {
	port: text,
	baud: text,
	"mode-e": flag,
	"mode-e-only": flag,
	ident: text,
	address: text,
	lie: text,
	"no-confirm": flag,
	linger: text,
	inactivity: text,
	reaction: text,
	"baud-pace": flag,
	at: text,
	protocol: text,
	logical: text,
	physical: text,
	"address-length": text,
	"hdlc-info": text,
	window: text,
	"bare-ua": flag,
	"public-client": text,
	"lls-client": text,
	"gmac-client": text,
	password: text,
	guek: text,
	ak: text,
	"system-title": text,
	security: text,
	encryption: text,
	"general-glo": flag,
	"invocation-counter": text,
	pdu: text,
	conformance: text,
	"public-limited": flag,
	missing: text,
	deny: text,
	result: text,
	"odd-types": flag,
	"counter-rows": text,
	zone: text,
	"zone-sign": text,
	silence: text,
	dm: text,
	"dm-until-disc": flag,
	rnr: text,
	rej: text,
	frmr: text,
	"lose-after": text,
	refuse: text,
	"bare-refusal": flag,
	"hls-digest": flag,
	"keep-association": flag,
	"strict-suite": flag,
	"initiate-error": text,
	"on-wrong-key": text,
	"on-low-counter": text,
	"wrong-f-ctos": flag,
	"action-result": text,
	exception: text,
	"request-limit": text,
	suite: text,
	hls: text,
	"hls-reply": text,
	"short-names": text,
	"wrong-fcs": text,
	"wrong-hcs": text,
	cut: text,
	drop: text,
	duplicate: text,
	garbage: text,
	notify: text,
	late: text,
	damage: text,
	seed: text,
	echo: flag,
	quiet: flag,
	help: flag,
} as const;
type Values = Words<typeof WORDS>;
type Name = { [N in keyof typeof WORDS]: (typeof WORDS)[N] extends typeof text ? N : never }[keyof typeof WORDS];
