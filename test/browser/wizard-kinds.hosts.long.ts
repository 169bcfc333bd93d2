/**
 * The wizard on a new unit, once with each kind of meter. The user presses "start trying"; if the gateway finds other
 * settings, the user presses the button that applies them; if the meter needs keys, the user enters them in the same
 * step. Then the user gets a good readout. Each meter is a process of `npm run meter`, each kind a row of KINDS. The
 * title of each test shows how long it took.
 */
import assert from "node:assert/strict";
import { PASSWORD, proofOf } from "../api/gateway.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { byRun } from "../runs.js";
import { violationsOf } from "./axe.js";
import { PHONE, say, usePage, Visit } from "./browser.js";

/** One attempt at the form for keys. */
interface Try {
	/** The values typed into the form, by field name. */
	readonly values: Readonly<Record<string, string | number | boolean>>;
	/** Name of the error text that the page shows; undefined if the readout succeeds. */
	readonly says?: Parameters<typeof say>[0];
}

interface Kind {
	/** Name of the kind, for the title of the test. */
	readonly what: string;
	/** The meter's arguments of `npm run meter`. */
	readonly meter: readonly string[];
	/** Protocol that the gateway is set to after the wizard. */
	readonly protocol: string;
	/** Mode of the last readout; undefined if not checked. */
	readonly mode?: string;
	/** Speed of the gateway's port while it listens to unsolicited data, Bd; undefined if not checked. */
	readonly baud?: number;
	/** Runs in `npm run test:hosts` too, which has time only for the kind with the most steps. */
	readonly isQuick?: boolean;
	/** Runs in XS, the firmware's engine, too: one kind of each protocol, and the fastest speed. */
	readonly isInXS?: boolean;
	/** The meter answers the default sign-on; only the readout shows that it needs another protocol. */
	readonly isFoundLate?: boolean;
	/** The gateway reads the meter with its factory settings. */
	readonly isDefault?: boolean;
	/** Name of the text that explains why the page asks for keys. */
	readonly why?: Parameters<typeof say>[0];
	/** The attempts at the form for keys, in order. */
	readonly tries?: readonly Try[];
	/** The readings are not authenticated, and the page says so. */
	readonly isUnchecked?: boolean;
	/** The meter sends its clock's deviation with the opposite sign; a second button sets the gateway to it. */
	readonly isSwapped?: boolean;
	/** Name of another text that the page shows. */
	readonly says?: Parameters<typeof say>[0];
}

const polled = (what: string, mode: string, ...more: string[]): Kind => ({
	what,
	meter: ["--mode", mode, "--baud-pace", ...more],
	protocol: "iec62056",
	mode,
	isDefault: true,
});

/** The encryption key of the simulated meters, as users type it. */
const GUEK = "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f";
/** The authentication key of the simulated meters. */
const AK = "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf";
const WRONG = "0102030405060708090A0B0C0D0E0F00";

const pushed = (
	framing: "hdlc" | "mbus" | "p1",
	security: "none" | "encrypt" | "both",
): Pick<Kind, "meter" | "protocol"> => ({
	meter: ["--protocol", "dlms-push", "--framing", framing, "--security", security, "--baud-pace"],
	protocol: "dlms",
});
const TOO_SHORT: Try = { values: { block_cipher_key: GUEK.slice(1) }, says: "form.key" };
const ONE_KEY = {
	why: "failure.push.no-key",
	tries: [
		TOO_SHORT,
		{ values: { block_cipher_key: WRONG }, says: "failure.push.key" },
		{ values: { block_cipher_key: GUEK, auth_key: AK }, says: "failure.push.no-tag" },
		{ values: { block_cipher_key: GUEK, auth_key: "" } },
	],
	isUnchecked: true,
} as const;
const BOTH_KEYS = {
	why: "failure.push.no-key",
	tries: [
		TOO_SHORT,
		{ values: { block_cipher_key: GUEK, auth_key: WRONG }, says: "failure.keys" },
		{ values: { block_cipher_key: GUEK, auth_key: AK } },
	],
} as const;

