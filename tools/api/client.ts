/** A client of the API, for programs: a gateway on this computer alone, since its certificate is not looked at. */
import { createHash } from "node:crypto";
import { request } from "node:https";

/** The JSON of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what is replied
export type JSONReply = Record<string, any>;

interface Reply {
	readonly status: number;
	readonly json: JSONReply;
}

export class GatewayClient {
	readonly #port: number;
	readonly #password: string;
	#token = "";

	constructor(port: number, password: string) {
		this.#port = port;
		this.#password = password;
	}

	/** The password itself is not sent. */
	async login(): Promise<void> {
		const { nonce, salt } = await this.get("system/challenge");
		const inner = createHash("sha256").update(`${salt}${this.#password}`).digest();
		const proof = createHash("sha256").update(inner).update(`${nonce}`).digest("hex");
		const body = Buffer.from(JSON.stringify({ username: "admin", nonce, proof }));
		const { status, json } = await this.#send("POST", "system/login", body);
		if (status === 401) throw new Error("The password is another one: name it with --password.");
		if (status !== 200) throw refused("the login", status, json);
		this.#token = json["token"];
	}

	/** Throws an Error with a sentence when it is refused, as all that follow do. */
	get(path: string): Promise<JSONReply> {
		return this.#ask("GET", path);
	}

	/** `body`: bytes as they are, or what is sent as JSON. */
	post(path: string, body: Uint8Array | object): Promise<JSONReply> {
		return this.#ask("POST", path, body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body)));
	}

	/** Of the firmware. */
	async version(): Promise<string> {
		return (await this.get("system/version"))["firmware"].version;
	}

	async #ask(method: string, path: string, body?: Uint8Array): Promise<JSONReply> {
		const { status, json } = await this.#send(method, path, body);
		if (status !== 200) throw refused(`${method} ${path}`, status, json);
		return json;
	}

	#send(method: string, path: string, body?: Uint8Array): Promise<Reply> {
		return new Promise((resolve, reject) => {
			const sending = request(
				{
					...{ host: "127.0.0.1", port: this.#port, path: `/api/v1/${path}`, method },
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

function refused(what: string, status: number, { error, message }: JSONReply): Error {
	return new Error(`The gateway refuses ${what}: ${status} ${error ?? ""}. ${message ?? ""}`.trim());
}
