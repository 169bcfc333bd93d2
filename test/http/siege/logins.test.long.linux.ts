/**
 * Continuous wrong logins from many addresses of the loopback network to a new gateway. The owner knows the password
 * and uses an address that has never logged in. test/auth/many-addresses.test.ts does the same on virtual time.
 */
import assert from "node:assert/strict";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { PASSWORD, USERNAME } from "../../api/gateway.js";
import { ProcessGateway } from "../../api/process-gateway.js";
import { needSDK } from "../../hosts/native/compile.js";
import { byRun } from "../../runs.js";
import { ANY, probe } from "../../system/memory-limits.js";

/** Longest time of the owner's login, ms. */
const LIMIT_MS = 30_000;
const AGAIN_MS = 1000;
/** Time-out of an attempt, ms. */
const PATIENCE_MS = 5000;
/** Interval of the owner's logins, each from another address, ms. */
const NEXT_OWNER_MS = 10_000;
/** Shortest duration of an attack, ms. */
const MS = byRun({ test: 0, long: 120_000, linux: 0 });
/** Parallel attackers; each uses all addresses. */
const ATTACKERS = 4;

/** Status of a login over a new connection; 0: no reply. */
function login(port: number, password: string, localAddress: string): Promise<number> {
	const agent = new Agent({ rejectUnauthorized: false });
	const signal = AbortSignal.timeout(PATIENCE_MS);
	const way = { host: "127.0.0.1", port, localAddress, agent, signal };
	const status = new Promise<number>((resolve) => {
		const sent = request({ ...way, method: "POST", path: "/api/v1/system/login" }, (response) => {
			response.on("error", () => resolve(0)).on("end", () => resolve(response.statusCode ?? 0));
			response.resume();
		});
		sent.on("error", () => resolve(0));
		sent.end(JSON.stringify({ username: USERNAME, password }));
	});
	return status.finally(() => agent.destroy());
}

class LoginAttack {
	/** Number of the attackers' attempts by status. */
	readonly statuses = new Map<number, number>();
	readonly answered = new Set<string>();
	readonly #attackers: Promise<void>[] = [];
	#isOver = false;

	constructor(port: number, addresses: readonly string[]) {
		for (let i = 0; i < ATTACKERS; i++) this.#attackers.push(this.#attack(port, addresses, i));
	}

	async end(): Promise<void> {
		this.#isOver = true;
		await Promise.all(this.#attackers);
	}

	async #attack(port: number, addresses: readonly string[], first: number): Promise<void> {
		for (let i = first; !this.#isOver; i = (i + ATTACKERS) % addresses.length) {
			const status = await login(port, "wrong password", addresses[i]);
			this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
			if (status !== 0) this.answered.add(addresses[i]);
		}
	}
}

/** Time until the owner is logged in, ms, with one attempt per second. */
async function ownerMs(port: number, address: string): Promise<number> {
	for (const startMs = Date.now(); ; await sleep(AGAIN_MS)) {
		const status = await login(port, PASSWORD, address);
		const tookMs = Date.now() - startMs;
		if (status === 200) return tookMs;
		assert.ok(tookMs < LIMIT_MS, `not logged in after ${tookMs} ms, the last status was ${status}`);
	}
}

/**
 * Attacks from 60 and from 240 addresses, each against a new unit. The owner logs in after all addresses have failed
 * and some attempts were refused, and then from one new address after another until MS have passed.
 */
for (const engine of byRun({ test: ["xs"], long: ["linux"], linux: ["linux"] })) {
	describe(`${engine === "xs" ? "The simulator" : "The firmware on Linux"} among wrong logins`, function () {
		this.timeout(180_000 + MS);
		before(function () {
			if (engine === "linux") needSDK(this);
		});

		for (const count of [60, 240])
			it(`lets its owner log in from a new address while ${count} addresses fail to log in`, async function () {
				const gateway = await ProcessGateway.start(engine);
				const port = gateway.httpsPort;
				const attack = new LoginAttack(
					port,
					Array.from({ length: count }, (_, i) => `127.0.2.${i + 1}`),
				);
				const tookMs: number[] = [];
				try {
					while (attack.answered.size < count || !attack.statuses.has(429)) await sleep(AGAIN_MS);
					for (const startMs = Date.now(); ; await sleep(NEXT_OWNER_MS)) {
						tookMs.push(await ownerMs(port, `127.0.3.${tookMs.length + 1}`));
						if (Date.now() - startMs >= MS) break;
					}
					if (engine === "linux") await probe(gateway, this, ANY);
				} finally {
					await attack.end();
					await gateway.stop();
				}
				const { statuses } = attack;
				const counts = [...statuses].map(([status, times]) => `${status}: ${times}`).join(", ");
				this.test!.title += ` (${tookMs.length} times, within ${Math.max(...tookMs)} ms; attackers ${counts})`;
				assert.equal(statuses.get(200), undefined);
				assert.ok(statuses.get(401)! >= count, "the first attempt of each address is checked");
			});
	});
}
