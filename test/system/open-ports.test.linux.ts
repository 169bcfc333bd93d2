/**
 * Compares the open ports of a gateway, read from its processes' sockets in /proc, with the table "Open ports" of
 * docs/threat-model.md.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { OUR_METER, ProcessGateway } from "../api/process-gateway.js";
import { byRun } from "../runs.js";

const MODEL = fileURLToPath(new URL("../../../docs/threat-model.md", import.meta.url));
const TRIES = 100;
/** Value in column 4 of /proc/net/tcp for a listening socket. */
const LISTENS = "0A";

type Mode = "client" | "ap";

interface OpenSocket {
	readonly protocol: "TCP" | "UDP";
	readonly port: number;
}

/** The ports documented for the mode, as "TCP 443", without those that only the chip opens. */
function documentedPorts(mode: Mode): string[] {
	const rows = readFileSync(MODEL, "utf8").matchAll(/^\| (TCP|UDP) (\d+) +\| ([^|]+?) +\| [^|]+ \| ([^|]+?) +\|$/gm);
	const open = [...rows].filter(([, , , when, onPC]) => {
		return !/^not there/.test(onPC) && (when === "always" || when.includes(mode === "ap" ? "access point" : "network"));
	});
	return open.map(([, protocol, port]) => `${protocol} ${port}`).sort();
}

/** The ids of the process and its descendants. */
function family(pid: number): number[] {
	const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
		readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
	);
	return [pid, ...children.flatMap(family)];
}

/** The sockets that another computer can reach: listening TCP sockets and bound UDP sockets. */
function openSockets(pid: number): OpenSocket[] {
	const inodes = new Set<string>();
	for (const one of family(pid)) {
		for (const file of readdirSync(`/proc/${one}/fd`)) {
			try {
				inodes.add(/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${one}/fd/${file}`))?.[1] ?? "");
			} catch {
				// The file was closed meanwhile.
			}
		}
	}
	const found: OpenSocket[] = [];
	for (const table of ["tcp", "tcp6", "udp", "udp6"]) {
		const protocol = table.startsWith("tcp") ? "TCP" : "UDP";
		for (const line of readFileSync(`/proc/net/${table}`, "utf8").trim().split("\n").slice(1)) {
			const fields = line.trim().split(/\s+/);
			if (!inodes.has(fields[9]) || (protocol === "TCP" && fields[3] !== LISTENS)) continue;
			// A socket connected to itself only wakes a thread of its own program.
			if (fields[1] === fields[2]) continue;
			found.push({ protocol, port: Number.parseInt(fields[1].split(":")[1], 16) });
		}
	}
	return found;
}

for (const engine of byRun({ test: ["node", "xs"], linux: ["linux"] })) {
	describe(`The ports of a gateway, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway | undefined;

		afterEach(async () => {
			await gateway?.stop();
			gateway = undefined;
		});

		/** The open ports under the numbers in the document, which the chip uses; undocumented ports under their own. */
		function names(one: ProcessGateway): string[] {
			const instead = /udp port 53 of the access point is 127\.0\.0\.1:(\d+) here/.exec(one.diagnosis)?.[1] ?? "53";
			const known = new Map([
				[`TCP ${one.ports.https}`, "TCP 443"],
				[`TCP ${one.ports.http}`, "TCP 80"],
				[`UDP ${instead}`, "UDP 53"],
			]);
			const ports = openSockets(one.pid).map(({ protocol, port }) => `${protocol} ${port}`);
			return [...new Set(ports.map((port) => known.get(port) ?? port))].sort();
		}

		for (const [mode, title] of [
			["client", "in the owner's network"],
			["ap", "as an access point"],
		] as const) {
			it(`are those of the threat model and no others, ${title}`, async () => {
				gateway = await ProcessGateway.loggedIn(engine, { mode, meterPath: OUR_METER });
				await gateway.untilNetwork(({ connected, ap_mode }) => (mode === "ap" ? ap_mode : connected));
				const documented = documentedPorts(mode);
				assert.ok(documented.length >= 3, "the table is not found");
				// Services start one after another.
				let open = names(gateway);
				for (let tries = 0; tries < TRIES && documented.some((port) => !open.includes(port)); tries++) {
					await gateway.pass(100);
					open = names(gateway);
				}
				assert.deepEqual(open, documented);
				await gateway.read("iec62056/read");
				assert.deepEqual(names(gateway), documented);
			});
		}
	});
}