const KINDS: readonly Kind[] = [
	polled("mode A", "A"),
	polled("mode B", "B"),
	{ ...polled("mode C", "C"), isInXS: true },
	{
		what: "mode D at 2400 Bd",
		meter: ["--mode", "D", "--baud", "2400", "--push-seconds", "3", "--baud-pace"],
		protocol: "iec62056",
		mode: "D",
		baud: 2400,
	},
	{
		what: "a P1 port at 115200 Bd",
		meter: ["--protocol", "p1", "--baud-pace"],
		protocol: "iec62056",
		mode: "D",
		baud: 115200,
		isInXS: true,
	},
	{
		what: "DLMS/COSEM after mode E, or a readout in mode C",
		meter: ["--protocol", "dlms", "--mode-e", "--baud-pace"],
		protocol: "iec62056",
		mode: "C",
		isDefault: true,
	},
	{
		what: "DLMS/COSEM after mode E alone",
		meter: ["--protocol", "dlms", "--mode-e-only", "--baud-pace"],
		protocol: "dlms",
		isFoundLate: true,
		mode: "E",
	},
	{
		what: "SML",
		meter: ["--protocol", "sml", "--baud-pace"],
		protocol: "sml",
		isInXS: true,
	},
	{
		what: "SML, before the meter's PIN is entered",
		meter: ["--protocol", "sml", "--make", "no-pin", "--baud-pace"],
		protocol: "sml",
		says: "wizard.pin",
	},
	{
		what: "TIC, standard",
		meter: ["--protocol", "tic", "--baud-pace"],
		protocol: "tic",
		isInXS: true,
	},
	{
		what: "TIC, historic",
		meter: ["--protocol", "tic", "--tic-mode", "historic", "--baud-pace"],
		protocol: "tic",
	},
	{
		what: "Kamstrup's KMP",
		meter: ["--protocol", "kmp", "--baud-pace"],
		protocol: "kmp",
		isInXS: true,
	},
	{
		what: "M-Bus",
		meter: ["--protocol", "mbus", "--baud-pace"],
		protocol: "mbus",
		isInXS: true,
	},
	{
		what: "a Siemens AMIS, which calls each 10 s",
		meter: ["--protocol", "amis", "--guek", "000102030405060708090a0b0c0d0e0f", "--call-seconds", "10", "--baud-pace"],
		protocol: "amis",
		why: "failure.push.no-key",
		tries: [{ values: { block_cipher_key: WRONG }, says: "failure.push.key" }, { values: { block_cipher_key: GUEK } }],
		isUnchecked: true,
	},
	{
		what: "DLMS/COSEM at 9600 Bd",
		meter: ["--protocol", "dlms", "--baud-pace"],
		protocol: "dlms",
		isInXS: true,
	},
	{
		what: "DLMS/COSEM whose clock sends its deviation with the opposite sign",
		meter: ["--protocol", "dlms", "--zone-sign", "swapped", "--baud-pace"],
		protocol: "dlms",
		isSwapped: true,
	},
	{
		what: "DLMS/COSEM with keys (HLS GMAC, encrypted)",
		meter: ["--protocol", "dlms", "--public-limited", "--encryption", "required", "--baud-pace"],
		protocol: "dlms",
		why: "wizard.access.limited",
		tries: [
			{
				values: {
					auth: "high_gmac",
					use_encryption: true,
					client_address: 1,
					block_cipher_key: WRONG,
					auth_key: AK,
				},
				says: "failure.password",
			},
			{ values: { block_cipher_key: GUEK } },
		],
		says: "client.is.limited",
	},
	{
		what: "DLMS/COSEM whose client 16 needs keys, and client 1 nothing",
		meter: ["--protocol", "dlms", "--public-client", "1", "--gmac-client", "16", "--baud-pace"],
		protocol: "dlms",
		says: "client.is.works",
	},
	{ what: "DLMS/COSEM push in HDLC, unencrypted", ...pushed("hdlc", "none"), baud: 9600 },
	{
		what: "DLMS/COSEM push of a list without codes",
		meter: [...pushed("hdlc", "none").meter, "--without-codes"],
		protocol: "dlms",
		baud: 9600,
	},
	{ what: "DLMS/COSEM push in HDLC, with one key", ...pushed("hdlc", "encrypt"), ...ONE_KEY, baud: 9600 },
	{
		what: "DLMS/COSEM push in HDLC, with both keys",
		...pushed("hdlc", "both"),
		...BOTH_KEYS,
		baud: 9600,
		isQuick: true,
		isInXS: true,
	},
	{ what: "DLMS/COSEM push in M-Bus, unencrypted", ...pushed("mbus", "none"), baud: 2400 },
	{ what: "DLMS/COSEM push in M-Bus, with one key", ...pushed("mbus", "encrypt"), ...ONE_KEY, baud: 2400 },
	{
		what: "DLMS/COSEM push in M-Bus, with both keys",
		...pushed("mbus", "both"),
		...BOTH_KEYS,
		baud: 2400,
		isInXS: true,
	},
	{ what: "a ciphered P1 telegram, with both keys", ...pushed("p1", "both"), ...BOTH_KEYS, baud: 115200 },
];

