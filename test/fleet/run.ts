/**
 * `npm run fleet`: many gateways publish to one Mosquitto of this computer, and poll one hawkBit. Prints the cost of
 * broker and server, the traffic, and how the gateways return after a restart of the broker.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { HawkbitServer } from "../peers/hawkbit-server.js";
import { Mosquitto } from "../peers/mosquitto.js";
import { freePort } from "../peers/peer.js";
import { Fleet, makeTemplate } from "./fleet.js";
import { measure } from "./measure.js";
import { reportOf } from "./report.js";
import { serialOf } from "./share.js";

const HELP = `Usage: npm run fleet -- [options]

  --gateways N        number of gateways (default 100)
  --workers N         processes that simulate them (default 2)
  --minutes N         simulated time before the broker restarts (default 15,
                      with one scheduled readout)
  --speed N           speed of the simulated time (default 10)
  --down SECONDS      time without a broker (default 3)
  --plain             MQTT without TLS; otherwise TLS with a client certificate
  --hawkbit HH:MM:SS  also poll Eclipse hawkBit (from Maven Central) at this interval
  --json FILE         also writes the numbers to FILE as JSON
  --help              prints this text
`;

const DAY_MS = 86_400_000;
/** Time from the start to the scheduled readout, and until it is over. */
const LEAD_MS = 20_000;
const READOUT_MS = 32_000;
const TOKEN = "token-of-the-fleet";
/** Targets that hawkBit makes in one request. */
const TARGETS_AT_ONCE = 100;

function readOptions() {
	const { values } = parseArgs({
		options: {
			gateways: { type: "string", default: "100" },
			workers: { type: "string", default: "2" },
			minutes: { type: "string", default: "15" },
			speed: { type: "string", default: "10" },
			down: { type: "string", default: "3" },
			plain: { type: "boolean", default: false },
			hawkbit: { type: "string" },
			json: { type: "string" },
			help: { type: "boolean", default: false },
		},
	});
	const number = (name: "gateways" | "workers" | "minutes" | "speed" | "down") => {
		const value = Number(values[name]);
		if (!(value > 0)) throw new Error(`--${name} takes a number, not "${values[name]}".`);
		return value;
	};
	return {
		...values,
		gateways: number("gateways"),
		workers: number("workers"),
		minutes: number("minutes"),
		speed: number("speed"),
		down: number("down"),
	};
}

async function startServer(polling: string, gateways: number): Promise<HawkbitServer> {
	const server = await HawkbitServer.start({ polling });
	for (let first = 0; first < gateways; first += TARGETS_AT_ONCE) {
		const count = Math.min(TARGETS_AT_ONCE, gateways - first);
		const names = Array.from({ length: count }, (_, i) => serialOf(first + i));
		const targets = names.map((name) => ({ controllerId: name, name, securityToken: TOKEN }));
		await server.list("POST", "targets", targets);
	}
	return server;
}

async function run(options: ReturnType<typeof readOptions>): Promise<void> {
	const progress = (text: string) => void process.stderr.write(`${text}\n`);
	const { gateways, plain, hawkbit } = options;
	const validFromMs = Date.now() - DAY_MS;
	const own = makeCertificate({ names: ["127.0.0.1"], validFromMs, validToMs: Date.now() + 30 * DAY_MS });
	const [certificate, key] = [own.certificate, own.key].map((pem) => Buffer.from(pem).toString());
	const server = hawkbit === undefined ? undefined : await startServer(hawkbit, gateways);
	const port = await freePort();
	const scheme = plain ? "mqtt" : "mqtts";
	const template = await makeTemplate(LEAD_MS, () => ({
		mqtt: { url: `${scheme}://127.0.0.1:${port}`, cert: plain ? "" : certificate, client_cert: !plain },
		...(server === undefined
			? {}
			: { hawkbit: { url: server.url, token: TOKEN, cert: Buffer.from(server.certificate).toString() } }),
	}));
	const tls = ["certfile @/own.pem", "keyfile @/own.key", "cafile @/clients.pem", "require_certificate true"];
	const broker = await Mosquitto.start({
		port,
		isQuiet: true,
		lines: ["allow_anonymous true", ...(plain ? [] : tls)],
		files: { "own.pem": certificate, "own.key": key, "clients.pem": certificate + template.certificate },
		client: plain ? [] : ["--cafile", "@/own.pem", "--cert", "@/own.pem", "--key", "@/own.key"],
	});
	const consumer = broker.consume();
	const fleet = await Fleet.make(gateways, options.workers, template);
	try {
		const figures = await measure({
			...{ fleet, broker, server, progress, slowSpeed: 1, speed: options.speed, readoutMs: READOUT_MS },
			...{ steadyMs: options.minutes * 60_000, downMs: options.down * 1000 },
		});
		process.stdout.write(reportOf(figures));
		if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(figures, null, "\t")}\n`);
	} finally {
		await fleet.stop();
		consumer.kill("SIGKILL");
		await broker.stop();
		await server?.stop();
	}
}

try {
	const options = readOptions();
	if (options.help) process.stdout.write(HELP);
	else await run(options);
} catch (error) {
	process.stderr.write(`${(error as Error).message}\n`);
	process.exitCode = 1;
}
