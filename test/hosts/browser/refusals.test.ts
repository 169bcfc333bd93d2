import assert from "node:assert/strict";
import { joinPEM, refusalKey } from "../../../hosts/browser/pages/refusals.js";
import { refusalOf, TOO_LARGE } from "../../../modules/config/certificate-rules.js";
import {
	CERTIFICATES_DAMAGED,
	CERTIFICATES_TOO_MANY,
	CERTIFICATES_UNSUPPORTED,
	CERTIFICATES_WELL,
	type CertificateDetails,
	type CertificateFile,
	KEY_TYPE_EC,
	PRIVATE_KEY_ABSENT,
	PRIVATE_KEY_ENCRYPTED,
	PRIVATE_KEY_FOREIGN,
	PRIVATE_KEY_MATCHES,
} from "../../../modules/io/crypto.js";

const CERTIFICATE: CertificateDetails = {
	subject: "CN=a",
	issuer: "CN=a",
	validFromMs: 0,
	validToMs: 1000,
	keyType: KEY_TYPE_EC,
	keyBits: 256,
	fingerprint: "",
	issuedByNext: false,
};
const GOOD: CertificateFile = { certificates: [CERTIFICATE], problem: CERTIFICATES_WELL, key: PRIVATE_KEY_MATCHES };
/** A file that ends with the end of a PEM block, as a complete file must. */
const BYTES = new TextEncoder().encode("-----END PRIVATE KEY-----");

describe("messages for refused certificates", () => {
	const sentences: readonly (readonly [key: string, sentence: string])[] = [
		["refusal.large", TOO_LARGE],
		["refusal.damaged", refusalOf(BYTES, { ...GOOD, problem: CERTIFICATES_DAMAGED }, 0)],
		["refusal.chain", refusalOf(BYTES, { ...GOOD, problem: CERTIFICATES_TOO_MANY }, 0)],
		["refusal.type", refusalOf(BYTES, { ...GOOD, problem: CERTIFICATES_UNSUPPORTED }, 0)],
		["refusal.none", refusalOf(BYTES, { ...GOOD, certificates: [] }, 0)],
		["refusal.key", refusalOf(BYTES, { ...GOOD, key: PRIVATE_KEY_ABSENT }, 0)],
		["refusal.encrypted", refusalOf(BYTES, { ...GOOD, key: PRIVATE_KEY_ENCRYPTED }, 0)],
		["refusal.mismatch", refusalOf(BYTES, { ...GOOD, key: PRIVATE_KEY_FOREIGN }, 0)],
		["refusal.order", refusalOf(BYTES, { ...GOOD, certificates: [CERTIFICATE, CERTIFICATE] }, 0)],
		["refusal.expired", refusalOf(BYTES, GOOD, 2000)],
	];

	for (const [key, sentence] of sentences) {
		it(`exist for “${sentence}”`, () => {
			assert.equal(refusalKey(sentence), key);
		});
	}

	it("are the gateway's own sentences where the page has no text for them", () => {
		assert.equal(refusalKey("Something new."), undefined);
	});
});

describe("certificate files, joined before they are sent,", () => {
	const block = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;
	const server = block("CERTIFICATE", "one");
	const issuer = block("CERTIFICATE", "two");
	const key = block("EC PRIVATE KEY", "three");

	it("are put in order: certificates as they come, then the key, without other text", () => {
		const parameters = block("EC PARAMETERS", "four");
		assert.equal(
			joinPEM([`${parameters}\n${key}\n`, `Bag Attributes\n${server}\n${issuer}`]),
			`${server}\n${issuer}\n${key}\n`,
		);
	});

	it("contain each certificate once", () => {
		assert.equal(joinPEM([server, `${server}\n${issuer}`, key]), `${server}\n${issuer}\n${key}\n`);
	});

	it("keep an encrypted key, so that the gateway reports it", () => {
		const encrypted = block("ENCRYPTED PRIVATE KEY", "five");
		assert.equal(joinPEM([encrypted, server]), `${server}\n${encrypted}\n`);
	});

	it("are sent unchanged if they contain no PEM", () => {
		assert.equal(joinPEM(["", ""]).trim(), "");
		assert.match(joinPEM(["nonsense"]), /nonsense/);
	});
});
