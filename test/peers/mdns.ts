/**
 * python-zeroconf from PyPI, Home Assistant's library, finds our mDNS responder over this computer's real network, on
 * its first address other than loopback.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { NodeClock, NodeCrypto, NodeText, NodeTimers } from "../../hosts/node/platform.js";
import { createUDPPort } from "../../hosts/node/udp.js";
import { DNSReader } from "../../modules/dns/dns.js";
import { MDNSResponder } from "../../modules/dns/mdns.js";
import { Datagrams } from "../../modules/io/datagrams.js";
import { Driver } from "../../modules/io/driver.js";
import { DATAGRAM_LIMIT } from "../../modules/io/host.js";
import { pypi } from "../../tools/release/peers.js";
import { installPython, PEER_SOURCES, PeerMissing, run } from "./peer.js";

const PACKAGES = [pypi("zeroconf"), "ifaddr==0.2.0", "async-timeout==5.0.1"];
const SCRIPT = join(PEER_SOURCES, "python", "browse_mdns.py");
const LINE_LIMIT_MS = 15_000;
/** Name of the unit, unique in the network. */
const UNIT = `peer${process.pid}`;
const INSTANCE = `Gateway ${UNIT}`;

interface Zeroconf {
	readonly env: Record<string, string>;
	readonly address: string;
	readonly netmask: string;
}

export async function prepareZeroconf(): Promise<Zeroconf> {
	const own = Object.values(networkInterfaces())
		.flatMap((list) => list ?? [])
		.find(({ family, internal }) => family === "IPv4" && !internal);
	if (own === undefined) throw new PeerMissing("this computer is in no network");
	const folder = await installPython("zeroconf", PACKAGES);
	return { env: { PYTHONPATH: folder }, address: own.address, netmask: own.netmask };
}

/** Runs the responder until `use` is done. */
async function withResponder<T>(
	zeroconf: Zeroconf,
	use: (names: string[], stop: () => void) => Promise<T>,
): Promise<T> {
	const names: string[] = [];
	const problems: unknown[] = [];
	const ready = new EventEmitter();
	const isNamed = once(ready, "named", { signal: AbortSignal.timeout(LINE_LIMIT_MS) });
	const buffer = new Uint8Array(DATAGRAM_LIMIT);
	const driver = new Driver({
		timers: new NodeTimers(),
		clock: new NodeClock(undefined),
		guard(_part, run) {
			try {
				run();
			} catch (error) {
				problems.push(error);
			}
		},
	});
	const world = {
		udp: createUDPPort((text) => problems.push(text)),
		driver,
		crypto: new NodeCrypto(),
		text: new NodeText(),
		buffer,
		reader: new DNSReader(buffer),
		trace(text: string) {
			const name = /^mdns: found as (.+)\.local$/.exec(text)?.[1];
			if (name === undefined) return;
			names.push(name);
			ready.emit("named");
		},
	};
	const responder = new MDNSResponder(world);
	const port = new Datagrams(world, "mdns", responder);
	const stop = () => port.task.update(() => responder.stop());
	const { address, netmask } = zeroconf;
	const services = [
		{ type: "_https._tcp", port: 443, txt: [] },
		{ type: "_http._tcp", port: 80, txt: [] },
		{ type: "_smgw._tcp", port: 443, txt: ["api=v1", "path=/api/v1", "model=SMG-1", "id=a1b2c3"] },
	];
	const settings = { hostname: UNIT, instance: INSTANCE, address, netmask, accessPoint: false, services };
	port.task.update((nowMs) => responder.start(settings, nowMs));
	try {
		await isNamed;
		return await use(names, stop);
	} finally {
		stop();
		port.stop();
		assert.deepEqual(problems, []);
	}
}

async function query({ env, address }: Zeroconf, ...what: string[]): Promise<string[]> {
	return (await run("python3", [SCRIPT, address, ...what], env)).trimEnd().split("\t");
}

