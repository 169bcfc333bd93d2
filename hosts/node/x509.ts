/**
 * Reads X.509 certificates (RFC 5280) and keys in PEM text (RFC 7468) for the host's `crypto` on Node, using
 * node:crypto and asn1js. Gives the same results as hosts/native/certificate.c on the device. Therefore it also rejects
 * certificates that Mbed TLS cannot read.
 */
import { createPrivateKey, type KeyObject, sign, verify, X509Certificate } from "node:crypto";
import { type BaseBlock, fromBER, type ObjectIdentifier, type UTCTime } from "asn1js";
import {
	CERTIFICATE_CHAIN_LIMIT,
	CERTIFICATE_FILE_LIMIT,
	CERTIFICATES_DAMAGED,
	CERTIFICATES_TOO_MANY,
	CERTIFICATES_UNSUPPORTED,
	CERTIFICATES_WELL,
	type CertificateDetails,
	type CertificateFile,
	KEY_TYPE_EC,
	KEY_TYPE_RSA,
	PRIVATE_KEY_ABSENT,
	PRIVATE_KEY_ENCRYPTED,
	PRIVATE_KEY_FOREIGN,
	PRIVATE_KEY_LATER,
	PRIVATE_KEY_MATCHES,
	PRIVATE_KEY_UNREADABLE,
} from "../../modules/io/crypto.js";
import { childrenOf, nameText } from "./distinguished-name.js";

const BEGIN = "-----BEGIN ";
const DASHES = "-----";
const LABEL_LIMIT = 31;
const KEY_LABEL = /^(EC |RSA |ENCRYPTED |)PRIVATE KEY$/;
const DER_SEQUENCE = 0x30;

/** Supported key algorithms: rsaEncryption (RFC 3279, 2.3.1), id-ecPublicKey (RFC 5480, 2.1.1). */
const KEY_ALGORITHMS = ["1.2.840.113549.1.1.1", "1.2.840.10045.2.1"];
/**
 * Supported signature algorithms: RSA with MD5 to SHA-512 or as RSASSA-PSS (RFC 8017, C), ECDSA (RFC 5758, 3.2) with
 * SHA-1 to SHA-512.
 */
const SIGNATURE_ALGORITHMS = /^1\.2\.840\.(113549\.1\.1\.([45]|1[0-4])|10045\.4\.(1|3\.[1-4]))$/;
/**
 * Supported extensions: key usage, alternative names, basic constraints, extended key usage, Netscape's certificate
 * type.
 */
const EXTENSIONS = /^(2\.5\.29\.(15|17|19|37)|2\.16\.840\.1\.113730\.1\.1)$/;
const CURVE_BITS = new Map([
	["prime256v1", 256],
	["secp384r1", 384],
	["secp521r1", 521],
]);

const RSA_BITS_LIMIT = 4096;
/** The smallest exponent that is too long. */
const EXPONENT_BEYOND = 2n ** 32n;

interface Block {
	readonly label: string;
	/** Text between the BEGIN and the END line; undefined if the END line is missing. */
	readonly body: string | undefined;
}

interface Certificate {
	readonly parsed: X509Certificate;
	readonly details: Omit<CertificateDetails, "issuedByNext">;
}

export function readCertificates(file: Uint8Array): CertificateFile {
	if (file.length > CERTIFICATE_FILE_LIMIT) throw new RangeError("more bytes than a file of certificates may have");
	const blocks = [...blocksOf(Buffer.from(file).toString("latin1"))];
	const files = blocks.filter(({ label }) => label === "CERTIFICATE").map(({ body }) => decode(body));
	if (blocks.length === 0 && file[0] === DER_SEQUENCE) files.push(Buffer.from(file));
	const certificates: Certificate[] = [];
	let problem = CERTIFICATES_WELL;
	for (const der of files) {
		const read = readCertificate(der);
		if (typeof read === "number") {
			problem = read;
			break;
		}
		certificates.push(read);
	}
	const owners = problem === CERTIFICATES_WELL ? certificates : certificates.slice(0, 1);
	if (problem === CERTIFICATES_WELL && certificates.length > CERTIFICATE_CHAIN_LIMIT) problem = CERTIFICATES_TOO_MANY;
	const listed = certificates.slice(0, CERTIFICATE_CHAIN_LIMIT);
	const keyBlock = blocks.find(({ label }) => KEY_LABEL.test(label));
	return {
		certificates: listed.map(({ details, parsed }, index) => ({
			...details,
			issuedByNext: isIssuedBy(parsed, listed[index + 1]?.parsed),
		})),
		problem,
		key: keyBlock ? readKey(keyBlock, owners) : PRIVATE_KEY_ABSENT,
	};
}

function* blocksOf(text: string): Iterable<Block> {
	for (let at = text.indexOf(BEGIN); at >= 0; at = text.indexOf(BEGIN, at)) {
		at += BEGIN.length;
		const dashes = text.indexOf(DASHES, at);
		if (dashes < 0 || dashes - at > LABEL_LIMIT) continue;
		const label = text.slice(at, dashes);
		const start = dashes + DASHES.length;
		const closing = `-----END ${label}-----`;
		const end = text.indexOf(closing, start);
		yield { label, body: end < 0 ? undefined : text.slice(start, end) };
		// If a block has no END line, continue after its BEGIN line, because it may contain other blocks.
		if (end >= 0) at = end + closing.length;
	}
}

