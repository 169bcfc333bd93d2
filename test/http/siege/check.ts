/** A siege, and whether the owner got through: for the suites that run it for seconds, or for minutes. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { PASSWORD, USERNAME } from "../../api/gateway.js";
import { type EngineName, ProcessGateway } from "../../api/process-gateway.js";
import { BOOT, probe } from "../../system/memory-limits.js";
import { ATTACKS, Siege } from "./attacks.js";
import { Owner, PATIENCE_MS } from "./owner.js";

/** The attackers'; the owner is at 127.0.0.1. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
const TELEGRAM = Buffer.from("/XXX5T\r\n\r\n1-0:1.8.0(000123.45*kWh)\r\n!\r\n");
/** Longer than any time-out of a connection without a request. */
const REST_MS = 31_000;
/** Of the owner's requests, those that must be answered within PATIENCE_MS. */
const SHARE = 0.95;

/** From an address that the gateway does not know, the first login may take so long. */
const FIRST_LOGIN_MS = 15_000;

/**
 * Attacks the gateway for `ms`, its owner being logged in before, or not (`isNew`); gives what the owner met, in a line.
 * The owner's requests must come through, and the meter must be read meanwhile.
 */
export async function besiege(
	gateway: ProcessGateway,
	attacks: readonly string[],
	ms: number,
	isNew = false,
): Promise<string> {
	const { https, http } = gateway.ports;
	const owner = new Owner(https, { username: USERNAME, password: PASSWORD });
	if (!isNew) await owner.login(PATIENCE_MS);
	const siege = await Siege.begin({ https, http }, attacks, ADDRESSES);
	try {
		if (isNew) {
			await sleep(1000);
			await owner.login(FIRST_LOGIN_MS);
			assert.equal(owner.answered, 1, `no first login within ${FIRST_LOGIN_MS} ms: ${owner.failures.at(-1)}`);
		}
		await owner.stay(ms, true);
	} finally {
		await siege.end();
	}
	assert.ok(siege.stood.size > 0, "no attack came as far as a connection");
	const sorted = owner.tookMs.toSorted((a, b) => a - b);
	const found =
		`${owner.answered} of ${owner.asked} answered, half of them within ${sorted[sorted.length >> 1]} ms, ` +
		`the slowest after ${sorted.at(-1)} ms; ${owner.readouts} readouts, ${owner.streams} streams`;
	const why = `${found}; ${[...new Set(owner.failures)].join("; ")}`;
	assert.ok(owner.answered >= owner.asked * SHARE, `within ${PATIENCE_MS} ms ${why}`);
	assert.ok(owner.readouts > 0, why);
	return found;
}

/** A suite: each attack by itself, then all at once, also with an owner that the gateway does not know yet. */
export function siegeOf(engine: EngineName, title: string, ms: number, attacks = Object.keys(ATTACKS)): void {
	describe(title, function () {
		this.timeout(60_000 + 2 * ms);
		let gateway: ProcessGateway;
		before(async () => {
			gateway = await ProcessGateway.start(engine, { mode: "ap" });
			await gateway.connectMeter({ telegram: TELEGRAM });
		});
		after(() => gateway?.stop());

		for (const name of attacks)
			it(`serves its owner among ${name}`, async function () {
				this.test!.title += ` (${await besiege(gateway, [name], ms)})`;
			});
		for (const isNew of [false, true])
			it(`serves ${isNew ? "a new client" : "its owner"} among all of that at once`, async function () {
				this.test!.title += ` (${await besiege(gateway, attacks, ms, isNew)})`;
			});
		if (engine !== "linux") return;
		it("has its memory back afterwards", async function () {
			await gateway.pass(REST_MS);
			await probe(gateway, this, BOOT);
		});
	});
}
