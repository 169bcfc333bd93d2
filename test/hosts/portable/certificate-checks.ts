/**
 * Checks of the host contract: certificates and keys. Portable. OpenSSL makes the files among the resources
 * (test/hosts/certificate-files.ts).
 */
import {
	CERTIFICATE_CHAIN_LIMIT,
	CERTIFICATE_FILE_LIMIT,
	CERTIFICATES_DAMAGED,
	CERTIFICATES_TOO_MANY,
	CERTIFICATES_UNSUPPORTED,
	CERTIFICATES_WELL,
	type CertificateFile,
	KEY_TYPE_EC,
	KEY_TYPE_RSA,
	PRIVATE_KEY_ABSENT,
	PRIVATE_KEY_ENCRYPTED,
	PRIVATE_KEY_FOREIGN,
	PRIVATE_KEY_LATER,
	PRIVATE_KEY_MATCHES,
	PRIVATE_KEY_UNREADABLE,
} from "../../../modules/io/crypto.js";
import type { Host } from "../../../modules/io/host.js";
import { expect, expectEqual, expectRangeError, frozen } from "./check.js";

const DAY_MS = 86_400_000;
const FROM_MS = 1_780_000_000_000;
const TO_MS = 4_102_444_800_000 + DAY_MS;

function resource({ resources }: Host, name: string): Uint8Array {
	const file = resources.get(name);
	expect(file !== undefined, `there is no ${name}: is the program openssl installed?`);
	return file;
}

function join(...parts: Uint8Array[]): Uint8Array {
	let length = 0;
	for (const part of parts) length += part.length;
	const whole = new Uint8Array(length);
	length = 0;
	for (const part of parts) {
		whole.set(part, length);
		length += part.length;
	}
	return whole;
}

/** Expects these contents, without details. */
function expectFile(file: CertificateFile, certificates: number, problem: number, key: number, what: string): void {
	expectEqual(file.certificates.length, certificates, `certificates of ${what}`);
	expectEqual(file.problem, problem, `problem of ${what}`);
	expectEqual(file.key, key, `key of ${what}`);
}

const make = ({ crypto }: Host, ...names: string[]) =>
	crypto.makeCertificate({ names, validFromMs: FROM_MS, validToMs: TO_MS });

