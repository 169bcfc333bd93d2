/**
 * Besieges a gateway, and checks that the owner's requests are answered meanwhile. The suites take seconds or minutes,
 * and run with the native core of the firmware on Linux or with the simulator's TLS in Node.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { PASSWORD, USERNAME } from "../../api/gateway.js";
import { type EngineName, ProcessGateway } from "../../api/process-gateway.js";
import { needSDK } from "../../hosts/native/compile.js";
import { BOOT, probe } from "../../system/memory-limits.js";
import { ATTACKS, CHEAP, MIXTURE, Siege, STALLED, STREAMS } from "./attacks.js";
import { Owner, PATIENCE_MS } from "./owner.js";

/** Addresses of the attackers; the owner uses 127.0.0.1. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
/** An address that the gateway does not know. */
const NEW_ADDRESS = "127.0.0.200";
const TELEGRAM = Buffer.from("/XXX5T\r\n\r\n1-0:1.8.0(000123.45*kWh)\r\n!\r\n");
/** Longer than any time-out of a connection without a request. */
const REST_MS = 31_000;
/**
 * Slots that a siege leaves in use: bounded lists of addresses and sessions, and the owner's login. It was 51 after one
 * short siege and 49 after 54 sieges.
 */
const LEFT_SLOTS = 60;
/** Share of the owner's requests that must be answered within PATIENCE_MS. */
const SHARE = 0.95;

/** Longest stalled handshake while another new client waits (admission_patience of hosts/native/admission-queue.h), ms. */
const STALLED_TURN_MS = 500;
/** Longest first login or request from an unknown address, ms. */
const FIRST_LOGIN_MS = 15_000;
/** Time within which the gateway ends the connections of the previous siege, ms. */
const RECOVERY_MS = 30_000;

/** A client that logged in before the siege. */
const OWNER_KNOWN = "its owner";
/** A client that logs in during the siege. */
const OWNER_NEW = "a new client";
/** A client with a token whose address the gateway knew before it restarted. */
const OWNER_RETURNED = "an owner known before a restart";
/** A client that never shows a token. */
const OWNER_STRANGER = "a stranger";

const SHOWN_NOTHING = "that never showed a token";
const SHOWN_VALID = "that holds a read token";
const SHOWN_REVOKED = "that held a read token";

interface Plan {
	readonly attacks: readonly string[];
	readonly ms: number;
	readonly addresses?: readonly string[];
	/** Connections of each attack from each address; default: the attack's own number. */
	readonly connections?: number;
	/** Whether each address attacks in one way only. */
	readonly isDivided?: boolean;
	readonly owner?: typeof OWNER_KNOWN | typeof OWNER_NEW | typeof OWNER_RETURNED | typeof OWNER_STRANGER;
	/** Time of the siege before the owner comes, ms; default: a second, or none for OWNER_KNOWN. */
	readonly beforeMs?: number;
	readonly shown?: typeof SHOWN_NOTHING | typeof SHOWN_VALID | typeof SHOWN_REVOKED;
}

