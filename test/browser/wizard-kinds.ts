/**
 * A fresh unit before a meter of each kind, whatever it speaks: who goes through the first steps on the page, pressing "read
 * now" and, where the gateway has found something out, the one button that sets it so, gets a good readout. Meters are
 * those of `npm run meter`, a program of its own each; a kind is a row.
 */
import assert from "node:assert/strict";
import { PASSWORD, proofOf } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { needBrowser, PHONE, say, Visit } from "./browser.js";

export interface Kind {
	readonly what: string;
	/** The command line of the meter. */
	readonly meter: readonly string[];
	/** What the gateway is set to in the end. */
	readonly protocol: string;
	/** Of the readout. */
	readonly mode?: string;
	/** At which it is listened to, Bd. */
	readonly baud?: number;
	/** It takes seconds, and stands for others. */
	readonly isQuick?: boolean;
	/** The head is answered; that it must be asked otherwise shows in the readout. */
	readonly isFoundLate?: boolean;
	/** The gateway reads it as it comes from the factory. */
	readonly isDefault?: boolean;
}

const asked = (what: string, mode: string, ...more: string[]): Kind => ({
	what,
	meter: ["--mode", mode, ...more],
	protocol: "iec62056",
	mode,
	isDefault: true,
});

export const KINDS: readonly Kind[] = [
	asked("mode A", "A"),
	asked("mode B", "B"),
	asked("mode C", "C"),
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
	},
	{
		what: "DLMS/COSEM after mode E alone",
		meter: ["--protocol", "dlms", "--mode-e-only"],
		protocol: "dlms",
		isFoundLate: true,
		mode: "E",
	},
	{
		what: "SML",
		meter: ["--protocol", "sml", "--baud-pace"],
		protocol: "sml",
		isQuick: true,
	},
	{
		what: "DLMS/COSEM at 9600 Bd",
		meter: ["--protocol", "dlms", "--baud-pace"],
		protocol: "dlms",
	},
];

const NEW_PASSWORD = "a password of my own";
/** The recogniser tries every speed and framing. */
const FOUND_MS = 90_000;
/** What the readout is shown with, up to the meter's name, and from it on. */
const DONE = new RegExp(say("wizard.reading.done", { meter: ".+", n: ".+" }));
const LEAST_READINGS = 3;

/** The page's step at the meter, of a unit that nobody has used. */
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
	await page.getByRole("heading", { level: 2, name: say("wizard.meter") }).waitFor();
}

async function logIn(gateway: ProcessGateway): Promise<void> {
	const { nonce, salt } = await gateway.read("system/challenge", { token: null });
	const body = { username: "admin", nonce, proof: proofOf(NEW_PASSWORD, salt, nonce) };
	gateway.token = JSON.parse((await gateway.post("system/login", body, { token: null })).text).token;
}

async function readByWizard(visit: Visit, kind: Kind): Promise<void> {
	const main = visit.page.locator("main");
	const read = main.locator('button[name="read"]');
	const setItSo = main.locator('button[name="set-it-so"]');
	const done = main.getByText(DONE);
	// It sits well, or what it speaks is found out.
	await main.locator('button[name="align"]').click();
	await main.getByText(say("probe.ok")).or(setItSo).first().waitFor({ timeout: FOUND_MS });
	const isAnswered = kind.isDefault === true || kind.isFoundLate === true;
	assert.equal((await setItSo.count()) === 0, isAnswered, "what a new unit is set to fits");
	if (isAnswered) await main.getByText(say("align.stop")).click();
	if (kind.isFoundLate) await read.click();
	if (!kind.isDefault) {
		await setItSo.waitFor({ timeout: FOUND_MS });
		await setItSo.click();
		await main.getByText(say("finding.done")).waitFor();
	}
	await read.click();
	await done.waitFor({ timeout: FOUND_MS });
}

export function readKinds(title: string, kinds: readonly Kind[]): void {
	describe(title, function () {
		this.timeout(240_000);
		for (const kind of kinds) {
			it(`of ${kind.what}`, async function () {
				const browser = await needBrowser(this);
				const gateway = await ProcessGateway.start("node", { mode: "ap", args: ["--time", "none"] });
				try {
					await gateway.connectProgram([...kind.meter, "--quiet"]);
					const visit = await Visit.begin(browser, gateway, { width: PHONE, plain: true, path: "/", hurried: true });
					await begin(visit);
					await readByWizard(visit, kind);
					await logIn(gateway);
					assert.equal((await gateway.read("meter/protocol")).protocol, kind.protocol);
					const { status, mode, readings } = await gateway.read("iec62056/last");
					assert.equal(status, 0);
					if (kind.mode !== undefined) assert.equal(mode, kind.mode);
					const { mode_d_baudrate } = await gateway.read("iec62056/config");
					if (kind.baud !== undefined) assert.equal(mode_d_baudrate, kind.baud);
					assert.ok(readings.length >= LEAST_READINGS, `${readings.length} readings`);
					assert.deepEqual(visit.complaints, []);
				} catch (error) {
					console.error(gateway.diagnosis);
					throw error;
				} finally {
					await browser.close();
					await gateway.stop();
				}
			});
		}
	});
}