/** Returns undefined if the END line is missing or the text is not base64 in lines. */
function decode(body: string | undefined): Buffer | undefined {
	const [opening, ...lines] = (body ?? "-").split("\n");
	if (!/^ ?\r?$/.test(opening) || lines.length === 0) return undefined;
	const digits = lines.map(withoutEnd).join("");
	if (!/^[A-Za-z0-9+/]+={0,2}$/.test(digits)) return undefined;
	return Buffer.from(digits.slice(0, digits.length - (digits.length % 4)), "base64");
}

function withoutEnd(line: string): string {
	let length = line.endsWith("\r") ? line.length - 1 : line.length;
	while (line[length - 1] === " ") length--;
	return line.slice(0, length);
}

function readCertificate(der: Buffer | undefined): Certificate | number {
	if (der === undefined) return CERTIFICATES_DAMAGED;
	try {
		const parsed = new X509Certificate(der);
		const [tbs, signatureAlgorithm] = childrenOf(fromBER(parsed.raw).result);
		const fields = childrenOf(tbs);
		// Certificates of version 1 omit the version field.
		const first = fields[0].idBlock.tagClass === 3 ? 2 : 1;
		const [, issuerName, validity, subjectName, keyInfo, ...more] = fields.slice(first);
		if (!isSupported(signatureAlgorithm, keyInfo, more.at(-1))) return CERTIFICATES_UNSUPPORTED;
		const kind = kindOf(parsed.publicKey);
		const { publicExponent = 0n } = parsed.publicKey.asymmetricKeyDetails ?? {};
		if (kind === undefined || publicExponent >= EXPONENT_BEYOND) return CERTIFICATES_UNSUPPORTED;
		const subject = nameText(subjectName);
		const issuer = nameText(issuerName);
		const [validFromMs, validToMs] = childrenOf(validity).map((time) => (time as UTCTime).toDate().getTime());
		// An issuer must have a name (RFC 5280, 4.1.2.4), but the name of a subject may be empty.
		if (subject === undefined || !issuer) return CERTIFICATES_DAMAGED;
		if (Number.isNaN(validFromMs + validToMs)) return CERTIFICATES_DAMAGED;
		return {
			parsed,
			details: { subject, issuer, validFromMs, validToMs, ...kind, fingerprint: parsed.fingerprint256 },
		};
	} catch {
		return CERTIFICATES_DAMAGED;
	}
}

function isSupported(signature: BaseBlock, keyInfo: BaseBlock, extensions: BaseBlock | undefined): boolean {
	const typeOf = (sequence: BaseBlock) => (childrenOf(sequence)[0] as ObjectIdentifier).getValue();
	if (!SIGNATURE_ALGORITHMS.test(typeOf(signature))) return false;
	if (!KEY_ALGORITHMS.includes(typeOf(childrenOf(keyInfo)[0]))) return false;
	if (extensions?.idBlock.tagNumber !== 3) return true;
	// An extension with a criticality flag has three elements.
	const critical = childrenOf(childrenOf(extensions)[0]).filter((extension) => childrenOf(extension).length === 3);
	return critical.every((extension) => EXTENSIONS.test(typeOf(extension)));
}

function kindOf(key: KeyObject): { keyType: number; keyBits: number } | undefined {
	const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
	if (key.asymmetricKeyType === "rsa" && modulusLength) {
		return modulusLength > RSA_BITS_LIMIT ? undefined : { keyType: KEY_TYPE_RSA, keyBits: modulusLength };
	}
	const bits = key.asymmetricKeyType === "ec" ? CURVE_BITS.get(namedCurve ?? "") : undefined;
	return bits ? { keyType: KEY_TYPE_EC, keyBits: bits } : undefined;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate | undefined): boolean {
	if (!issuer?.ca) return false;
	try {
		return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
	} catch {
		return false;
	}
}

function readKey({ label, body }: Block, certificates: readonly Certificate[]): number {
	if (body === undefined) return PRIVATE_KEY_UNREADABLE;
	// An encrypted key has its own PEM label (RFC 5958) or a header line (RFC 1421, 4.6.1.1).
	if (label.startsWith("ENCRYPTED") || body.includes("4,ENCRYPTED")) return PRIVATE_KEY_ENCRYPTED;
	const der = decode(body);
	if (der === undefined) return PRIVATE_KEY_UNREADABLE;
	let key: KeyObject;
	try {
		key = createPrivateKey(`${BEGIN}${label}-----\n${der.toString("base64")}\n-----END ${label}-----\n`);
	} catch {
		return PRIVATE_KEY_UNREADABLE;
	}
	if (kindOf(key) === undefined) return PRIVATE_KEY_UNREADABLE;
	const owner = certificates.findIndex(({ parsed }) => isPair(parsed.publicKey, key));
	if (owner < 0) return PRIVATE_KEY_FOREIGN;
	return owner === 0 ? PRIVATE_KEY_MATCHES : PRIVATE_KEY_LATER;
}

function isPair(publicKey: KeyObject, privateKey: KeyObject): boolean {
	try {
		const proof = Buffer.from("proof");
		return verify("sha256", proof, publicKey, sign("sha256", proof, privateKey));
	} catch {
		return false;
	}
}