const NEW_PASSWORD = "a password of my own";
/** Time within which the gateway tries every speed and framing, with a margin, ms. */
const FOUND_MS = 90_000;
/** The text above a good readout, with any meter name and any number of readings. */
const DONE = new RegExp(say("wizard.reading.done", { meter: ".*", n: ".+" }).replace(" .*", ".*"));
/** Least number of readings in a good readout. */
const LEAST_READINGS = 3;
/** `status` of a readout that is not authenticated. */
const READOUT_UNCHECKED = 4;

/** Goes through the wizard on a new unit, up to the step for the meter. */
async function begin(visit: Visit): Promise<void> {
	const { page } = visit;
	await page.fill("input[name=password]", PASSWORD);
	await page.press("input[name=password]", "Enter");
	await page.locator('main button[name="next"]').click();
	await page.fill("[name=new]", NEW_PASSWORD);
	await page.fill("[name=repeat]", NEW_PASSWORD);
	await page.locator("main button[type=submit]").click();
	await page.getByRole("heading", { level: 2, name: say("wizard.time") }).waitFor();
	await page.locator("main button[type=submit]").click();
	await page.getByRole("heading", { level: 2, name: say("nav.meter") }).waitFor();
}

async function logIn(gateway: ProcessGateway): Promise<void> {
	const { nonce, salt } = await gateway.read("system/challenge", { token: null });
	const body = { username: "admin", nonce, proof: proofOf(NEW_PASSWORD, salt, nonce) };
	gateway.token = JSON.parse((await gateway.post("system/login", body, { token: null })).text).token;
}