/** Runs a script while `use` runs, which gets a function that reads the script's next line. */
async function withScript(
	zeroconf: Zeroconf,
	what: string[],
	use: (next: () => Promise<string | undefined>) => Promise<void>,
): Promise<void> {
	const script = spawn("python3", [SCRIPT, zeroconf.address, ...what], {
		env: { ...process.env, ...zeroconf.env },
		stdio: ["pipe", "pipe", "inherit"],
	});
	const ended = once(script, "exit");
	const lines = createInterface(script.stdout)[Symbol.asyncIterator]();
	const stop = setTimeout(() => script.kill(), LINE_LIMIT_MS);
	try {
		await use(async () => {
			const { value } = await lines.next();
			stop.refresh();
			return value;
		});
	} finally {
		script.stdin.end();
		await ended;
		clearTimeout(stop);
	}
}

/** Whether the script prints this line; lines on other devices are skipped. */
async function printsLine(next: () => Promise<string | undefined>, wanted: string): Promise<boolean> {
	for (let line = await next(); line !== undefined; line = await next()) if (line === wanted) return true;
	return false;
}

export const mdnsCases = [
	{
		name: "finds the types of our services",
		run: (zeroconf: Zeroconf) =>
			withResponder(zeroconf, async () => {
				const types = await query(zeroconf, "types");
				for (const type of ["_http", "_https", "_smgw"]) assert.ok(types.includes(`${type}._tcp.local.`), `${types}`);
			}),
	},
	{
		name: "finds host, address, port and TXT of a service, and the address of the host",
		run: (zeroconf: Zeroconf) =>
			withResponder(zeroconf, async () => {
				const host = `${UNIT}.local.`;
				const { address } = zeroconf;
				assert.deepEqual(await query(zeroconf, "service", `${INSTANCE}._https._tcp.local.`), [host, address, "443"]);
				assert.deepEqual(await query(zeroconf, "service", `${INSTANCE}._smgw._tcp.local.`), [
					...[host, address, "443"],
					...["api=v1", "path=/api/v1", "model=SMG-1", "id=a1b2c3"],
				]);
				assert.deepEqual(await query(zeroconf, "host", host), [address]);
				assert.deepEqual(await query(zeroconf, "host", `${UNIT}-2.local.`), ["nobody"]);
			}),
	},
	{
		name: "sees a new service, and its goodbye",
		run: (zeroconf: Zeroconf) =>
			withScript(zeroconf, ["watch", "_smgw._tcp.local."], async (next) => {
				const instance = `${INSTANCE}._smgw._tcp.local.`;
				await withResponder(zeroconf, async (_names, stop) => {
					const wasAdded = await printsLine(next, `added\t${instance}`);
					stop();
					assert.ok(wasAdded && (await printsLine(next, `removed\t${instance}`)));
				});
			}),
	},
	{
		name: "can't register the name of our instance",
		run: (zeroconf: Zeroconf) =>
			withResponder(zeroconf, async () => {
				const claimed = ["claim", `${INSTANCE}._https._tcp.local.`, `other-${UNIT}.local.`];
				assert.deepEqual(await query(zeroconf, ...claimed), ["taken"]);
			}),
	},
	{
		name: "keeps its names, and our responder uses the next ones",
		run: (zeroconf: Zeroconf) =>
			withScript(zeroconf, ["claim", `${INSTANCE}._https._tcp.local.`, `${UNIT}.local.`], async (next) => {
				assert.equal(await next(), "registered");
				await withResponder(zeroconf, async (names) => {
					assert.deepEqual(names, [`${UNIT}-2`]);
					const instance = `${INSTANCE} (2)._https._tcp.local.`;
					const found = await query(zeroconf, "service", instance);
					assert.deepEqual(found, [`${UNIT}-2.local.`, zeroconf.address, "443"]);
				});
			}),
	},
];
