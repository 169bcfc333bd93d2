/** Planted secrets, and the search for them in all output of the gateway. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";

/** Least length of a secret. Shorter texts may occur by chance. */
const SHORTEST = 8;
const CLEAN_LIMIT = 1000;

export class Canary {
	readonly #forms = new Map<string, string>();
	/** The last texts without a secret. Most replies come again. */
	readonly #clean = new Set<string>();

	constructor(secrets: readonly string[]) {
		for (const secret of secrets) this.plant(secret);
	}

	/** Forbids the secret and its derivatives: reversed, hex, Base64, its SHA-256. */
	plant(secret: string): void {
		assert.ok(secret.length >= SHORTEST, "the secret is too short: it may occur by chance");
		this.#clean.clear();
		const bytes = Buffer.from(secret, "utf8");
		const digest = createHash("sha256").update(bytes).digest();
		const forms = {
			"as it is": secret,
			reversed: [...secret].reverse().join(""),
			"in JSON": JSON.stringify(secret).slice(1, -1),
			"in a URL": encodeURIComponent(secret),
			"in hex": bytes.toString("hex"),
			"in Base64": bytes.toString("base64").replace(/=+$/, ""),
			"by its SHA-256": digest.toString("hex"),
			"by its SHA-256 in Base64": digest.toString("base64").replace(/=+$/, ""),
		};
		for (const [form, text] of Object.entries(forms)) this.#forms.set(text.toLowerCase(), `${secret} ${form}`);
	}

	/** Fails if `text` contains a secret in any form and case; `where` names the text in the failure. */
	check(where: string, text: string): void {
		if (this.#clean.has(text)) return;
		const lower = text.toLowerCase();
		for (const [form, secret] of this.#forms) {
			if (lower.includes(form)) assert.fail(`${where} holds the secret ${secret}:\n${text}`);
		}
		if (this.#clean.size === CLEAN_LIMIT) this.#clean.clear();
		this.#clean.add(text);
	}
}