export const certificateChecks = frozen([
	{
		name: "a made certificate has the requested contents, and matches its key",
		async run(host) {
			const { certificate, key } = make(host, "gateway", "gateway.local");
			const file = host.crypto.readCertificates(join(certificate, key));
			expectFile(file, 1, CERTIFICATES_WELL, PRIVATE_KEY_MATCHES, "the made certificate");
			const [details] = file.certificates;
			expectEqual(details.subject, "CN=gateway", "subject");
			expectEqual(details.issuer, "CN=gateway", "issuer");
			expectEqual(details.validFromMs, FROM_MS, "begin");
			expectEqual(details.validToMs, TO_MS, "end");
			expectEqual(details.keyType, KEY_TYPE_EC, "type of key");
			expectEqual(details.keyBits, 256, "bits of key");
			expect(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/.test(details.fingerprint), details.fingerprint);
			expectEqual(details.issuedByNext, false, "issued by the next");
			const second = make(host, "gateway");
			const [other] = host.crypto.readCertificates(second.certificate).certificates;
			expect(other.fingerprint !== details.fingerprint, "two certificates with one fingerprint");
			expectFile(
				host.crypto.readCertificates(join(second.key, certificate)),
				1,
				CERTIFICATES_WELL,
				PRIVATE_KEY_FOREIGN,
				"one certificate and another's key",
			);
		},
	},
	{
		name: "a certificate is made for 1 to 4 names of up to 253 characters, and for times from 2000 to 9999",
		async run(host) {
			const { crypto } = host;
			const long = "a".repeat(253);
			const { certificate } = make(host, "b".repeat(64), long, long, long);
			const [details] = crypto.readCertificates(certificate).certificates;
			expectEqual(details.subject, `CN=${"b".repeat(64)}`, "subject");
			for (const names of [[], ["a", "a", "a", "a", "a"], [""], ["a,b"], ["ä"], ["b".repeat(65)], ["a", `${long}a`]])
				expectRangeError(() => make(host, ...names), `names ${names.join()}`);
			const first = Date.UTC(2000, 0, 1);
			const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
			const wide = crypto.makeCertificate({ names: ["a"], validFromMs: first, validToMs: last });
			const [ages] = crypto.readCertificates(wide.certificate).certificates;
			expectEqual(ages.validFromMs, first, "the first time");
			expectEqual(ages.validToMs, last - 999, "the last time");
			const times = { validFromMs: first, validToMs: last };
			const of = (organization: string) => crypto.makeCertificate({ names: ["a"], organization, ...times }).certificate;
			const [maker] = crypto.readCertificates(of("Meters & Sons (Europe)")).certificates;
			expectEqual(maker.subject, "CN=a, O=Meters & Sons (Europe)", "subject with an organization");
			expectEqual(maker.issuer, maker.subject, "issuer with an organization");
			const both = { organization: "Meters & Sons (Europe)", unit: "u".repeat(64) };
			const [product] = crypto.readCertificates(
				crypto.makeCertificate({ names: ["a"], ...both, ...times }).certificate,
			).certificates;
			expectEqual(product.subject, `CN=a, OU=${both.unit}, O=${both.organization}`, "subject with a unit");
			for (const unit of ["u".repeat(65), "a,b"])
				expectRangeError(() => crypto.makeCertificate({ names: ["a"], unit, ...times }), `unit ${unit}`);
			for (const organization of ["o".repeat(65), "a,b", "a+b", "ä"])
				expectRangeError(() => of(organization), `organization ${organization}`);
			for (const [validFromMs, validToMs] of [
				[first - 1, last],
				[first, last + 1],
				[FROM_MS, FROM_MS - 1],
				[Number.NaN, last],
			])
				expectRangeError(() => crypto.makeCertificate({ names: ["a"], validFromMs, validToMs }), `from ${validFromMs}`);
		},
	},
	{
		name: "a remade certificate may keep its key, and gets another if that can't be used",
		async run(host) {
			const { crypto } = host;
			const again = (key: Uint8Array | undefined) =>
				crypto.makeCertificate({ names: ["cellar", "192.168.4.1"], validFromMs: FROM_MS, validToMs: TO_MS, key });
			const before = make(host, "gateway");
			const file = join(before.certificate, before.key);
			for (const key of [before.key, file]) {
				const { certificate } = again(key);
				const read = crypto.readCertificates(join(certificate, before.key));
				expectFile(read, 1, CERTIFICATES_WELL, PRIVATE_KEY_MATCHES, "the new certificate with the old key");
				expectEqual(read.certificates[0].subject, "CN=cellar", "subject");
			}
			for (const key of [undefined, new Uint8Array(0), before.certificate]) {
				const { certificate } = again(key);
				const read = crypto.readCertificates(join(certificate, before.key));
				expectFile(read, 1, CERTIFICATES_WELL, PRIVATE_KEY_FOREIGN, "the new certificate with the old key");
			}
			expectRangeError(() => again(new Uint8Array(CERTIFICATE_FILE_LIMIT + 1)), "a key that is too large");
		},
	},
	{
		name: "a chain of three is read in its order, with names as in RFC 4514",
		async run(host) {
			const file = host.crypto.readCertificates(resource(host, "chain.pem"));
			expectFile(file, 3, CERTIFICATES_WELL, PRIVATE_KEY_MATCHES, "the chain");
			const [server, middle, root] = file.certificates;
			const subject = 'CN=gateway.lan, 2.5.4.12=Dr, serialNumber=7, OU=\\#1, O=Żółw\\, Söhne \\+ \\"Co\\", C=PL';
			expectEqual(server.subject, subject, "subject");
			expectEqual(server.issuer, "O=Middle, C=DE", "issuer");
			expectEqual(server.validToMs - server.validFromMs, 30 * DAY_MS, "time");
			expectEqual(server.keyType, KEY_TYPE_EC, "type of key");
			expectEqual(server.keyBits, 256, "bits of key");
			expectEqual(middle.subject, "O=Middle, C=DE", "subject of the second");
			expectEqual(middle.keyType, KEY_TYPE_RSA, "type of the second's key");
			expectEqual(middle.keyBits, 2048, "bits of the second's key");
			expectEqual(root.issuer, "CN=Root", "issuer of the third");
			expectEqual(root.keyBits, 384, "bits of the third's key");
			const issued = file.certificates.map(({ issuedByNext }) => issuedByNext);
			expectEqual(issued.join(), "true,true,false", "issued by the next");
		},
	},
	{
		name: "a chain in the wrong order is detected",
		async run(host) {
			const file = host.crypto.readCertificates(resource(host, "reversed.pem"));
			expectFile(file, 3, CERTIFICATES_WELL, PRIVATE_KEY_MATCHES, "the chain");
			const issued = file.certificates.map(({ issuedByNext }) => issuedByNext);
			expectEqual(issued.join(), "false,false,false", "issued by the next");
		},
	},
	{
		name: "keys are read in each of their forms; encrypted and mismatched keys are detected",
		async run(host) {
			const cases: [name: string, certificates: number, problem: number, key: number][] = [
				["sec1.pem", 3, CERTIFICATES_WELL, PRIVATE_KEY_MATCHES],
				["pkcs1.pem", 1, CERTIFICATES_WELL, PRIVATE_KEY_MATCHES],
				["encrypted.pem", 3, CERTIFICATES_WELL, PRIVATE_KEY_ENCRYPTED],
				["encrypted-line.pem", 3, CERTIFICATES_WELL, PRIVATE_KEY_ENCRYPTED],
				["foreign.pem", 1, CERTIFICATES_WELL, PRIVATE_KEY_FOREIGN],
				["modern.pem", 0, CERTIFICATES_UNSUPPORTED, PRIVATE_KEY_UNREADABLE],
				["server.der", 1, CERTIFICATES_WELL, PRIVATE_KEY_ABSENT],
			];
			for (const [name, certificates, problem, key] of cases)
				expectFile(host.crypto.readCertificates(resource(host, name)), certificates, problem, key, name);
		},
	},
	{
		name: "garbage and damage are reported, without exceptions",
		async run(host) {
			const { crypto, text } = host;
			const read = (file: string) => crypto.readCertificates(text.encode(file));
			for (const file of [
				"",
				"hello",
				"-----BEGIN ",
				"-----BEGIN CERTIFICATE---",
				"-----BEGIN X-----\n-----END X-----",
			])
				expectFile(read(file), 0, CERTIFICATES_WELL, PRIVATE_KEY_ABSENT, file);
			const bodies = ["", "AAAA\n", "MIIB\n", "M#\n", "MAAA MAAA\n"];
			for (const body of bodies) {
				const certificate = `-----BEGIN CERTIFICATE-----\n${body}-----END CERTIFICATE-----\n`;
				expectFile(read(certificate), 0, CERTIFICATES_DAMAGED, PRIVATE_KEY_ABSENT, certificate);
				const key = `-----BEGIN PRIVATE KEY-----\n${body}-----END PRIVATE KEY-----\n`;
				expectFile(read(key), 0, CERTIFICATES_WELL, PRIVATE_KEY_UNREADABLE, key);
			}
			const { certificate, key } = make(host, "a");
			const cut = crypto.readCertificates(join(certificate, key, certificate.subarray(0, 300)));
			expectFile(cut, 1, CERTIFICATES_DAMAGED, PRIVATE_KEY_MATCHES, "a file that is cut off");
			expectFile(read("0"), 0, CERTIFICATES_DAMAGED, PRIVATE_KEY_ABSENT, "the first byte of DER");
		},
	},
	{
		name: "a file may have 12288 bytes and 6 certificates",
		async run(host) {
			const { crypto } = host;
			const { certificate, key } = make(host, "a");
			const space = new Uint8Array(CERTIFICATE_FILE_LIMIT).fill(0x20);
			space.set(certificate, space.length - certificate.length);
			expectFile(crypto.readCertificates(space), 1, CERTIFICATES_WELL, PRIVATE_KEY_ABSENT, "the longest file");
			const tooLong = new Uint8Array(CERTIFICATE_FILE_LIMIT + 1);
			expectRangeError(() => crypto.readCertificates(tooLong), "a longer file");
			const most: Uint8Array[] = [];
			while (most.length < CERTIFICATE_CHAIN_LIMIT) most.push(certificate);
			const full = crypto.readCertificates(join(...most, key));
			expectFile(full, CERTIFICATE_CHAIN_LIMIT, CERTIFICATES_WELL, PRIVATE_KEY_MATCHES, "six");
			const more = crypto.readCertificates(join(...most, key, certificate));
			expectFile(more, CERTIFICATE_CHAIN_LIMIT, CERTIFICATES_TOO_MANY, PRIVATE_KEY_MATCHES, "seven");
			const cut = crypto.readCertificates(join(...most, key, certificate, certificate.subarray(0, 200)));
			expectFile(cut, CERTIFICATE_CHAIN_LIMIT, CERTIFICATES_DAMAGED, PRIVATE_KEY_MATCHES, "seven and a cut one");
		},
	},
	{
		name: "a private key of a later certificate is distinguished from an unrelated key",
		async run(host) {
			const { crypto } = host;
			const [first, second, third] = ["one", "two", "three"].map((name) => make(host, name));
			const read = (...parts: Uint8Array[]) => crypto.readCertificates(join(...parts));
			const both = join(first.certificate, second.certificate);
			expectFile(read(both, first.key), 2, CERTIFICATES_WELL, PRIVATE_KEY_MATCHES, "its own");
			expectFile(read(both, second.key), 2, CERTIFICATES_WELL, PRIVATE_KEY_LATER, "the second certificate's key");
			expectFile(
				read(second.key, both),
				2,
				CERTIFICATES_WELL,
				PRIVATE_KEY_LATER,
				"the second certificate's key before the certificates",
			);
			expectFile(read(both, third.key), 2, CERTIFICATES_WELL, PRIVATE_KEY_FOREIGN, "an unrelated key");
			const damaged = read(both, second.certificate.subarray(0, 200), second.key);
			expectFile(damaged, 2, CERTIFICATES_DAMAGED, PRIVATE_KEY_FOREIGN, "a damaged file");
		},
	},
]);
