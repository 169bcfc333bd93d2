/**
 * `npm run ota -- try`: an update of a gateway that `npm start` or `npm run linux` runs on this computer. It makes a firmware
 * file of the next version, signed with the key in the gateway's state folder, uploads it as a client does, and waits until
 * the gateway runs it.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UPDATE_KEY_FILE } from "../../hosts/node/bench-keys.js";
import { loadFactoryData } from "../../hosts/node/factory.js";
import { makeBenchFile } from "./bench-file.js";
import { fileSigner } from "./key-files.js";

/** About that of the firmware for a chip. */
const IMAGE_SIZE = 1_500_000;
const RESTART_LIMIT_MS = 60_000;
const RETRY_MS = 500;

export interface Trial {
	/** State folder of the gateway. */
	readonly state: string;
	/** Its HTTPS port on this computer. */
	readonly port: number;
	/** Default: the password on its label. */
	readonly password: string | undefined;
}

interface Reply {
	readonly status: number;
	readonly json: Record<string, never>;
}

/** Throws an Error with a sentence when there is no such gateway, or when it refuses the file. */
export async function tryUpdate({ state, port, password }: Trial, log: (text: string) => void): Promise<void> {
	const keyFile = join(state, UPDATE_KEY_FILE);
	for (const file of [keyFile, join(state, "factory.json")])
		if (!existsSync(file))
			throw new Error(`There is no ${file}: is ${state} the state folder of the gateway (--state)?`);
	const gateway = new Gateway(port, password ?? loadFactoryData(state).labelPassword);
	await gateway.login();
	const before = await gateway.version();
	const { version, buildNumber } = following(before);
	log(`${before} runs. Sending ${version} …`);
	const signer = fileSigner(keyFile);
	await gateway.upload(
		makeBenchFile({ version, buildNumber, securityLevel: 0, size: IMAGE_SIZE, signer, packed: true }),
	);
	log("Taken. The gateway restarts …");
	await gateway.untilVersion(version);
	log(`${version} runs, on trial: it is kept when it has worked for a minute (docs/firmware-files.md).`);
}

/** The next version and its build number. Throws an Error for one without three numbers. */
export function following(version: string): { version: string; buildNumber: number } {
	const [, series, third] = /^(\d+\.\d+\.)(\d+)/.exec(version) ?? [];
	if (third === undefined) throw new Error(`The version "${version}" has no third number that could be raised.`);
	const buildNumber = Number(third) + 1;
	return { version: `${series}${buildNumber}`, buildNumber };
}

/** A client of the API, on this computer alone: the gateway's certificate is not looked at. */
class Gateway {
	readonly #port: number;
	readonly #password: string;
	#token = "";

	constructor(port: number, password: string) {
		this.#port = port;
		this.#password = password;
	}

	/** The password itself is not sent. */
	async login(): Promise<void> {
		const { nonce, salt } = (await this.#ask("GET", "challenge")).json;
		const inner = createHash("sha256").update(`${salt}${this.#password}`).digest();
		const proof = createHash("sha256").update(inner).update(`${nonce}`).digest("hex");
		const { status, json } = await this.#send(
			"POST",
			"login",
			Buffer.from(JSON.stringify({ username: "admin", nonce, proof })),
		);
		if (status === 401) throw new Error("The password is another one: name it with --password.");
		if (status !== 200) throw refused("the login", status, json);
		this.#token = json.token;
	}

	async version(): Promise<string> {
		const { firmware } = (await this.#ask("GET", "version")).json;
		return (firmware as { version: string }).version;
	}

	async upload(file: Buffer): Promise<void> {
		await this.#ask("POST", "ota", file);
	}

	/** Waits for the restart; sessions are lost by it. */
	async untilVersion(version: string): Promise<void> {
		const limitMs = performance.now() + RESTART_LIMIT_MS;
		for (;;) {
			await sleep(RETRY_MS);
			try {
				await this.login();
				if ((await this.version()) === version) return;
			} catch {
				// It is down, or comes up.
			}
			if (performance.now() > limitMs) throw new Error(`The gateway does not come back with ${version}.`);
		}
	}

	async #ask(method: string, name: string, body?: Buffer): Promise<Reply> {
		const reply = await this.#send(method, name, body);
		if (reply.status !== 200) throw refused(`${method} system/${name}`, reply.status, reply.json);
		return reply;
	}

	#send(method: string, name: string, body?: Buffer): Promise<Reply> {
		return new Promise((resolve, reject) => {
			const sending = request(
				{
					...{ host: "127.0.0.1", port: this.#port, path: `/api/v1/system/${name}`, method },
					...{ rejectUnauthorized: false, agent: false },
					headers: {
						...(this.#token === "" ? {} : { Authorization: `Bearer ${this.#token}` }),
						...(body === undefined ? {} : { "Content-Length": String(body.length) }),
					},
				},
				(response) => {
					let text = "";
					response.setEncoding("utf8").on("data", (part: string) => {
						text += part;
					});
					response.on("error", reject).on("end", () => {
						try {
							resolve({ status: response.statusCode ?? 0, json: JSON.parse(text === "" ? "{}" : text) });
						} catch (error) {
							reject(error);
						}
					});
				},
			);
			sending.on("error", ({ message }) =>
				reject(new Error(`No gateway answers at https://localhost:${this.#port} (${message}): name its --port.`)),
			);
			sending.end(body);
		});
	}
}

function refused(what: string, status: number, { error, message }: { error?: string; message?: string }): Error {
	return new Error(`The gateway refuses ${what}: ${status} ${error ?? ""}. ${message ?? ""}`.trim());
}
