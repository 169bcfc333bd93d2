/**
 * The bench's own TLS certificate: self-signed, made at the first start and kept with the state. X.509 v3 (RFC 5280),
 * ECDSA on P-256 with SHA-256, name and alternative names as decision 42 of the API wants them, valid for ten years.
 *
 *     Certificate     SEQUENCE { tbs, algorithm, BIT STRING signature over tbs }
 *     tbs             SEQUENCE { [0] version, serial, algorithm, issuer, validity, subject, public key, [3] extensions }
 */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

export function makeIdentity(hostname: string, nowMs: number): Identity {
	const pair = generateKeyPairSync("ec", {
		namedCurve: "P-256",
		publicKeyEncoding: { type: "spki", format: "der" },
		privateKeyEncoding: { type: "pkcs8", format: "pem" },
	});
	const serial = randomBytes(16);
	// A positive number without a leading zero byte.
	serial[0] = (serial[0] & 0x7f) | 0x40;
	const end = new Date(nowMs);
	end.setUTCFullYear(end.getUTCFullYear() + VALID_YEARS);
	const name = sequence(set(sequence(OID_COMMON_NAME, tagged(TAG_UTF8_STRING, hostname))));
	const algorithm = sequence(OID_ECDSA_WITH_SHA256);
	const unsigned = sequence(
		tagged(TAG_CONTEXT, integer(Buffer.of(2))),
		integer(serial),
		algorithm,
		name,
		// A day early, for browsers whose clock is a little behind.
		sequence(time(new Date(nowMs - DAY_MS)), time(end)),
		name,
		pair.publicKey,
		tagged(TAG_CONTEXT + 3, extensions([hostname, `${hostname}.local`])),
	);
	const signature = sign("sha256", unsigned, pair.privateKey);
	const whole = sequence(unsigned, algorithm, tagged(TAG_BIT_STRING, Buffer.of(0), signature));
	const lines = whole.toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
	const certificate = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
	return { certificate, key: pair.privateKey };
}

/** subjectAltName; and what a browser asks of a server that is nobody's authority. */
function extensions(names: string[]): Buffer {
	const critical = tagged(TAG_BOOLEAN, Buffer.of(0xff));
	const octets = (content: Buffer) => tagged(TAG_OCTET_STRING, content);
	const digitalSignature = tagged(TAG_BIT_STRING, Buffer.of(7, 0x80));
	const alternatives = names.map((name) => tagged(TAG_DNS_NAME, name));
	return sequence(
		sequence(OID_BASIC_CONSTRAINTS, critical, octets(sequence())),
		sequence(OID_KEY_USAGE, critical, octets(digitalSignature)),
		sequence(OID_EXTENDED_KEY_USAGE, octets(sequence(OID_SERVER_AUTH))),
		sequence(OID_SUBJECT_ALT_NAME, octets(sequence(...alternatives))),
	);
}

const TAG_BOOLEAN = 0x01;
const TAG_INTEGER = 0x02;
const TAG_BIT_STRING = 0x03;
const TAG_OCTET_STRING = 0x04;
const TAG_UTF8_STRING = 0x0c;
const TAG_UTC_TIME = 0x17;
const TAG_GENERALIZED_TIME = 0x18;
const TAG_SEQUENCE = 0x30;
const TAG_SET = 0x31;
/** [2] of GeneralName. */
const TAG_DNS_NAME = 0x82;
/** [0], constructed. */
const TAG_CONTEXT = 0xa0;

const OID_ECDSA_WITH_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
const OID_COMMON_NAME = Buffer.from("0603550403", "hex");
const OID_BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");
const OID_KEY_USAGE = Buffer.from("0603551d0f", "hex");
const OID_EXTENDED_KEY_USAGE = Buffer.from("0603551d25", "hex");
const OID_SUBJECT_ALT_NAME = Buffer.from("0603551d11", "hex");
const OID_SERVER_AUTH = Buffer.from("06082b06010505070301", "hex");

/** One DER element: tag, length in the shortest form, content. */
function tagged(tag: number, ...content: (Buffer | string)[]): Buffer {
	const body = Buffer.concat(content.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
	const { length } = body;
	const head = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length];
	return Buffer.concat([Buffer.from(head), body]);
}

const sequence = (...content: Buffer[]) => tagged(TAG_SEQUENCE, ...content);
const set = (...content: Buffer[]) => tagged(TAG_SET, ...content);
const integer = (bytes: Buffer) => tagged(TAG_INTEGER, bytes);

/** RFC 5280, 4.1.2.5: two digits of the year until 2049, four from then on. */
function time(date: Date): Buffer {
	const digits = `${date.toISOString().replace(/\.\d+|[-:T]/g, "")}`;
	return date.getUTCFullYear() < 2050 ? tagged(TAG_UTC_TIME, digits.slice(2)) : tagged(TAG_GENERALIZED_TIME, digits);
}
