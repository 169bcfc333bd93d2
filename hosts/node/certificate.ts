/**
 * The bench's own TLS certificate: self-signed, made at the first start and kept with the state. X.509 v3 (RFC 5280),
 * ECDSA on P-256 with SHA-256, name and alternative names as decision 42 of the API wants them, valid for ten years.
 */
// The library keeps its parts by decorators, which want this first.
import "reflect-metadata";
import { createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	BasicConstraintsExtension,
	ExtendedKeyUsage,
	ExtendedKeyUsageExtension,
	KeyUsageFlags,
	KeyUsagesExtension,
	SubjectAlternativeNameExtension,
	X509CertificateGenerator,
} from "@peculiar/x509";
import { writeFileAtomic } from "./storage.js";

const VALID_YEARS = 10;
const DAY_MS = 86_400_000;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Both as PEM. */
export interface Identity {
	readonly certificate: string;
	readonly key: string;
}

/**
 * The certificate in `folder`; made anew when there is none, when it is not for `hostname` or when the key is not its
 * own. `nowMs` is Unix time.
 */
export async function loadIdentity(folder: string, hostname: string, nowMs: number): Promise<Identity> {
	const certificatePath = join(folder, "certificate.pem");
	const keyPath = join(folder, "key.pem");
	if (existsSync(certificatePath) && existsSync(keyPath)) {
		const kept = { certificate: readFileSync(certificatePath, "utf8"), key: readFileSync(keyPath, "utf8") };
		if (isFor(kept, hostname)) return kept;
	}
	const made = await makeIdentity(hostname, nowMs);
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
export async function makeIdentity(hostname: string, nowMs: number): Promise<Identity> {
	const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
	const end = new Date(nowMs);
	end.setUTCFullYear(end.getUTCFullYear() + VALID_YEARS);
	const certificate = await X509CertificateGenerator.createSelfSigned(
		{
			serialNumber: serialNumber().toString("hex"),
			name: `CN=${hostname}`,
			// A day early, for browsers whose clock is a little behind.
			notBefore: new Date(nowMs - DAY_MS),
			notAfter: end,
			signingAlgorithm: ALGORITHM,
			keys,
			extensions: [
				new BasicConstraintsExtension(false, undefined, true),
				new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
				new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
				new SubjectAlternativeNameExtension([
					{ type: "dns", value: hostname },
					{ type: "dns", value: `${hostname}.local` },
				]),
			],
		},
		webcrypto,
	);
	const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }) as string;
	return { certificate: certificate.toString("pem"), key };
}

/** A positive number without a leading zero byte (RFC 5280, 4.1.2.2). */
function serialNumber(): Buffer {
	const serial = randomBytes(16);
	serial[0] = (serial[0] & 0x7f) | 0x40;
	return serial;
}