/** Reads the meter; returns the seconds until the gateway recognised it, and from then until the end. */
async function readByWizard(visit: Visit, kind: Kind): Promise<readonly [found: number, read: number]> {
	const main = visit.page.locator("main");
	const setItSo = main.locator('button[name="set-it-so"]');
	const done = main.getByText(DONE);
	const { why, tries = [] } = kind;
	const startMs = Date.now();
	// Either the default settings fit, or the gateway finds settings that do.
	await main.locator('button[name="align"]').click();
	await main.getByText(say("probe.ok")).or(setItSo).first().waitFor({ timeout: FOUND_MS });
	const isAnswered = kind.isDefault === true || kind.isFoundLate === true;
	assert.equal((await setItSo.count()) === 0, isAnswered, "the factory settings fit");
	if (!kind.isDefault) await setItSo.waitFor({ timeout: FOUND_MS });
	const foundMs = Date.now();
	// The gateway reads the meter with the settings that it found.
	if (!kind.isDefault) await setItSo.click();
	if (why !== undefined) await main.getByText(say(why)).waitFor({ timeout: FOUND_MS });
	// The page has no accessibility violation, and nothing overflows it.
	assert.deepEqual([...(await violationsOf(visit)), ...(await visit.overflow())], []);
	for (const { values, says } of tries) {
		const form = main.locator("form").filter({ has: visit.page.locator("[name=block_cipher_key], [name=auth]") });
		await visit.fill(form, values);
		await form.locator("button[type=submit]").click();
		if (says !== undefined) await main.getByText(say(says)).last().waitFor({ timeout: FOUND_MS });
	}
	await done.waitFor({ timeout: FOUND_MS });
	// Counters are in kWh, also of meters that send Wh.
	assert.doesNotMatch(await main.locator(".facts").last().innerText(), /\d{4}(?:[.,]\d+)?\s*Wh/);
	if (kind.isSwapped) {
		await main.getByText(say("finding.deviation")).waitFor();
		await setItSo.click();
		await done.waitFor({ state: "detached" });
		await done.waitFor({ timeout: FOUND_MS });
	}
	assert.equal(await main.getByText(say("finding.deviation")).count(), 0);
	if (tries.length > 0) await main.getByText(say(why!)).waitFor({ state: "detached" });
	assert.equal(await main.getByText(say("read.unchecked")).count(), kind.isUnchecked ? 1 : 0);
	if (kind.says !== undefined) await main.getByText(say(kind.says)).waitFor();
	return [foundMs - startMs, Date.now() - foundMs].map((ms) => Math.round(ms / 1000)) as [number, number];
}

const RUNS: readonly (readonly [engine: EngineName, kinds: readonly Kind[]])[] = byRun({
	hosts: [["node", KINDS.filter(({ isQuick }) => isQuick)]],
	long: [
		["node", KINDS],
		["xs", KINDS.filter(({ isInXS }) => isInXS)],
	],
});

for (const [engine, kinds] of RUNS) {
	describe(`The wizard leads to a readout${engine === "xs" ? " in XS" : ""}`, function () {
		this.timeout(240_000);
		usePage();
		for (const kind of kinds) {
			it(`with the meter: ${kind.what}`, async function () {
				const gateway = await ProcessGateway.start(engine, { mode: "ap", args: ["--time", "none"] });
				let visit: Visit | undefined;
				try {
					await gateway.connectProgram([...kind.meter, "--quiet"]);
					visit = await Visit.begin(gateway, { width: PHONE, plain: true, path: "/", hurried: true });
					await begin(visit);
					const [found, read] = await readByWizard(visit, kind);
					this.test!.title += `: found in ${found} s, read in ${read} s`;
					await logIn(gateway);
					assert.equal((await gateway.read("meter/protocol")).protocol, kind.protocol);
					const { status, mode, readings } = await gateway.read("iec62056/last");
					assert.equal(status, kind.isUnchecked ? READOUT_UNCHECKED : 0);
					if (kind.mode !== undefined) assert.equal(mode, kind.mode);
					const { mode_d_baudrate } = await gateway.read("iec62056/config");
					const { push_baudrate, deviation } = await gateway.read("dlms/config");
					assert.equal(deviation, kind.isSwapped ? "swapped" : "standard");
					const isPush = kind.protocol === "dlms" && kind.baud !== undefined;
					if (kind.baud !== undefined) assert.equal(isPush ? push_baudrate : mode_d_baudrate, kind.baud);
					assert.ok(readings.length >= LEAST_READINGS, `${readings.length} readings`);
					assert.deepEqual(visit.complaints, []);
				} catch (error) {
					console.error(gateway.diagnosis);
					throw error;
				} finally {
					await visit?.context.close();
					await gateway.stop();
				}
			});
		}
	});
}