/** Besieges the gateway and returns a line on the owner's requests; 95 % of them must be answered in time. */
async function besiege(gateway: ProcessGateway, plan: Plan): Promise<string> {
	const { attacks, ms, addresses = ADDRESSES, connections, isDivided, owner: who = OWNER_KNOWN } = plan;
	const account = { username: USERNAME, password: PASSWORD };
	const token = await recovered(() => introduce(gateway, plan));
	const ownToken = who === OWNER_RETURNED ? await knownBeforeRestart(gateway) : "";
	const { https, http } = gateway.ports;
	const owner = new Owner(https, account, who === OWNER_STRANGER ? NEW_ADDRESS : undefined);
	if (who === OWNER_KNOWN) await owner.login(PATIENCE_MS);
	const siege = await Siege.begin({ https, http }, attacks, addresses, { connections, token, isDivided });
	try {
		await sleep(plan.beforeMs ?? (who === OWNER_KNOWN ? 0 : 1000));
		if (who === OWNER_NEW) await owner.login(FIRST_LOGIN_MS);
		if (who === OWNER_RETURNED) await owner.comeBack(ownToken, FIRST_LOGIN_MS);
		const isIn = who === OWNER_KNOWN || who === OWNER_STRANGER || owner.answered === 1;
		assert.ok(isIn, `no first reply within ${FIRST_LOGIN_MS} ms: ${owner.failures.at(-1)}`);
		if (who === OWNER_STRANGER) await owner.requestChallenges(ms);
		else await owner.actFor(ms, true);
	} finally {
		await siege.end();
	}
	assert.ok(siege.established.size > 0, "no attack established a connection");
	const sorted = owner.tookMs.toSorted((a, b) => a - b);
	const found =
		`${owner.answered} of ${owner.requests} answered, half of them within ${sorted[sorted.length >> 1]} ms, ` +
		`the slowest after ${sorted.at(-1)} ms; ${owner.readouts} readouts, ${owner.streams} streams`;
	const why = `${found}; ${[...new Set(owner.failures)].join("; ")}`;
	assert.ok(owner.answered >= owner.requests * SHARE, `within ${PATIENCE_MS} ms ${why}`);
	const canRead = who !== OWNER_STRANGER && !attacks.every((name) => ATTACKS[name].takesMemory);
	if (canRead) assert.ok(owner.readouts > 0, why);
	return found;
}

/**
 * Tries again while the gateway drops connections. It may still be busy with those of the last siege, and it drops an
 * idle one in favour of a new one.
 */
async function recovered<T>(act: () => Promise<T>): Promise<T> {
	for (const endMs = Date.now() + RECOVERY_MS; ; await sleep(500)) {
		try {
			return await act();
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ECONNRESET" || Date.now() > endMs) throw error;
		}
	}
}

/** Lets the owner's address show a token, and restarts the gateway. Returns the token. */
async function knownBeforeRestart(gateway: ProcessGateway): Promise<string> {
	const { token } = await gateway.write("system/tokens", { name: "owner", scope: "full" });
	assert.equal(await new Owner(gateway.ports.https, { username: "", password: "" }).show(token), 200);
	await gateway.restart();
	return token;
}

/** Lets each attacker's address show a read token, which may be revoked afterwards. Returns the token; "" without one. */
async function introduce(
	gateway: ProcessGateway,
	{ addresses = ADDRESSES, shown = SHOWN_NOTHING }: Plan,
): Promise<string> {
	const { tokens } = await gateway.read("system/tokens");
	for (const { id } of tokens) assert.equal((await gateway.request("DELETE", `system/tokens/${id}`)).status, 200);
	if (shown === SHOWN_NOTHING) return "";
	const { token, id } = await gateway.write("system/tokens", { name: "guest", scope: "read" });
	const show = (address: string) => new Owner(gateway.ports.https, { username: "", password: "" }, address).show(token);
	for (const address of addresses) assert.equal(await show(address), 200);
	if (shown !== SHOWN_REVOKED) return token;
	assert.equal((await gateway.request("DELETE", `system/tokens/${id}`)).status, 200);
	assert.equal(await show(addresses[0]), 401);
	return token;
}

/** `count` addresses of this computer. */
function crowd(count: number): string[] {
	return Array.from({ length: count }, (_, i) => `127.0.1.${i + 1}`);
}

export interface SiegeSuite {
	/** Duration of each siege, ms. */
	readonly ms: number;
	/** Attacks; default: all. */
	readonly attacks?: readonly string[];
	/** Numbers of handshakes that one known address stalls, with a siege for each number. */
	readonly stalled: readonly number[];
	/** Numbers of addresses, with a siege for each number. */
	readonly crowds: readonly number[];
	/** Number of addresses that attack in different ways. */
	readonly mixed: number;
	/** The same for sieges of a stranger by stalled handshakes. */
	readonly strangers: readonly number[];
	/** Numbers of addresses that follow the events with a read token, with two sieges for each number. */
	readonly streams: readonly number[];
}

