/**
 * Programs that feed batteries, as clients of our gateway: AstraMeter's clients read it as a Shelly, an EcoTracker and a
 * HomeWizard P1 meter, AstraMeter's simulated batteries regulate by what they read, and by what a CT002 answers, and uni-meter translates it into an
 * EcoTracker. Both are pinned commits of GitHub, since no registry has them. The house with its P1 meter is ours
 * (python/house_with_batteries.py).
 */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { checkOut, endChild, freePort, installPython, PEER_SOURCES, PeerMissing, run } from "./peer.js";

/** Release 2.2.3. */
const ASTRAMETER = ["https://github.com/tomquist/AstraMeter", "964e0bfe76f6bbcd5a7991a3866bcc062ef575c4"] as const;
/** Release 1.5.0. */
const UNI_METER = ["https://github.com/sdeigm/uni-meter", "920f1208d260193cbf133b6ff263946275b9b0bf"] as const;
const PACKAGES = [
	...["aiohttp==3.14.5", "aiohappyeyeballs==2.7.1", "aiosignal==1.4.0", "async-timeout==4.0.3", "attrs==26.1.0"],
	...["frozenlist==1.8.0", "idna==3.20", "multidict==6.9.1", "propcache==0.5.4", "typing-extensions==4.16.0"],
	...["yarl==1.25.1", "aiomqtt==2.5.1", "paho-mqtt==2.1.0", "jsonpath-ng==1.7.0", "ply==3.11", "pymodbus==3.6.5"],
	...["smllib==1.7", "pyserial-asyncio-fast==0.16", "pyserial==3.5", "configupdater==3.2", "requests==2.32.5"],
	...["certifi==2025.11.12", "charset-normalizer==3.4.4", "urllib3==2.6.3"],
];
const CLIENT = "127.0.0.1";
const BUILD_LIMIT_MS = 600_000;
const UNI_METER_LIMIT_MS = 30_000;
/** Time within which uni-meter polls again. */
const ASKED_MS = 500;
/** Time after which the batteries have settled in a regulation. */
const SETTLED_FROM_S = 30;

interface BatteryClients {
	readonly gateway: ProcessGateway;
	readonly house: House;
}

/** python/house_with_batteries.py */
class House {
	readonly #program: ChildProcessByStdio<Writable, Readable, null>;
	readonly #lines: AsyncIterator<string>;

	constructor(folders: readonly string[]) {
		this.#program = spawn("python3", [join(PEER_SOURCES, "python", "house_with_batteries.py")], {
			stdio: ["pipe", "pipe", "inherit"],
			env: { ...process.env, PYTHONPATH: folders.join(":") },
		});
		this.#lines = createInterface(this.#program.stdout)[Symbol.asyncIterator]();
	}

	async line(): Promise<string> {
		const { value, done } = await this.#lines.next();
		if (done) throw new Error("the house ended");
		return value;
	}

	async ask(command: object): Promise<JSONObject> {
		this.#program.stdin.write(`${JSON.stringify(command)}\n`);
		const answer = JSON.parse(await this.line());
		if (answer.error !== undefined) throw new Error(answer.error);
		return answer;
	}

	async end(): Promise<void> {
		const ended = once(this.#program, "exit");
		this.#program.stdin.end();
		if (this.#program.exitCode === null) await ended;
	}
}

export async function prepareBatteryClients(): Promise<BatteryClients> {
	const source = await checkOut("astrameter", ...ASTRAMETER);
	const packages = await installPython("astrameter-packages", PACKAGES);
	const house = new House([join(source, "src"), packages]);
	let gateway: ProcessGateway | undefined;
	try {
		const meterPath = await house.line();
		gateway = await ProcessGateway.start("xs", { isAhead: true, meterPath });
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 115200 });
		await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }] });
		await gateway.write("live-meter", { ecotracker: true, shelly: true, homewizard: true, ct002: true });
		await gateway.untilNetwork(({ connected }) => connected);
		return { gateway, house };
	} catch (error) {
		await gateway?.stop();
		await house.end();
		throw error;
	}
}

export async function endBatteryClients({ gateway, house }: BatteryClients): Promise<void> {
	await gateway.stop();
	await house.end();
}

/** The powers of a telegram, and what the clients and the API then say about it. */
async function readAll({ gateway, house }: BatteryClients, watts: readonly number[]) {
	const read = await house.ask({ gateway: gateway.authority(false), watts });
	const readout = await gateway.read("iec62056/last");
	const of = (code: string) => Number(readout.readings.find(({ obis }: JSONObject) => obis === code)?.value1);
	const power = (taken: string, given: string) => Math.round((of(taken) - of(given)) * 1000);
	const total = power("1.7.0", "2.7.0");
	const phases = [power("21.7.0", "22.7.0"), power("41.7.0", "42.7.0"), power("61.7.0", "62.7.0")];
	return { read, total, phases, counter: of("1.8.1") };
}

