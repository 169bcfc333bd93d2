import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadIdentity, makeIdentity } from "../../../hosts/node/certificate.js";

const NOW_MS = Date.UTC(2026, 5, 15, 12, 34, 56, 789);

describe("The certificate of the bench", () => {
	let folder = "";
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "certificate-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("is self-signed, for the host name and its .local, for ten years", () => {
		const certificate = new X509Certificate(makeIdentity("smgw-a1b2c3", NOW_MS).certificate);
		assert.equal(certificate.subject, "CN=smgw-a1b2c3");
		assert.equal(certificate.issuer, "CN=smgw-a1b2c3");
		assert.equal(certificate.subjectAltName, "DNS:smgw-a1b2c3, DNS:smgw-a1b2c3.local");
		assert.ok(certificate.verify(certificate.publicKey));
		assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
		assert.equal(certificate.ca, false);
		assert.deepEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.1"]);
		assert.equal(Date.parse(certificate.validFrom), Date.UTC(2026, 5, 14, 12, 34, 56));
		assert.equal(Date.parse(certificate.validTo), Date.UTC(2036, 5, 15, 12, 34, 56));
	});

	it("writes years from 2050 on with four digits, and names of every length", () => {
		const late = new X509Certificate(makeIdentity("x", Date.UTC(2049, 11, 31)).certificate);
		assert.equal(Date.parse(late.validFrom), Date.UTC(2049, 11, 30));
		assert.equal(Date.parse(late.validTo), Date.UTC(2059, 11, 31));
		for (const length of [1, 31, 63]) {
			const hostname = "n".repeat(length);
			const certificate = new X509Certificate(makeIdentity(hostname, NOW_MS).certificate);
			assert.equal(certificate.checkHost(`${hostname}.local`), `${hostname}.local`);
		}
	});

	it("has a serial number of its own each time", () => {
		const made = [makeIdentity("x", NOW_MS), makeIdentity("x", NOW_MS)];
		const serials = made.map(({ certificate }) => new X509Certificate(certificate).serialNumber);
		assert.notEqual(serials[0], serials[1]);
		for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/);
	});

	it("is made once and kept, the key for its owner's eyes only", () => {
		const made = loadIdentity(folder, "smgw-1", NOW_MS);
		assert.deepEqual(loadIdentity(folder, "smgw-1", NOW_MS), made);
		assert.equal(statSync(join(folder, "key.pem")).mode & 0o777, 0o600);
	});

	it("is made anew for another host name, and when a file is damaged or not its own", () => {
		const made = loadIdentity(folder, "smgw-1", NOW_MS);
		const renamed = loadIdentity(folder, "smgw-2", NOW_MS);
		assert.notEqual(renamed.certificate, made.certificate);
		writeFileSync(join(folder, "key.pem"), made.key);
		const mended = loadIdentity(folder, "smgw-2", NOW_MS);
		assert.notEqual(mended.key, made.key);
		writeFileSync(join(folder, "certificate.pem"), "-----BEGIN CERT");
		assert.notEqual(loadIdentity(folder, "smgw-2", NOW_MS).certificate, mended.certificate);
	});
});
