/** A siege, and whether the owner got through: for the suites that run it for seconds, or for minutes. */
import assert from "node:assert/strict";
import { PASSWORD, USERNAME } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { Siege } from "./attacks.js";
import { Owner, PATIENCE_MS } from "./owner.js";

/** The attackers'; the owner is at 127.0.0.1. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
/** Of the owner's requests, those that must be answered within PATIENCE_MS. */
const SHARE = 0.95;

/** Attacks the gateway for `ms`; gives what the owner met, in a line. */
export async function besiege(gateway: ProcessGateway, attacks: readonly string[], ms: number): Promise<string> {
	const { https, http } = gateway.ports;
	const owner = new Owner(https, { username: USERNAME, password: PASSWORD });
	await owner.login();
	const siege = await Siege.begin({ https, http }, attacks, ADDRESSES);
	try {
		await owner.stay(ms, true);
	} finally {
		await siege.end();
	}
	assert.ok(siege.stood.size > 0, "no attack came as far as a connection");
	const sorted = owner.tookMs.toSorted((a, b) => a - b);
	const found =
		`${owner.answered} of ${owner.asked} answered, half of them within ${sorted[sorted.length >> 1]} ms, ` +
		`the slowest after ${sorted.at(-1)} ms; ${owner.readouts} readouts`;
	const why = `${found}; ${[...new Set(owner.failures)].join("; ")}`;
	assert.ok(owner.answered >= owner.asked * SHARE, `within ${PATIENCE_MS} ms ${why}`);
	assert.ok(owner.readouts > 0, why);
	return found;
}
