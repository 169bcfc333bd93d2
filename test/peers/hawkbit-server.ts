/**
 * Eclipse hawkBit's update server 0.3.0M7, from Maven Central: the newest version whose parts are there. The jar
 * `hawkbit-update-server` is not published, so the server is put together from hawkBit's own starters, as that jar is.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import type { JSONObject } from "../api/gateway.js";
import { installJava } from "./maven.js";
import { freePort, run } from "./peer.js";

const START_LIMIT_MS = 240_000;
const PASSWORD = "fleet-operator";
const POLL_MS = 250;

export interface HawkbitOptions {
	/** Pause between two polls of a gateway, HH:MM:SS. */
	readonly polling?: string;
}

export class HawkbitServer {
	readonly certificate: Uint8Array;
	readonly #folder: string;
	readonly #port: number;
	readonly #program: ChildProcess;
	#log = "";

	private constructor(
		folder: string,
		port: number,
		classPath: string,
		certificate: Uint8Array,
		{ polling = "00:00:30" }: HawkbitOptions,
	) {
		this.#folder = folder;
		this.#port = port;
		this.certificate = certificate;
		const java = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"];
		const opens = ["java.lang", "java.util"].map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);
		const security = "hawkbit.server.ddi.security.authentication";
		const options = {
			"server.port": port,
			"server.address": "127.0.0.1",
			"server.ssl.key-store": join(folder, "server.p12"),
			"server.ssl.key-store-password": PASSWORD,
			"server.ssl.key-store-type": "PKCS12",
			"spring.security.user.name": "admin",
			"spring.security.user.password": `{noop}${PASSWORD}`,
			"spring.main.allow-bean-definition-overriding": true,
			"spring.jmx.enabled": false,
			[`${security}.targettoken.enabled`]: true,
			[`${security}.gatewaytoken.enabled`]: false,
			"org.eclipse.hawkbit.repository.file.path": join(folder, "artifacts"),
			"hawkbit.controller.pollingTime": polling,
			"hawkbit.rollout.scheduler.fixedDelay": 500,
		};
		const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
		this.#program = spawn("java", [...java, ...opens, "-cp", classPath, "peer.ServeHawkbit", ...given], {
			cwd: folder,
			stdio: ["ignore", "pipe", "pipe"],
		});
		const keep = (bytes: Buffer) => {
			this.#log = (this.#log + bytes.toString()).slice(-20_000);
		};
		this.#program.stdout?.on("data", keep);
		this.#program.stderr?.on("data", keep);
	}

	static async start(options: HawkbitOptions = {}): Promise<HawkbitServer> {
		const classPath = await installJava("hawkbit", "ServeHawkbit");
		const folder = mkdtempSync(join(tmpdir(), "hawkbit-"));
		const pair = makeCertificate({
			names: ["127.0.0.1"],
			validFromMs: Date.now() - 86_400_000,
			validToMs: Date.now() + 86_400_000,
		});
		const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
		writeFileSync(key, pair.key);
		writeFileSync(certificate, pair.certificate);
		const store = [
			"-inkey",
			key,
			"-in",
			certificate,
			"-out",
			join(folder, "server.p12"),
			"-passout",
			`pass:${PASSWORD}`,
		];
		await run("openssl", ["pkcs12", "-export", ...store]);
		const server = new HawkbitServer(folder, await freePort(), classPath, readFileSync(certificate), options);
		try {
			await server.until(async () => (await server.ask("GET", "targets").catch(() => undefined)) !== undefined);
		} catch (error) {
			await server.stop();
			throw error;
		}
		return server;
	}

	get port(): number {
		return this.#port;
	}

	get pid(): number {
		return this.#program.pid as number;
	}

	get url(): string {
		return `https://127.0.0.1:${this.#port}`;
	}

	async stop(): Promise<void> {
		if (this.#program.exitCode === null) {
			const ended = once(this.#program, "exit");
			this.#program.kill("SIGKILL");
			await ended;
		}
		rmSync(this.#folder, { recursive: true, force: true });
	}

	/** Waits until `isThere` returns true. */
	async until(isThere: () => Promise<boolean>): Promise<void> {
		for (const endMs = Date.now() + START_LIMIT_MS; !(await isThere()); ) {
			assert.ok(Date.now() < endMs && this.#program.exitCode === null, `hawkBit:\n${this.#log.slice(-3000)}`);
			await sleep(POLL_MS);
		}
	}

	/** Calls the management API. Throws an Error for another status than 2xx. */
	async ask(
		method: string,
		path: string,
		body?: unknown,
		file?: { name: string; bytes: Uint8Array },
	): Promise<JSONObject> {
		const boundary = "a-part-of-the-form";
		const form = (name: string) =>
			`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
		const sent =
			file === undefined
				? Buffer.from(body === undefined ? "" : JSON.stringify(body))
				: Buffer.concat([Buffer.from(form(file.name)), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
		const type = file === undefined ? "application/json" : `multipart/form-data; boundary=${boundary}`;
		const outgoing = request(`${this.url}/rest/v1/${path}`, {
			method,
			agent: false,
			ca: Buffer.from(this.certificate),
			auth: `admin:${PASSWORD}`,
			checkServerIdentity: () => undefined,
			headers: { "Content-Length": sent.length, ...(sent.length === 0 ? {} : { "Content-Type": type }) },
		});
		outgoing.end(sent);
		const [reply] = await once(outgoing, "response");
		let text = "";
		for await (const piece of reply) text += piece;
		assert.ok(reply.statusCode >= 200 && reply.statusCode < 300, `${method} ${path}: ${reply.statusCode} ${text}`);
		return text === "" ? {} : JSON.parse(text);
	}

	/** Makes a distribution with one firmware file; returns its id. */
	async publish(version: string, file: Uint8Array): Promise<number> {
		const [module] = await this.list("POST", "softwaremodules", [{ name: "firmware", version, type: "os" }]);
		await this.ask("POST", `softwaremodules/${module.id}/artifacts`, undefined, { name: "gateway.ota", bytes: file });
		const set = { name: "gateway", version, type: "os", modules: [{ id: module.id }] };
		const [{ id }] = await this.list("POST", "distributionsets", [set]);
		return id;
	}

	async list(method: string, path: string, body?: unknown): Promise<JSONObject[]> {
		return (await this.ask(method, path, body)) as unknown as JSONObject[];
	}

	/** Messages of all status entries of a target's actions, oldest first. */
	async messages(controllerId: string): Promise<string[]> {
		const messages: { id: number; text: string }[] = [];
		const { content } = await this.ask("GET", `targets/${controllerId}/actions?limit=50`);
		for (const { id } of content) {
			const { content: entries } = await this.ask("GET", `targets/${controllerId}/actions/${id}/status?limit=50`);
			for (const { id: entry, messages: texts } of entries)
				for (const text of texts) if (text?.startsWith("Update Server:") === false) messages.push({ id: entry, text });
		}
		return messages.sort((a, b) => a.id - b.id).map(({ text }) => text);
	}
}
