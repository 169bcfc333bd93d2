/**
 * Our gateway and HiveMQ's community edition 2025.5, a broker in Java, from Maven Central. It requires a client
 * certificate of the fleet's authority; Java does not accept the gateway's own one as an authority.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { vectorOf } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { AUTHORITY, type Made, make, missingOpenSSL } from "../hosts/openssl.js";
import { METER, sendNow } from "./home.js";
import { installJava } from "./maven.js";
import { freePort, PeerMissing, run } from "./peer.js";

const START_LIMIT_MS = 120_000;
const COME_LIMIT_MS = 30_000;
const PASSWORD = "password of the stores";

class Hivemq {
	readonly port: number;
	/** Lines that the broker has printed. */
	readonly lines: string[] = [];
	readonly #folder: string;
	readonly #program: ChildProcess;

	private constructor(folder: string, port: number, classPath: string) {
		this.#folder = folder;
		this.port = port;
		const java = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"];
		this.#program = spawn("java", [...java, "-cp", classPath, "peer.ServeHivemq", folder], {
			cwd: folder,
			stdio: ["ignore", "pipe", "pipe"],
		});
		for (const output of [this.#program.stdout!, this.#program.stderr!])
			createInterface(output).on("line", (line) => this.lines.push(line));
	}

	static async start(classPath: string, own: Made, authority: Made): Promise<Hivemq> {
		const folder = mkdtempSync(join(tmpdir(), "hivemq-"));
		const path = (name: string) => join(folder, name);
		const port = await freePort();
		mkdirSync(path("extensions"));
		writeFileSync(path("own.pem"), own.certificate + own.key);
		writeFileSync(path("authority.pem"), authority.certificate);
		const given = ["-passout", `pass:${PASSWORD}`];
		await run("openssl", ["pkcs12", "-export", "-in", path("own.pem"), "-out", path("own.p12"), ...given]);
		const store = ["-keystore", path("clients.p12"), "-storetype", "PKCS12", "-storepass", PASSWORD];
		await run("keytool", ["-importcert", "-noprompt", "-alias", "fleet", "-file", path("authority.pem"), ...store]);
		writeFileSync(path("config.xml"), configOf(folder, port));
		const broker = new Hivemq(folder, port, classPath);
		try {
			await broker.find(/^> ready$/, START_LIMIT_MS);
		} catch (error) {
			await broker.stop();
			throw error;
		}
		return broker;
	}

	/** The first line that fits, printed already or still to come. */
	async find(pattern: RegExp, limitMs = COME_LIMIT_MS): Promise<string> {
		for (const endMs = Date.now() + limitMs; ; await sleep(50)) {
			const line = this.lines.find((one) => pattern.test(one));
			if (line !== undefined) return line;
			const isRunning = this.#program.exitCode === null;
			assert.ok(isRunning && Date.now() < endMs, `no ${pattern} of HiveMQ:\n${this.lines.slice(-20).join("\n")}`);
		}
	}

	async stop(): Promise<void> {
		if (this.#program.exitCode === null) {
			const ended = once(this.#program, "exit");
			this.#program.kill("SIGKILL");
			await ended;
		}
		rmSync(this.#folder, { recursive: true, force: true });
	}
}

const configOf = (folder: string, port: number) => `<?xml version="1.0"?>
<hivemq>
	<listeners>
		<tls-tcp-listener>
			<port>${port}</port>
			<bind-address>127.0.0.1</bind-address>
			<tls>
				<keystore>
					<path>${folder}/own.p12</path>
					<password>${PASSWORD}</password>
					<private-key-password>${PASSWORD}</private-key-password>
				</keystore>
				<truststore>
					<path>${folder}/clients.p12</path>
					<password>${PASSWORD}</password>
				</truststore>
				<client-authentication-mode>REQUIRED</client-authentication-mode>
			</tls>
		</tls-tcp-listener>
	</listeners>
	<persistence><mode>in-memory</mode></persistence>
	<anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics>
</hivemq>
`;

export interface HivemqPeer {
	readonly gateway: ProcessGateway;
	readonly broker: Hivemq;
	/** Certificate of the broker, PEM text. */
	readonly certificate: string;
}

export async function prepareHivemq(): Promise<HivemqPeer> {
	const reason = missingOpenSSL();
	if (reason !== undefined) throw new PeerMissing(reason);
	const classPath = await installJava("hivemq", "ServeHivemq");
	const authority = make({ subject: "/CN=Authority of the fleet", extensions: AUTHORITY });
	const valid = (name: string) => ["basicConstraints=CA:FALSE", `subjectAltName=${name}`];
	const own = make({ subject: "/CN=broker", issuer: authority, extensions: valid("IP:127.0.0.1") });
	const gateway = await ProcessGateway.start("node");
	try {
		await gateway.login();
		const extensions = valid(`DNS:${gateway.hostname}`);
		const meter = make({ subject: "/CN=meter 7", issuer: authority, extensions });
		const { status, text } = await gateway.post("system/certificate", meter.key + meter.certificate);
		assert.equal(status, 200, text);
		await gateway.rebooted(authority.certificate);
		await gateway.login();
		await gateway.connectMeter({ telegram: vectorOf(METER).telegram });
		return { gateway, certificate: own.certificate, broker: await Hivemq.start(classPath, own, authority) };
	} catch (error) {
		await gateway.stop();
		throw error;
	}
}

export async function endHivemq({ broker, gateway }: HivemqPeer): Promise<void> {
	await gateway.stop();
	await broker.stop();
}

export const hivemqCases = [
	{
		name: "the broker refuses a gateway that shows no certificate, and the gateway says why",
		async run({ broker, certificate, gateway }: HivemqPeer) {
			const url = `mqtts://127.0.0.1:${broker.port}`;
			await gateway.write("mqtt", { enabled: true, url, cert: certificate, client_cert: false });
			const { code, message } = await sendNow(gateway, "mqtt/send");
			// With TLS 1.3, the simulator learns of the refusal only after its own handshake.
			assert.match(code, /^(client_certificate|closed_unanswered)$/);
			assert.match(message, /turn on client_cert/);
			assert.deepEqual(
				broker.lines.filter((line) => line.startsWith("> session")),
				[],
			);
		},
	},
	{
		name: "the broker knows the gateway by its certificate, and gets its readings",
		async run({ broker, gateway }: HivemqPeer) {
			await gateway.write("mqtt", { client_cert: true });
			await gateway.read("iec62056/read");
			await broker.find(/^> session CN=meter 7 /);
			await broker.find(/^> published smgw\/\S+\/status online$/);
			const state = await broker.find(/^> published smgw\/\S+\/state /);
			assert.equal(JSON.parse(state.slice(state.indexOf("{")))["1_0_1_8_0"], 15882.6927);
			assert.equal((await gateway.read("system/status")).mqtt_state, "ok");
		},
	},
];
