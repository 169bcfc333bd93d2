/**
 * The bench's own TLS certificate: self-signed, made at the first start and kept with the state (self-signed.ts),
 * name and alternative names as decision 42 of the API wants them, valid for ten years.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "./self-signed.js";
import { writeFileAtomic } from "./storage.js";

const VALID_YEARS = 10;
const DAY_MS = 86_400_000;

/** Both as PEM. */
export interface Identity {
	readonly certificate: string;
	readonly key: string;
}

/**
 * The certificate in `folder`; made anew when there is none, when it is not for `hostname` or when the key is not its
 * own. `nowMs` is Unix time.
 */
export function loadIdentity(folder: string, hostname: string, nowMs: number): Identity {
	const certificatePath = join(folder, "certificate.pem");
	const keyPath = join(folder, "key.pem");
	if (existsSync(certificatePath) && existsSync(keyPath)) {
		const kept = { certificate: readFileSync(certificatePath, "utf8"), key: readFileSync(keyPath, "utf8") };
		if (isFor(kept, hostname)) return kept;
	}
	const made = makeIdentity(hostname, nowMs);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	writeFileAtomic(keyPath, made.key);
	writeFileAtomic(certificatePath, made.certificate);
	return made;
}

function isFor({ certificate, key }: Identity, hostname: string): boolean {
	try {
		const parsed = new X509Certificate(certificate);
		return parsed.checkPrivateKey(createPrivateKey(key)) && parsed.checkHost(hostname) !== undefined;
	} catch {
		// A file that a power cut or a hand has damaged is as good as none.
		return false;
	}
}

/** A self-signed certificate for `hostname` and `hostname.local`, and its key. `nowMs` is Unix time. */
export function makeIdentity(hostname: string, nowMs: number): Identity {
	const end = new Date(nowMs);
	end.setUTCFullYear(end.getUTCFullYear() + VALID_YEARS);
	const { certificate, key } = makeCertificate({
		names: [hostname, `${hostname}.local`],
		// A day early, for browsers whose clock is a little behind.
		validFromMs: nowMs - DAY_MS,
		validToMs: end.getTime(),
	});
	return { certificate: Buffer.from(certificate).toString(), key: Buffer.from(key).toString() };
}
