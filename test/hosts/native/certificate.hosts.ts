import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, createHmac, createPrivateKey, randomInt, X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeCrypto } from "../../../hosts/node/platform.js";
import {
	CERTIFICATES_DAMAGED,
	CERTIFICATES_UNSUPPORTED,
	CERTIFICATES_WELL,
	type CertificateFile,
	KEY_TYPE_EC,
	KEY_TYPE_RSA,
	PRIVATE_KEY_ENCRYPTED,
	PRIVATE_KEY_MATCHES,
	PRIVATE_KEY_UNREADABLE,
} from "../../../modules/io/crypto.js";
import { certificateFiles } from "../certificate-files.js";
import {
	AUTHORITY,
	convertKey,
	HEAVY_RSA,
	type Made,
	make,
	makeKey,
	missingOpenSSL,
	openssl,
	rsa,
	SLOW_RSA,
} from "../openssl.js";
import { compileNative, missingForNative, skipBecause } from "./compile.js";

const FUZZ_ROUNDS = 4000;
const ec = (curve: string) => ["EC", "-pkeyopt", `ec_paramgen_curve:${curve}`];
const remakeNoise = "# the unit's own\n";
const joined = ({ certificate, key }: Made) => certificate + key;

describe("Certificates and digests in C", function () {
	this.timeout(60_000);
	const crypto = new NodeCrypto();
	let folder = "";
	let program = "";

	before(function () {
		const reason = missingForNative() ?? missingOpenSSL();
		if (reason !== undefined) skipBecause(this, reason);
		folder = mkdtempSync(join(tmpdir(), "certificate-"));
		const sources = ["certificate", "certificate-make", "certificate-name", "digest", "ipv4"];
		program = compileNative({
			sources: [...sources.map((name) => `hosts/native/${name}.c`), "test/hosts/native/certificate-peer.c"],
			output: "certificate-peer",
			libraries: ["mbedx509", "mbedcrypto"],
		});
	});
	after(() => {
		if (folder) rmSync(folder, { recursive: true });
	});

	function run(...args: string[]): string {
		const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: folder });
		assert.equal(stderr, "", args.join(" "));
		assert.equal(status, 0, `${args.join(" ")}: ${status}`);
		return stdout;
	}

	/** Contents that the C code reads from each file, compared with Node's. */
	function readAll(files: readonly (string | Uint8Array)[]): CertificateFile[] {
		const names = files.map((_, index) => `read-${index}`);
		for (const [index, file] of files.entries()) writeFileSync(join(folder, names[index]), file);
		const lines = run("read", ...names)
			.trimEnd()
			.split("\n");
		const results = lines.map((line): CertificateFile => JSON.parse(line));
		assert.equal(results.length, files.length);
		for (const [index, file] of files.entries())
			assert.deepEqual(results[index], crypto.readCertificates(new Uint8Array(Buffer.from(file))), `file ${index}`);
		return results;
	}

	function read(file: string | Uint8Array): CertificateFile {
		return readAll([file])[0];
	}

	it("reads EC and RSA certificates of every size, with their keys", () => {
		const kinds: [key: string, keyType: number, keyBits: number][] = [
			[makeKey(ec("P-256")), KEY_TYPE_EC, 256],
			[makeKey(ec("P-384")), KEY_TYPE_EC, 384],
			[makeKey(ec("P-521")), KEY_TYPE_EC, 521],
			[rsa(1024), KEY_TYPE_RSA, 1024],
			[rsa(2048), KEY_TYPE_RSA, 2048],
			[rsa(4096), KEY_TYPE_RSA, 4096],
		];
		for (const [key, keyType, keyBits] of kinds) {
			const made = make({ subject: `/CN=${keyBits}`, key });
			const file = read(joined(made));
			const [{ keyType: type, keyBits: bits }] = file.certificates;
			assert.deepEqual([type, bits, file.key], [keyType, keyBits, PRIVATE_KEY_MATCHES]);
			const traditional = convertKey(made.key, keyType === KEY_TYPE_EC ? ["ec"] : ["rsa", "-traditional"]);
			assert.notEqual(traditional, made.key);
			assert.equal(read(made.certificate + traditional).key, PRIVATE_KEY_MATCHES);
			assert.equal(read(traditional + made.certificate).key, PRIVATE_KEY_MATCHES);
		}
	});

	it("reports kinds of keys, signatures and extensions that it doesn't support", () => {
		for (const algorithm of [["ED25519"], ["ED448"], ec("secp256k1"), ec("brainpoolP256r1"), ["RSA-PSS"]]) {
			const made = make({ subject: "/CN=x", algorithm });
			assert.equal(read(made.certificate).problem, CERTIFICATES_UNSUPPORTED, algorithm.join());
			assert.equal(read(made.key).key, PRIVATE_KEY_UNREADABLE, algorithm.join());
		}
		const modern = make({ subject: "/CN=ca", algorithm: ["ED25519"], extensions: AUTHORITY });
		assert.equal(read(make({ subject: "/CN=x", issuer: modern }).certificate).problem, CERTIFICATES_UNSUPPORTED);
		const odd = make({ subject: "/CN=x", extensions: ["1.2.3.4=critical,ASN1:NULL"] });
		assert.equal(read(odd.certificate).problem, CERTIFICATES_UNSUPPORTED);
		const extra = make({ subject: "/CN=x", extensions: ["1.2.3.4=ASN1:NULL", "keyUsage=critical,digitalSignature"] });
		assert.equal(read(extra.certificate).problem, CERTIFICATES_WELL);
	});

	it("rejects RSA keys with which verifying takes long, and verifies no signature with them", () => {
		const kinds: [name: string, key: string, isKnown: boolean][] = [
			["3", rsa("2048-exponent-3"), true],
			// The primes next to 2^32.
			["below", rsa("2048-exponent-4294967291"), true],
			["above", rsa("2048-exponent-4294967311"), false],
			["4104", rsa(4104), false],
			["heavy", HEAVY_RSA, false],
			["slow", SLOW_RSA, false],
		];
		for (const [name, key, isKnown] of kinds) {
			const root = make({ subject: "/CN=Root", key, extensions: AUTHORITY });
			const leaf = make({ subject: "/CN=Leaf", issuer: root });
			const file = read(leaf.certificate + root.certificate + leaf.key);
			assert.equal(file.problem, isKnown ? CERTIFICATES_WELL : CERTIFICATES_UNSUPPORTED, name);
			assert.deepEqual(
				file.certificates.map(({ issuedByNext }) => issuedByNext),
				isKnown ? [true, false] : [false],
			);
			assert.equal(file.key, PRIVATE_KEY_MATCHES);
		}
		assert.equal(read(rsa(4104)).key, PRIVATE_KEY_UNREADABLE);
	});

	it("recognises keys encrypted by any cipher", () => {
		const keys = [makeKey(), rsa(2048)];
		for (const key of keys) {
			for (const cipher of ["-aes128", "-aes256", "-des3"]) {
				const encrypted = convertKey(key, ["pkey", cipher, "-passout", "pass:secret"]);
				assert.match(encrypted, /BEGIN ENCRYPTED PRIVATE KEY/);
				assert.equal(read(encrypted).key, PRIVATE_KEY_ENCRYPTED);
				const form = key === keys[0] ? ["ec"] : ["rsa", "-traditional"];
				const withLine = convertKey(key, [...form, cipher, "-passout", "pass:secret"]);
				assert.match(withLine, /Proc-Type: 4,ENCRYPTED/);
				assert.equal(read(withLine).key, PRIVATE_KEY_ENCRYPTED);
			}
		}
	});

	it("finds out which certificate has signed which, in every order", () => {
		const root = make({ subject: "/CN=Root", key: rsa(2048), extensions: AUTHORITY });
		const middle = make({ subject: "/CN=Middle", issuer: root, extensions: AUTHORITY, days: -1 });
		const leaf = make({ subject: "/CN=Leaf", issuer: middle });
		const other = make({ subject: "/CN=Middle", extensions: AUTHORITY });
		const noAuthority = make({ subject: "/CN=Middle", extensions: ["basicConstraints=CA:FALSE"] });
		const byNoAuthority = make({ subject: "/CN=Leaf", issuer: noAuthority });
		const noSigner = make({ subject: "/CN=Middle", extensions: [AUTHORITY[0], "keyUsage=digitalSignature"] });
		const byNoSigner = make({ subject: "/CN=Leaf", issuer: noSigner });
		const issued = (...chain: Made[]) =>
			read(chain.map(({ certificate }) => certificate).join(""))
				.certificates.map(({ issuedByNext }) => (issuedByNext ? "y" : "n"))
				.join("");
		assert.equal(issued(leaf, middle, root), "yyn");
		assert.equal(issued(leaf, root, middle), "nnn");
		assert.equal(issued(root, middle, leaf), "nnn");
		assert.equal(issued(middle, leaf, root), "nnn");
		assert.equal(issued(leaf, other, root), "nnn");
		assert.equal(issued(leaf, leaf), "nn");
		assert.equal(issued(root, root), "yn");
		assert.equal(issued(byNoAuthority, noAuthority), "nn");
		assert.equal(issued(byNoSigner, noSigner), "nn");
		assert.equal(issued(leaf, middle, root, leaf, middle, root), "yynyyn");
		assert.ok(read(middle.certificate).certificates[0].validToMs < Date.now());
	});

	it("verifies signatures of every usual kind", () => {
		const authority = make({ subject: "/CN=Root", key: rsa(2048), extensions: AUTHORITY });
		const key = makeKey();
		const request = openssl(["req", "-new", "-key", "key", "-subj", "/CN=x"], { key }).toString();
		// Without SHA-224, which the chip does not have (crypto-config.h).
		const kinds = ["sha1", "sha256", "sha384", "sha512"].map((hash) => [`-${hash}`]);
		kinds.push(["-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"]);
		for (const kind of kinds) {
			const signer = ["-CA", "ca", "-CAkey", "cakey", "-CAcreateserial", "-days", "30"];
			const certificate = openssl(["x509", "-req", "-in", "request", ...signer, ...kind], {
				request,
				ca: authority.certificate,
				cakey: authority.key,
			}).toString();
			assert.equal(read(certificate + authority.certificate).certificates[0].issuedByNext, true, kind.join(" "));
		}
	});

	it("formats names of every string type as text", () => {
		const subjects: [subject: string, text: string][] = [
			["/CN=a+O=b/C=DE", "C=DE, CN=a+O=b"],
			["/DC=org/DC=example/UID=u/CN=x", "CN=x, UID=u, DC=example, DC=org"],
			["/CN= #a#b ", "CN=\\ #a#b\\ "],
			["/CN=#", "CN=\\#"],
			["/CN= ", "CN=\\ "],
			['/CN=a,b;c<d>e"f\\\\g\\+h', 'CN=a\\,b\\;c\\<d\\>e\\"f\\\\g\\+h'],
			["/CN=line\nfeed", "CN=line\\0afeed"],
			["/CN=żółw 𝄞 💡", "CN=żółw 𝄞 💡"],
			[
				"/emailAddress=a@b.c/street=Long Street/L=Köln/ST=NRW",
				"ST=NRW, L=Köln, STREET=Long Street, emailAddress=a@b.c",
			],
			["/title=Dr/GN=Ada/name=x", "2.5.4.41=x, 2.5.4.42=Ada, 2.5.4.12=Dr"],
		];
		for (const [subject, text] of subjects)
			assert.equal(read(make({ subject }).certificate).certificates[0].subject, text, subject);
		const authority = make({ subject: "/CN=ca", extensions: AUTHORITY });
		const nameless = make({ subject: "/", issuer: authority, extensions: ["subjectAltName=critical,DNS:x"] });
		assert.equal(read(nameless.certificate).certificates[0].subject, "");
		assert.equal(read(make({ subject: "/" }).certificate).problem, CERTIFICATES_DAMAGED);
	});

	it("cuts a name of more than 255 bytes after a whole character", () => {
		const long = (text: string, times: number) => `/${Array(times).fill(`OU=${text}`).join("/")}/CN=end`;
		const texts = ["x".repeat(64), "ż".repeat(32), "💡".repeat(16), "\\+".repeat(40)];
		const subjects = texts.flatMap((text) => [3, 4, 30].map((times) => long(text, times)));
		for (let i = 0; i < 9; i++)
			subjects.push(`/L=${"z".repeat(110 + i)}/OU=${"x".repeat(64)}/O=${"y".repeat(64)}/CN=end`);
		for (const { certificates } of readAll(subjects.map((subject) => make({ subject }).certificate))) {
			const { subject } = certificates[0];
			assert.ok(Buffer.byteLength(subject) <= 255 && subject.startsWith("CN=end, O"), subject);
		}
	});

	it("reads every string type, and rejects malformed or unusual strings", () => {
		const der = Buffer.from(new X509Certificate(make({ subject: "/CN=abcd" }).certificate).raw);
		const types: [tag: number, contents: string, text: string | undefined][] = [
			[12, "c3a4c3b6", "äö"],
			[12, "f09f92a1", "💡"],
			[12, "c080c080", undefined],
			[12, "eda08061", undefined],
			[12, "616161c3", undefined],
			[12, "f4908080", undefined],
			[19, "61402a26", "a@*&"],
			[19, "616161e4", undefined],
			[20, "e4f6fc61", "äöüa"],
			[22, "61626364", "abcd"],
			[22, "616161e4", undefined],
			[28, "0001f4a1", "💡"],
			[28, "00110000", undefined],
			[28, "0000d800", undefined],
			[30, "00e420ac", "ä€"],
			[30, "d83dde00", undefined],
			[12, "00616162", "\\00aab"],
			[4, "61616161", undefined],
			[2, "01020304", undefined],
		];
		for (const [tag, contents, text] of types) {
			const changed = Buffer.from(der);
			const value = Buffer.concat([Buffer.of(tag, 4), Buffer.from(contents, "hex")]);
			for (let at = changed.indexOf("\x0c\x04abcd"); at >= 0; at = changed.indexOf("\x0c\x04abcd"))
				value.copy(changed, at);
			const { certificates, problem } = read(changed);
			assert.equal(certificates[0]?.subject, text === undefined ? undefined : `CN=${text}`, `${tag} ${contents}`);
			assert.equal(problem, text === undefined ? CERTIFICATES_DAMAGED : CERTIFICATES_WELL);
		}
	});

	it("reads PEM text in all its common forms", () => {
		const made = make({ subject: "/CN=x", extensions: [`subjectAltName=${manyNames(150)}`] });
		const text = joined(made);
		const readable = openssl(["x509", "-in", "file", "-text"], { file: made.certificate }).toString();
		const forms = [
			text.replaceAll("\n", "\r\n"),
			text.replaceAll("\n", " \n"),
			`\ufeffBag Attributes\n  name: x\n${readable}\n\n\nkey:\n${made.key}`,
			text.trimEnd(),
			`# hello\n-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n${text}`,
			`-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${text}`,
			`${made.key}${made.certificate}`,
			`-----BEGIN CERTIFICATE ${text}`,
		];
		for (const form of forms) {
			const { certificates, problem, key } = read(form);
			assert.deepEqual(
				[certificates.length, problem, key],
				[1, CERTIFICATES_WELL, PRIVATE_KEY_MATCHES],
				form.slice(0, 60),
			);
		}
		for (const [name, contents] of Object.entries(certificateFiles())) assert.ok(read(contents), name);
		assert.equal(read(text.replaceAll("\n", "\r")).problem, CERTIFICATES_DAMAGED);
		assert.equal(read(made.certificate.replace("MII", "MI*I")).problem, CERTIFICATES_DAMAGED);
	});

	it("does not accept a truncated file as complete", () => {
		const text = joined(make({ subject: "/CN=x" }));
		// The last line break is not required.
		const cut = Array.from({ length: text.length - 1 }, (_, length) => text.slice(0, length));
		for (const { certificates, key } of readAll(cut))
			assert.ok(certificates.length === 0 || key !== PRIVATE_KEY_MATCHES);
	});

	it("makes certificates that OpenSSL and Node accept, with their times and names", () => {
		const [from, to] = [Date.UTC(2026, 1, 28, 23, 59, 59, 999), Date.UTC(2036, 1, 29, 12)];
		const text = run("make", `${from}`, `${to}`, "smgw-a1b2c3", "smgw-a1b2c3.local");
		const certificate = new X509Certificate(text);
		assert.ok(certificate.verify(certificate.publicKey));
		assert.ok(certificate.checkPrivateKey(createPrivateKey(text)));
		assert.equal(certificate.subjectAltName, "DNS:smgw-a1b2c3, DNS:smgw-a1b2c3.local");
		assert.equal(certificate.subject, "CN=smgw-a1b2c3");
		const long = ["g".repeat(64), ...Array.from({ length: 3 }, () => "g".repeat(253))];
		for (const parts of [["O=Meters & Sons (Europe)"], ["O=Meters & Sons (Europe)", "OU=Gate Way"], ["OU=Gate Way"]]) {
			const made = new X509Certificate(run("make", `${from}`, `${to}`, ...parts, "gateway"));
			assert.deepEqual([made.subject, made.issuer], Array(2).fill([...parts, "CN=gateway"].join("\n")));
		}
		const longest = [`O=${"o".repeat(64)}`, `OU=${"u".repeat(64)}`];
		assert.match(run("make", `${from}`, `${to}`, ...longest, ...long), /^-----BEGIN/);
		for (const bad of ["o".repeat(65), "a,b", "a\\b", "a+b", "a=b", "Söhne"])
			assert.equal(run("make", `${from}`, `${to}`, `O=${bad}`, "gateway"), "refused\n", bad);
		assert.equal(certificate.ca, false);
		assert.deepEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
		assert.match(certificate.serialNumber, /^[4-7][0-9A-F]{31}$/);
		assert.equal(
			openssl(["verify", "-x509_strict", "-CAfile", "file", "file"], { file: text }).toString(),
			"file: OK\n",
		);
		const shown = openssl(["x509", "-in", "file", "-text", "-noout"], { file: text }).toString();
		assert.match(shown, /Version: 3/);
		assert.match(shown, /Signature Algorithm: ecdsa-with-SHA256/);
		assert.match(shown, /Basic Constraints: critical\s+CA:FALSE/);
		assert.match(shown, /Key Usage: critical\s+Digital Signature\n/);
		assert.match(shown, /ASN1 OID: prime256v1/);
		const { certificates, key } = read(text);
		assert.deepEqual(certificates[0].validFromMs, Date.UTC(2026, 1, 28, 23, 59, 59));
		assert.equal(certificates[0].validToMs, to);
		assert.equal(key, PRIVATE_KEY_MATCHES);
	});

	it("makes certificates for addresses that OpenSSL and Node accept", () => {
		const [from, to] = [`${Date.UTC(2026, 1, 28)}`, `${Date.UTC(2036, 1, 29)}`];
		const names = ["gateway", "gateway.local", "192.168.4.1", "10.0.0.255"];
		const text = run("make", from, to, ...names);
		const certificate = new X509Certificate(text);
		const alternatives = "DNS:gateway, DNS:gateway.local, IP Address:192.168.4.1, IP Address:10.0.0.255";
		assert.equal(certificate.subjectAltName, alternatives);
		assert.equal(certificate.checkIP("10.0.0.255"), "10.0.0.255");
		const shown = openssl(["x509", "-in", "file", "-text", "-noout"], { file: text }).toString();
		assert.ok(shown.includes(alternatives), shown);
		openssl(["verify", "-x509_strict", "-verify_ip", "192.168.4.1", "-CAfile", "file", "file"], { file: text });
		// Texts that only resemble an address are names.
		const nearly = new X509Certificate(run("make", from, to, "192.168.4.01", "192.168.4.256", "192.168.4", "0.0.0.0"));
		assert.equal(nearly.subjectAltName, "DNS:192.168.4.01, DNS:192.168.4.256, DNS:192.168.4, IP Address:0.0.0.0");
	});

	it("keeps the key of a file, and makes a new one if the file has no supported key", () => {
		const [from, to] = [`${Date.UTC(2026, 1, 28)}`, `${Date.UTC(2036, 1, 29)}`];
		const first = run("make", from, to, "first");
		const keyOf = (text: string) => new X509Certificate(text).publicKey.export({ type: "spki", format: "der" });
		const remake = (file: string | Uint8Array) => {
			writeFileSync(join(folder, "before"), file);
			const text = run("remake", "before", from, to, "second");
			assert.equal(read(text).key, PRIVATE_KEY_MATCHES);
			return keyOf(text);
		};
		const privateKey = first.slice(first.indexOf("-----BEGIN EC"));
		const pkcs8 = convertKey(privateKey, ["pkcs8", "-topk8", "-nocrypt"]);
		for (const file of [first, privateKey, pkcs8, `${remakeNoise}${first}`])
			assert.deepEqual(remake(file), keyOf(first), file.slice(0, 40));
		const others = ["", "hello", privateKey.slice(0, 100), makeKey(ec("P-384")), rsa(2048)];
		for (const file of others) assert.equal(remake(file).length, keyOf(first).length, file.slice(0, 40));
		for (const file of others) assert.notDeepEqual(remake(file), keyOf(first), file.slice(0, 40));
	});

	it("writes dates from 2000 to 9999, and rejects other dates and unusable names", () => {
		const first = Date.UTC(2000, 0, 1);
		const last = Date.UTC(9999, 11, 31, 23, 59, 59);
		const days = [first, Date.UTC(2000, 1, 29), Date.UTC(2049, 11, 31, 23, 59, 59), Date.UTC(2050, 0, 1), last];
		days.push(Date.UTC(2100, 1, 28), Date.UTC(2100, 2, 1), Date.UTC(2400, 1, 29), Date.UTC(2027, 11, 31));
		for (const day of days) {
			const [details] = read(run("make", `${day}`, `${day}`, "x")).certificates;
			assert.deepEqual([details.validFromMs, details.validToMs], [day, day]);
		}
		const long = "a".repeat(253);
		assert.equal(read(run("make", `${first}`, `${last}`, "b".repeat(64), long, long, long)).key, PRIVATE_KEY_MATCHES);
		const refused = [
			["x,y"],
			["x\n"],
			["ä"],
			[""],
			["b".repeat(65)],
			["x", `${long}a`],
			["x", "x", "x", "x", "x"],
			[],
		].map((names) => [`${first}`, `${last}`, ...names]);
		refused.push(
			[`${first - 1}`, `${last}`, "x"],
			[`${first}`, `${last + 1000}`, "x"],
			["2000000000000", `${first}`, "x"],
		);
		for (const args of refused) assert.equal(run("make", ...args), "refused\n", args.join(" "));
	});

	it("computes the same hashes as Node, in any number of parts and with a key of any length", () => {
		for (const length of [0, 1, 55, 56, 63, 64, 65, 1000]) {
			const bytes = Buffer.alloc(length, "abc");
			writeFileSync(join(folder, "bytes"), bytes);
			for (const key of ["", "k", "k".repeat(64), "k".repeat(65), "k".repeat(200)]) {
				const [sha, hmac, random] = run("digest", `${1 + (length % 3)}`, key, "bytes").split("\n");
				assert.equal(sha, createHash("sha256").update(bytes).digest("hex"));
				assert.equal(hmac, createHmac("sha256", key).update(bytes).digest("hex"));
				assert.notEqual(random, run("digest", "1", key, "bytes").split("\n")[2]);
			}
		}
	});

	it(`reads ${FUZZ_ROUNDS} damaged files without harm`, function () {
		const seed = process.env["SEED"] ?? `${randomInt(1, 2 ** 32)}`;
		this.test!.title += ` (SEED=${seed})`;
		for (const [name, contents] of Object.entries(certificateFiles()))
			writeFileSync(join(folder, `fuzz-${name}`), contents);
		const files = readdirSync(folder).filter((name) => name.startsWith("fuzz-"));
		assert.ok(files.every((name) => readFileSync(join(folder, name)).length < 12288));
		try {
			assert.match(run("fuzz", seed, `${FUZZ_ROUNDS}`, ...files), /^problems \d+/);
		} catch (error) {
			throw new Error(`SEED=${seed}: ${(error as Error).message}`);
		}
	});
});

function manyNames(count: number): string {
	return Array.from({ length: count }, (_, i) => `DNS:host-${i}.example`).join(",");
}
