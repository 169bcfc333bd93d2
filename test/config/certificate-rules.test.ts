/** Each reason for refusing an upload, with files made by OpenSSL. */
import assert from "node:assert/strict";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { refusalOf } from "../../modules/config/certificate-rules.js";
import { AUTHORITY, convertKey, HEAVY_RSA, make, makeKey, missingOpenSSL, rsa, SLOW_RSA } from "../hosts/openssl.js";

const crypto = new NodeCrypto();
const DAY_MS = 86_400_000;

function refusal(pem: string, nowMs: number | undefined = Date.now()): string {
	const bytes = new TextEncoder().encode(pem);
	return refusalOf(bytes, crypto.readCertificates(bytes), nowMs);
}

describe("config/certificate-rules", function () {
	this.timeout(120_000);

	before(() => {
		const missing = missingOpenSSL();
		if (missing !== undefined) throw new Error(missing);
	});

	const ec = (curve: string) => makeKey(["EC", "-pkeyopt", `ec_paramgen_curve:${curve}`]);

	for (const [name, key, isFine] of [
		["EC P-256", ec("P-256"), true],
		["EC P-384", ec("P-384"), true],
		["EC P-521", ec("P-521"), false],
		["RSA of 1024 bits", rsa(1024), false],
		["RSA of 2048 bits", rsa(2048), true],
		["RSA of 4096 bits", rsa(4096), true],
		["RSA of 4104 bits", rsa(4104), false],
		["RSA of 8192 bits", HEAVY_RSA, false],
		["RSA with an exponent of 2000 bits", SLOW_RSA, false],
		["Ed25519", makeKey(["ED25519"]), false],
	] as const) {
		it(`${isFine ? "accepts" : "refuses"} a key of type ${name}`, () => {
			const { certificate } = make({ subject: "/CN=gateway", key });
			const reason = refusal(certificate + key);
			if (isFine) assert.equal(reason, "");
			else assert.match(reason, /key type or size is not supported/);
		});
	}

	it("accepts a certificate chain in issuing order, and refuses any other order", () => {
		const root = make({ subject: "/CN=Root", extensions: AUTHORITY });
		const middle = make({ subject: "/CN=Middle", issuer: root, extensions: AUTHORITY });
		const server = make({ subject: "/CN=gateway", issuer: middle });
		const { key } = server;
		assert.equal(refusal(server.certificate + middle.certificate + root.certificate + key), "");
		assert.equal(refusal(server.certificate + middle.certificate + key), "");
		assert.match(refusal(server.certificate + root.certificate + middle.certificate + key), /chain order is wrong/);
		assert.match(refusal(server.certificate + root.certificate + key), /chain order is wrong/);
		assert.match(refusal(root.certificate + middle.certificate + server.certificate + key), /chain order is wrong/);
		assert.match(refusal(server.certificate + root.certificate + root.key), /chain order is wrong/);
		assert.match(refusal(server.certificate + middle.certificate + root.key), /does not match/);
	});

	it("refuses an authority with a key that makes verification slow", () => {
		for (const slow of [HEAVY_RSA, SLOW_RSA]) {
			const root = make({ subject: "/CN=Root", key: slow, extensions: AUTHORITY });
			const { certificate, key } = make({ subject: "/CN=gateway", issuer: root });
			assert.match(refusal(certificate + root.certificate + key), /key type or size is not supported/);
		}
	});

	it("refuses a NUL, and anything but white space after the last block", () => {
		const { certificate, key } = make({ subject: "/CN=gateway" });
		const file = certificate + key;
		for (const end of ["", "\n", "\r\n \t\r\n\n"]) assert.equal(refusal(file.trimEnd() + end), "");
		assert.equal(refusal(`text\n${certificate}\ntext\n${key}`), "");
		for (const end of ["-", "\n\n-", "x", "\ntext\n", "\n-----", "\n-----BEGIN ", "\n-----END", "\v", "\u00a0", "{}"])
			assert.match(refusal(file.trimEnd() + end), /after its last block/, JSON.stringify(end));
		for (const withNUL of [`\0${file}`, `${certificate}\0${key}`, `${file}\0`, `${file}\0\n`])
			assert.match(refusal(withNUL), /contains a zero byte/);
		// Faults of the blocks are reported first.
		assert.match(refusal("\0"), /No certificate was found/);
		assert.match(refusal(`${certificate}-`), /No private key was found/);
		assert.match(refusal(certificate.replace("\nMII", "\nMI\0I") + key), /damaged/);
	});

	it("names the fault: certificate or key missing, encrypted, not matching or damaged", () => {
		const { certificate, key } = make({ subject: "/CN=gateway" });
		const other = make({ subject: "/CN=other" });
		assert.match(refusal(""), /No certificate was found/);
		assert.match(refusal(key), /No certificate was found/);
		assert.match(refusal("hello"), /No certificate was found/);
		assert.match(refusal(certificate), /No private key was found/);
		assert.match(refusal(certificate + other.key), /does not match/);
		assert.match(
			refusal(certificate + convertKey(key, ["pkey", "-aes128", "-passout", "pass:secret"])),
			/key is encrypted/,
		);
		assert.match(refusal(certificate.slice(0, 200) + key), /damaged|No certificate/);
	});

	it("refuses an expired certificate if the clock is set", () => {
		const { certificate, key } = make({ subject: "/CN=gateway", days: 2 });
		assert.equal(refusal(certificate + key, Date.now() + DAY_MS), "");
		assert.match(refusal(certificate + key, Date.now() + 3 * DAY_MS), /has expired/);
		const bytes = new TextEncoder().encode(certificate + key);
		assert.equal(refusalOf(bytes, crypto.readCertificates(bytes), undefined), "");
	});
});
