import assert from "node:assert/strict";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { requireIdentity, toIdentity } from "../../../hosts/node/certificate.js";
import { makeCertificate } from "../../../hosts/node/self-signed.js";
import { CERTIFICATE_FILE_LIMIT } from "../../../modules/io/crypto.js";

const NOW_MS = Date.UTC(2026, 5, 15, 12, 34, 56, 789);
const YEAR_MS = 31_557_600_000;

const make = (names: readonly string[], fromMs = NOW_MS, toMs = fromMs + YEAR_MS) =>
	makeCertificate({ names, validFromMs: fromMs, validToMs: toMs });
const read = (...options: Parameters<typeof make>) => new X509Certificate(make(...options).certificate);

describe("A certificate made by the simulator", () => {
	it("is self-signed, with all its names and the given validity to the second", () => {
		const certificate = read(["smgw-a1b2c3", "smgw-a1b2c3.local"], NOW_MS, Date.UTC(2036, 5, 15));
		assert.equal(certificate.subject, "CN=smgw-a1b2c3");
		assert.equal(certificate.issuer, "CN=smgw-a1b2c3");
		assert.equal(certificate.subjectAltName, "DNS:smgw-a1b2c3, DNS:smgw-a1b2c3.local");
		assert.ok(certificate.verify(certificate.publicKey));
		assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
		assert.equal(certificate.ca, false);
		assert.deepEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
		assert.equal(Date.parse(certificate.validFrom), Date.UTC(2026, 5, 15, 12, 34, 56));
		assert.equal(Date.parse(certificate.validTo), Date.UTC(2036, 5, 15));
	});

	it("may contain addresses, and keep the given key of the previous certificate", () => {
		const first = make(["gateway", "gateway.local", "192.168.4.1", "10.0.0.255"]);
		const certificate = new X509Certificate(first.certificate);
		const alternatives = "DNS:gateway, DNS:gateway.local, IP Address:192.168.4.1, IP Address:10.0.0.255";
		assert.equal(certificate.subjectAltName, alternatives);
		const remade = (key: Uint8Array) => {
			const pair = makeCertificate({ names: ["x"], validFromMs: NOW_MS, validToMs: NOW_MS, key });
			assert.ok(toIdentity(pair).key);
			return new X509Certificate(pair.certificate).publicKey.equals(certificate.publicKey);
		};
		const file = Buffer.concat([first.certificate, first.key]);
		for (const key of [first.key, file]) assert.equal(remade(key), true);
		const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ type: "pkcs8", format: "pem" });
		for (const key of ["", "hello", p384]) assert.equal(remade(Buffer.from(key)), false);
		assert.throws(() => remade(new Uint8Array(CERTIFICATE_FILE_LIMIT + 1)), RangeError);
	});

	it("has four-digit years from 2050 on, and names of every length", () => {
		const late = read(["x"], Date.UTC(2049, 11, 30), Date.UTC(2059, 11, 31));
		assert.equal(Date.parse(late.validFrom), Date.UTC(2049, 11, 30));
		assert.equal(Date.parse(late.validTo), Date.UTC(2059, 11, 31));
		for (const length of [1, 31, 63]) {
			const name = "n".repeat(length);
			assert.equal(read([name]).checkHost(name), name);
		}
	});

	it("has a new serial number each time", () => {
		const serials = [read(["x"]), read(["x"])].map(({ serialNumber }) => serialNumber);
		assert.notEqual(serials[0], serials[1]);
		for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/);
	});
});

describe("The pair for a TLS listener of the simulator", () => {
	const { certificate, key } = make(["first"]);

	it("is accepted as text if it can be served", () => {
		const identity = requireIdentity({ certificate, key });
		assert.equal(identity.certificate, Buffer.from(certificate).toString());
		assert.equal(identity.key, Buffer.from(key).toString());
	});

	it("is otherwise rejected with a message", () => {
		const large = new Uint8Array(CERTIFICATE_FILE_LIMIT + 1);
		assert.throws(() => requireIdentity(undefined), /needs a certificate/);
		assert.throws(() => toIdentity({ certificate: large, key }), /the certificate is too large/);
		assert.throws(() => toIdentity({ certificate, key: large }), /the private key is too large/);
		assert.throws(() => toIdentity({ certificate: key, key }), /the certificate can't be read/);
		assert.throws(() => toIdentity({ certificate, key: certificate }), /the private key can't be read/);
		assert.throws(() => toIdentity({ certificate, key: make(["x"]).key }), /the key does not match/);
	});
});