/** Starts uni-meter with our gateway as a Shelly Pro 3EM, and itself as an EcoTracker, while `use` runs. */
async function withUniMeter(gateway: ProcessGateway, use: (url: string) => Promise<void>): Promise<void> {
	const folder = await checkOut("uni-meter", ...UNI_METER);
	const built = join(folder, "target", "built.txt");
	if (!existsSync(built)) {
		const options = ["-q", "-B", "-Dmaven.test.skip=true", "-Dassembly.skipAssembly=true", "-DincludeScope=runtime"];
		try {
			const goals = ["package", "dependency:copy-dependencies"];
			await run("mvn", ["-f", join(folder, "pom.xml"), ...options, ...goals], {}, BUILD_LIMIT_MS);
		} catch (error) {
			if (error instanceof PeerMissing) throw error;
			throw new PeerMissing(`Maven could not build uni-meter: ${(error as Error).message}`);
		}
		writeFileSync(built, "");
	}
	const port = await freePort();
	const config = join(gateway.folder, "uni-meter.conf");
	writeFileSync(
		config,
		`uni-meter {
			output = "uni-meter.output-devices.eco-tracker"
			input = "uni-meter.input-devices.shelly-pro3em"
			http-server { interface = "127.0.0.1", port = ${port} }
			mdns.type = "none"
			output-devices.eco-tracker { interface = "127.0.0.1", port = ${port}, mac = "02B250000001" }
			input-devices.shelly-pro3em {
				url = "http://${gateway.authority(false)}"
				em-status-polling-interval = 200ms
				em-data-status-polling-interval = 200ms
			}
		}`,
	);
	const paths = [join(folder, "target", "uni-meter-1.5.0.jar"), join(folder, "target", "dependency", "*")];
	const main = "com.deigmueller.uni_meter.application.Application";
	// Starts in half the time with one compiler.
	const options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", `-Dconfig.file=${config}`];
	const program = spawn("java", [...options, "-cp", paths.join(":"), main], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	let log = "";
	program.stdout.on("data", (bytes: Buffer) => {
		log += bytes.toString();
	});
	try {
		await use(`http://127.0.0.1:${port}/v1/json`);
	} catch (error) {
		throw new Error(`${(error as Error).message}\n${log.slice(-2000)}`);
	} finally {
		await endChild(program);
	}
}

/** Ways to regulate, and how the cases' names describe them. */
const WAYS = {
	alone: "each by itself",
	divided: "divided by AstraMeter",
	shared: "with equal shares of the gateway",
	ct002: "with equal shares of the gateway's CT002",
} as const;

/** A case in which batteries regulate by our Shelly. Its name contains the result once it has run. */
function regulation(count: number, way: keyof typeof WAYS, limitW: number) {
	const what = `${count} simulated Venus C, ${WAYS[way]}`;
	const one = {
		name: what,
		async run({ gateway, house }: BatteryClients) {
			const share = { share_percent: Math.floor(100 / count) };
			const batteries = Array.from({ length: count }, (_, i) => ({ address: `127.0.0.${2 + i}`, ...share }));
			await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }, ...batteries] });
			const { powers, right, wrong } = await house.ask({ gateway: gateway.authority(false), count, way });
			// Each battery reads once in each second: the meter's value with its sign, or a share of it.
			assert.deepEqual([right, wrong], [count * powers.length, 0]);
			const settled: number[] = powers.slice(SETTLED_FROM_S);
			const swing = Math.max(...settled) - Math.min(...settled);
			one.name = `${what}: ${swing} W peak to peak after settling`;
			const largest = Math.max(...settled.map(Math.abs));
			assert.ok(swing <= limitW && largest <= limitW, `more than ${limitW} W: ${powers.join(" ")}`);
		},
	};
	return one;
}

export const batteryClientCases = [
	{
		name: "AstraMeter reads values and signs of three dialects as in the readout",
		async run(peers: BatteryClients) {
			for (const watts of [
				[1193, 0, 0],
				[-321, 0, 0],
				[500, -900, 79],
				[-40, 40, 0],
			]) {
				const { read, total, phases } = await readAll(peers, watts);
				assert.deepEqual(phases, watts);
				assert.deepEqual(read, { ecotracker: [total, ...phases], shelly: [total], homewizard: [total, ...phases] });
			}
		},
	},
	regulation(1, "divided", 20),
	regulation(2, "divided", 20),
	regulation(3, "divided", 20),
	// Each battery compensates the whole power, because none knows of the others.
	regulation(1, "alone", 120),
	regulation(2, "alone", 2500),
	regulation(3, "alone", 3700),
	regulation(1, "shared", 120),
	regulation(2, "shared", 120),
	regulation(3, "shared", 120),
	regulation(1, "ct002", 120),
	regulation(2, "ct002", 120),
	regulation(3, "ct002", 120),
	{
		name: "uni-meter makes an EcoTracker of our Shelly, with the readout's values and signs",
		async run(peers: BatteryClients) {
			await withUniMeter(peers.gateway, async (url) => {
				for (const watts of [
					[1193, 0, 0],
					[200, -900, 79],
				]) {
					const limitMs = Date.now() + UNI_METER_LIMIT_MS;
					for (;;) {
						// The meter repeats its telegram until uni-meter runs and has polled.
						const { total, phases, counter } = await readAll(peers, watts);
						await sleep(ASKED_MS);
						const found = await fetch(url)
							.then((reply) => reply.json())
							.catch(() => ({}));
						const { power, powerPhase1, powerPhase2, powerPhase3, energyCounterIn } = found as JSONObject;
						if (power === total && energyCounterIn === Math.round(counter * 1000)) {
							assert.deepEqual([powerPhase1, powerPhase2, powerPhase3], phases);
							break;
						}
						assert.ok(Date.now() < limitMs, `not ${total} W, ${counter} kWh: ${JSON.stringify(found)}`);
					}
				}
			});
		},
	},
];