/** Sieges with each attack alone, with all together, with stalled handshakes of known addresses, and from a crowd. */
export function siegeOf(engine: EngineName, title: string, suite: SiegeSuite): void {
	const {
		ms,
		attacks = Object.keys(ATTACKS).filter((name) => name !== STREAMS),
		stalled,
		crowds,
		mixed,
		strangers,
		streams,
	} = suite;
	describe(title, function () {
		this.timeout(60_000 + 2 * ms);
		let gateway: ProcessGateway;
		before(async function () {
			if (engine === "linux") needSDK(this);
			gateway = await ProcessGateway.loggedIn(engine, { mode: "ap" });
			await gateway.connectMeter({ telegram: TELEGRAM });
			// Allows the attackers' addresses to request live values.
			await gateway.write("live-meter/clients", { clients: ADDRESSES.map((address) => ({ address })) });
			await gateway.write("live-meter", { ecotracker: true, shelly: true, homewizard: true, shelly_udp_port: 0 });
		});
		after(() => gateway?.stop());

		const siege = (name: string, plan: Omit<Plan, "ms">) =>
			it(name, async function () {
				await recovered(() => gateway.login());
				this.test!.title += ` (${await besiege(gateway, { ms, ...plan })})`;
			});

		for (const name of attacks) siege(`serves its owner during an attack by ${name}`, { attacks: [name] });
		for (const owner of [OWNER_KNOWN, OWNER_NEW] as const)
			siege(`serves ${owner} during all attacks at once`, { attacks, owner });
		siege("serves its owner during all attacks at once, from addresses that held a read token", {
			attacks,
			shown: SHOWN_REVOKED,
		});
		for (const shown of [SHOWN_VALID, SHOWN_REVOKED] as const)
			for (const owner of [OWNER_KNOWN, OWNER_STRANGER] as const)
				for (const connections of stalled)
					siege(`serves ${owner} during ${connections} stalled handshakes from an address ${shown}`, {
						...{ attacks: [STALLED], addresses: ADDRESSES.slice(0, 1), connections, shown, owner },
					});
		for (const owner of [OWNER_KNOWN, OWNER_NEW, OWNER_RETURNED, OWNER_STRANGER] as const)
			siege(`serves ${owner} while addresses are silent, slow, reject the certificate or connect again and again`, {
				...{ attacks: MIXTURE, addresses: crowd(mixed), isDivided: true, owner },
				// Each address has its turn first, because it is as new as the stranger.
				beforeMs: mixed * STALLED_TURN_MS,
			});
		siege(`serves ${OWNER_RETURNED} during all attacks at once`, { attacks, owner: OWNER_RETURNED });
		for (const count of crowds)
			siege(`serves its owner during an attack by unknown clients at ${count} addresses`, {
				...{ attacks: CHEAP, addresses: crowd(count), connections: 1 },
			});
		for (const owner of [OWNER_KNOWN, OWNER_NEW] as const)
			for (const count of streams)
				siege(`serves ${owner} while each of ${count} addresses that hold a read token follows the events`, {
					...{ attacks: [STREAMS], addresses: crowd(count), shown: SHOWN_VALID, owner },
				});
		for (const count of strangers)
			siege(`serves a stranger while each of ${count} unknown addresses stalls a handshake`, {
				...{ attacks: [STALLED], addresses: crowd(count), connections: 1, owner: OWNER_STRANGER },
				// Each address has its turn first, because it is as new as the stranger.
				beforeMs: count * STALLED_TURN_MS,
			});
		if (engine !== "linux") return;
		it("releases its memory afterwards", async function () {
			await gateway.login();
			await gateway.write("live-meter", { ecotracker: false, shelly: false, homewizard: false });
			await gateway.pass(REST_MS);
			await probe(gateway, this, { ...BOOT, slots: BOOT.slots + LEFT_SLOTS });
		});
	});
}
