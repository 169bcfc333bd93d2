/**
 * Makes certificates for the host's `crypto` on Node. They are self-signed X.509 v3 certificates (RFC 5280) with ECDSA
 * on P-256 and SHA-256. hosts/native/certificate-make.c lists their contents.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import {
	Boolean as ASN1Boolean,
	Set as ASN1Set,
	type AsnType,
	BitString,
	Constructed,
	fromBER,
	GeneralizedTime,
	Integer,
	ObjectIdentifier,
	OctetString,
	Primitive,
	Sequence,
	UTCTime,
	Utf8String,
} from "asn1js";
import { CERTIFICATE_FILE_LIMIT, type CertificateOptions, type CertificatePair } from "../../modules/io/crypto.js";

const NAMES_LIMIT = 4;
const COMMON_NAME_LIMIT = 64;
const ORGANIZATION_LIMIT = 64;
const DNS_NAME_LIMIT = 253;
const FIRST_MS = Date.UTC(2000, 0, 1);
const END_MS = Date.UTC(10_000, 0, 1);
/** First year of which a certificate writes all four digits (RFC 5280, 4.1.2.5). */
const GENERALIZED_FROM_YEAR = 2050;

export function makeCertificate(options: CertificateOptions): CertificatePair {
	const { names, organization = "", unit = "", validFromMs, validToMs, key } = options;
	check(names.length >= 1 && names.length <= NAMES_LIMIT, "names");
	names.forEach((name, index) => {
		const limit = index === 0 ? COMMON_NAME_LIMIT : DNS_NAME_LIMIT;
		check(/^[A-Za-z0-9._-]+$/.test(name) && name.length <= limit, `name ${name}`);
	});
	for (const text of [organization, unit])
		check(/^[A-Za-z0-9._ &'()/:-]*$/.test(text) && text.length <= ORGANIZATION_LIMIT, "organizations");
	check((key?.length ?? 0) <= CERTIFICATE_FILE_LIMIT, "keys");
	check(validFromMs >= FIRST_MS && validFromMs <= validToMs && validToMs < END_MS, "times");
	const privateKey = keyOf(key) ?? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
	const publicKey = createPublicKey(privateKey);
	const part = (type: string, value: string) => new ASN1Set({ value: [sequence(id(type), new Utf8String({ value }))] });
	const maker = organization === "" ? [] : [part("2.5.4.10", organization)];
	const product = unit === "" ? [] : [part("2.5.4.11", unit)];
	const subject = sequence(...maker, ...product, part("2.5.4.3", names[0]));
	const algorithm = sequence(id("1.2.840.10045.4.3.2"));
	const toBeSigned = sequence(
		tagged(0, new Integer({ value: 2 })),
		new Integer({ valueHex: serialNumber() }),
		algorithm,
		subject,
		sequence(time(validFromMs), time(validToMs)),
		subject,
		fromBER(publicKey.export({ type: "spki", format: "der" })).result,
		tagged(3, extensions(names)),
	);
	const signature = sign("sha256", new Uint8Array(toBeSigned.toBER()), privateKey);
	const whole = sequence(toBeSigned, algorithm, new BitString({ valueHex: arrayBuffer(signature) }));
	return {
		certificate: pem("CERTIFICATE", Buffer.from(whole.toBER())),
		key: new Uint8Array(Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" }))),
	};
}

function keyOf(file: Uint8Array | undefined): KeyObject | undefined {
	if (file === undefined) return undefined;
	try {
		const key = createPrivateKey(Buffer.from(file));
		return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
	} catch {
		return undefined;
	}
}

function check(condition: boolean, what: string): void {
	if (!condition) throw new RangeError(`a certificate can't be made with these ${what}`);
}

const sequence = (...value: AsnType[]) => new Sequence({ value });
const id = (value: string) => new ObjectIdentifier({ value });
const tagged = (tagNumber: number, value: AsnType) =>
	new Constructed({ idBlock: { tagClass: 3, tagNumber }, value: [value] });
const arrayBuffer = (bytes: Uint8Array) => new Uint8Array(bytes).buffer;

function extensions(names: readonly string[]): Sequence {
	const contents = (value: AsnType) => new OctetString({ valueHex: value.toBER() });
	const critical = () => new ASN1Boolean({ value: true });
	const generalName = (tagNumber: number, bytes: Uint8Array) =>
		new Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex: arrayBuffer(bytes) });
	// An entry of subjectAltName (RFC 5280, 4.2.1.6) is an iPAddress or a dNSName.
	const alternative = (name: string) =>
		isIPv4(name) ? generalName(7, Uint8Array.from(name.split("."), Number)) : generalName(2, Buffer.from(name));
	const digitalSignature = new BitString({ valueHex: Uint8Array.of(0x80).buffer, unusedBits: 7 });
	return sequence(
		sequence(id("2.5.29.19"), critical(), contents(sequence())),
		sequence(id("2.5.29.15"), critical(), contents(digitalSignature)),
		sequence(id("2.5.29.37"), contents(sequence(id("1.3.6.1.5.5.7.3.1"), id("1.3.6.1.5.5.7.3.2")))),
		sequence(id("2.5.29.17"), contents(sequence(...names.map(alternative)))),
	);
}

function time(ms: number): AsnType {
	const valueDate = new Date(Math.floor(ms / 1000) * 1000);
	return valueDate.getUTCFullYear() < GENERALIZED_FROM_YEAR
		? new UTCTime({ valueDate })
		: new GeneralizedTime({ valueDate });
}

/** Returns a positive number without a leading zero byte (RFC 5280, 4.1.2.2). */
function serialNumber(): ArrayBuffer {
	const serial = new Uint8Array(randomBytes(16));
	serial[0] = (serial[0] & 0x7f) | 0x40;
	return serial.buffer;
}

function pem(label: string, der: Buffer): Uint8Array {
	const lines = der.toString("base64").replace(/.{64}(?!$)/g, "$&\n");
	return new Uint8Array(Buffer.from(`-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`));
}
