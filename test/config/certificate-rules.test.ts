/** Each reason for which an upload is refused, with files that OpenSSL made. */
import assert from "node:assert/strict";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { refusalOf } from "../../modules/config/certificate-rules.js";
import { AUTHORITY, convertKey, make, missingOpenSSL } from "../hosts/openssl.js";

const crypto = new NodeCrypto();
const DAY_MS = 86_400_000;

function refusal(pem: string, nowMs: number | undefined = Date.now()): string {
	return refusalOf(crypto.readCertificates(new TextEncoder().encode(pem)), nowMs);
}

describe("config/certificate-rules", function () {
	this.timeout(30_000);

	before(() => {
		const missing = missingOpenSSL();
		if (missing !== undefined) throw new Error(missing);
	});

	const rsa = (bits: number) => ["RSA", "-pkeyopt", `rsa_keygen_bits:${bits}`];
	const ec = (curve: string) => ["EC", "-pkeyopt", `ec_paramgen_curve:${curve}`];

	for (const [name, algorithm, isFine] of [
		["EC P-256", ec("P-256"), true],
		["EC P-384", ec("P-384"), true],
		["EC P-521", ec("P-521"), false],
		["RSA of 1024 bits", rsa(1024), false],
		["RSA of 2048 bits", rsa(2048), true],
		["RSA of 4096 bits", rsa(4096), true],
		["Ed25519", ["ED25519"], false],
	] as const) {
		it(`${isFine ? "takes" : "refuses"} a key on ${name}`, () => {
			const { certificate, key } = make({ subject: "/CN=gateway", algorithm });
			const reason = refusal(certificate + key);
			if (isFine) assert.equal(reason, "");
			else assert.match(reason, /key type or size is not supported/);
		});
	}

	it("takes a chain in its order, and refuses any other", () => {
		const root = make({ subject: "/CN=Root", extensions: AUTHORITY });
		const middle = make({ subject: "/CN=Middle", issuer: root, extensions: AUTHORITY });
		const server = make({ subject: "/CN=gateway", issuer: middle });
		const { key } = server;
		assert.equal(refusal(server.certificate + middle.certificate + root.certificate + key), "");
		assert.equal(refusal(server.certificate + middle.certificate + key), "");
		assert.match(refusal(server.certificate + root.certificate + middle.certificate + key), /chain order is wrong/);
		assert.match(refusal(server.certificate + root.certificate + key), /chain order is wrong/);
		assert.match(refusal(root.certificate + middle.certificate + server.certificate + key), /does not match/);
	});

	it("says what is missing, encrypted, another's or damaged", () => {
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

	it("refuses what has expired, when the clock is set", () => {
		const { certificate, key } = make({ subject: "/CN=gateway", days: 2 });
		assert.equal(refusal(certificate + key, Date.now() + DAY_MS), "");
		assert.match(refusal(certificate + key, Date.now() + 3 * DAY_MS), /has expired/);
		assert.equal(refusalOf(crypto.readCertificates(new TextEncoder().encode(certificate + key)), undefined), "");
	});
});
