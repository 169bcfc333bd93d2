/** Checks of the host contract: cryptography without certificates. Portable. */
import { decodeHex, encodeHex } from "../../../modules/bytes/hex.js";
import { P256_POINT_LENGTH } from "../../../modules/io/crypto.js";
import { expect, expectBytes, expectEqual, expectRangeError, frozen, pattern } from "./check.js";

const ascii = (text: string) => new Uint8Array([...text].map((character) => character.charCodeAt(0)));
const hex = (bytes: Uint8Array) => String.fromCharCode(...encodeHex(bytes));
const unhex = (text: string) => decodeHex(ascii(text), 0, text.length)!;

/** Base point G of P-256 (SEC 2, 2.4.2). */
const BASE_X = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
const BASE_Y = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
/** Order of P-256. */
const ORDER = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
/** The key of RFC 6979, A.2.5, and its signature of "sample" with SHA-256. */
const SIGNER =
	"0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
const SAMPLE_R = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716";
const SAMPLE_S = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";

/** Invalid points of P-256 in uncompressed form, with the reason. */
function wrongPoints(): [reason: string, point: Uint8Array][] {
	const points: [string, string][] = [
		["nothing", ""],
		["the point at infinity", "00"],
		["a compressed point", `03${BASE_X}`],
		["a byte too few", `04${BASE_X}${BASE_Y.slice(2)}`],
		["a byte too many", `04${BASE_X}${BASE_Y}00`],
		["a hybrid point (SEC 1, 2.3.3 has none)", `07${BASE_X}${BASE_Y}`],
		["zeros, 4 in front", `04${"00".repeat(64)}`],
		["y + 1", `04${BASE_X}${BASE_Y.slice(0, -1)}6`],
		["x and y the wrong way round", `04${BASE_Y}${BASE_X}`],
		// The point with x = 5, with the field's prime added to x.
		[
			"an x beyond the field",
			"04ffffffff00000001000000000000000000000001000000000000000000000004459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc",
		],
	];
	return points.map(([reason, text]) => [reason, unhex(text)]);
}

export const cryptoChecks = frozen([
	{
		name: "SHA-256 is that of FIPS 180-4, in one part or several",
		async run({ crypto }) {
			const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
			const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
			const twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
			expectEqual(hex(crypto.sha256(ascii("abc"))), abc, "abc");
			expectEqual(hex(crypto.sha256(ascii("a"), ascii(""), ascii("bc"))), abc, "a, nothing, bc");
			expectEqual(hex(crypto.sha256()), empty, "no part");
			expectEqual(hex(crypto.sha256(new Uint8Array(0))), empty, "an empty part");
			expectEqual(
				hex(crypto.sha256(ascii(twoBlocks))),
				"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
				"two blocks",
			);
		},
	},
	{
		name: "a hash of pieces is the hash of the whole, also while a second hash is running",
		async run({ crypto }) {
			const bytes = pattern(3000);
			const [first, second] = [crypto.hash(), crypto.hash()];
			for (const [start, end] of [
				[0, 0],
				[0, 1],
				[1, 64],
				[64, 65],
				[65, 2048],
			]) {
				first.update(bytes, start, end);
				second.update(bytes.subarray(start, end));
			}
			first.update(bytes, 2048);
			expectBytes(first.digest(), crypto.sha256(bytes), "the hash of all");
			expectBytes(second.digest(), crypto.sha256(bytes.subarray(0, 2048)), "the hash of a part");
			expectBytes(crypto.hash().digest(), crypto.sha256(), "the hash of nothing");
			for (const late of [() => first.update(bytes), () => first.digest()]) {
				let refused = false;
				try {
					late();
				} catch {
					refused = true;
				}
				expect(refused, "an update after the result");
			}
			// These become garbage, including their memory in the host.
			for (let i = 0; i < 500; i++) crypto.hash().update(bytes, 0, 100);
		},
	},
	{
		name: "a signature on P-256 is valid as in RFC 6979, and invalid for another message or key, or if it is changed",
		async run({ crypto }) {
			const key = unhex(SIGNER);
			const good = unhex(SAMPLE_R + SAMPLE_S);
			const sample = ascii("sample");
			expect(crypto.verifyP256(key, sample, good), "the signature of sample");
			const test = unhex(
				"f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
			);
			expect(crypto.verifyP256(key, ascii("test"), test), "the signature of test");
			expect(!crypto.verifyP256(key, sample, test), "the signature of another message");
			expect(!crypto.verifyP256(key, ascii("Sample"), good), "a changed message");
			expect(!crypto.verifyP256(key, new Uint8Array(0), good), "no message");
			expect(!crypto.verifyP256(unhex(`04${BASE_X}${BASE_Y}`), sample, good), "another key");
			for (const at of [0, 31, 32, 63]) {
				const changed = good.slice();
				changed[at] ^= 1;
				expect(!crypto.verifyP256(key, sample, changed), `another byte ${at}`);
			}
		},
	},
	{
		name: "a signature on P-256 is invalid if r or s is out of range, the length is wrong, or the point is invalid",
		async run({ crypto }) {
			const key = unhex(SIGNER);
			const sample = ascii("sample");
			const zero = "00".repeat(32);
			const last = "ff".repeat(32);
			for (const out of [zero, ORDER, last]) {
				expect(!crypto.verifyP256(key, sample, unhex(out + SAMPLE_S)), `r is ${out}`);
				expect(!crypto.verifyP256(key, sample, unhex(SAMPLE_R + out)), `s is ${out}`);
				expect(!crypto.verifyP256(key, sample, unhex(out + out)), `both are ${out}`);
			}
			const good = unhex(SAMPLE_R + SAMPLE_S);
			for (const length of [0, 1, 63])
				expect(!crypto.verifyP256(key, sample, good.subarray(0, length)), `${length} bytes`);
			expect(!crypto.verifyP256(key, sample, unhex(`${SAMPLE_R}${SAMPLE_S}00`)), "65 bytes");
			// The same signature in the form of X.509.
			const der = unhex(`3046022100${SAMPLE_R}022100${SAMPLE_S}`);
			expect(!crypto.verifyP256(key, sample, der), "as DER");
			for (const [reason, point] of wrongPoints()) expect(!crypto.verifyP256(point, sample, good), reason);
		},
	},
	{
		name: "an agreement on P-256 returns x of the shared point, with a new key each time",
		async run({ crypto }) {
			// d × G is the new public key, so x of both is the same; x of -G gives the same too.
			const negative = "b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a";
			let before = "";
			for (const y of [BASE_Y, negative, BASE_Y]) {
				const { publicKey, secret } = crypto.agreeP256(unhex(`04${BASE_X}${y}`));
				expectEqual(publicKey.length, P256_POINT_LENGTH, "length of the public key");
				expectEqual(publicKey[0], 4, "form of the public key");
				expectBytes(secret, publicKey.subarray(1, 33), "x of the shared point");
				expect(hex(publicKey) !== before, "the same key twice");
				before = hex(publicKey);
				// The new public key is on the curve, because another agreement accepts it.
				expectEqual(crypto.agreeP256(publicKey).secret.length, 32, "length of the secret");
			}
		},
	},
	{
		name: "an agreement on P-256 rejects invalid points",
		async run({ crypto }) {
			for (const [reason, point] of wrongPoints()) expectRangeError(() => crypto.agreeP256(point), reason);
		},
	},
	{
		name: "AES-128-GCM is that of NIST SP 800-38D, and of a DLMS message (Green Book, HLS with GMAC)",
		async run({ crypto }) {
			const none = new Uint8Array(0);
			const cases: [key: string, iv: string, associated: string, text: string, result: string][] = [
				// Test cases 1, 2 and 4 of "The Galois/Counter Mode of Operation" (McGrew, Viega).
				["00".repeat(16), "00".repeat(12), "", "", "58e2fccefa7e3061367f1d57a4e7455a"],
				[
					"00".repeat(16),
					"00".repeat(12),
					"",
					"00".repeat(16),
					"0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf",
				],
				[
					"feffe9928665731c6d6a8f9467308308",
					"cafebabefacedbaddecaf888",
					"feedfacedeadbeeffeedfacedeadbeefabaddad2",
					"d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
					"42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47",
				],
			];
			for (const [key, iv, associated, text, result] of cases) {
				const sealed = crypto.aes128GCM(unhex(key), unhex(iv), unhex(associated), unhex(text));
				expectEqual(hex(sealed), result, "encrypted, with its tag");
				const again = crypto.aes128GCM(unhex(key), unhex(iv), none, sealed.subarray(0, text.length / 2));
				expectEqual(hex(again.subarray(0, text.length / 2)), text, "encrypted twice");
			}
			const key = unhex("000102030405060708090a0b0c0d0e0f");
			const iv = unhex("4d4d4d000000000100000001");
			const associated = unhex("10d0d1d2d3d4d5d6d7d8d9dadbdcdddedf503677524a323146");
			const tag = crypto.aes128GCM(key, iv, associated, none);
			expectEqual(hex(tag.subarray(0, 12)), "1a52fe7dd3e72748973c1e28", "GMAC of the server's challenge");
			const long = crypto.aes128GCM(key, iv, associated, pattern(2000));
			expectEqual(long.length, 2016, "length for 2000 bytes");
			expectRangeError(() => crypto.aes128GCM(key.subarray(1), iv, none, none), "a key of 15 bytes");
			expectRangeError(() => crypto.aes128GCM(pattern(24), iv, none, none), "a key of 24 bytes");
			expectRangeError(() => crypto.aes128GCM(key, iv.subarray(1), none, none), "an IV of 11 bytes");
			expectRangeError(() => crypto.aes128GCM(key, pattern(13), none, none), "an IV of 13 bytes");
		},
	},
	{
		name: "AES-128-CBC decrypts the vectors of NIST SP 800-38A, F.2.2, and telegrams by their own IV",
		async run({ crypto }) {
			const key = unhex("2b7e151628aed2a6abf7158809cf4f3c");
			const iv = unhex("000102030405060708090a0b0c0d0e0f");
			const blocks: [sealed: string, text: string][] = [
				["7649abac8119b246cee98e9b12e9197d", "6bc1bee22e409f96e93d7e117393172a"],
				["5086cb9b507219ee95db113a917678b2", "ae2d8a571e03ac9c9eb76fac45af8e51"],
				["73bed6b8e3c1743b7116e69e22229516", "30c81c46a35ce411e5fbc1191a0a52ef"],
				["3ff1caa1681fac09120eca307586e1a7", "f69f2445df4f9b17ad2b417be66c3710"],
			];
			let before = iv;
			for (const [sealed, text] of blocks) {
				expectEqual(hex(crypto.aes128CBCDecrypt(key, before, unhex(sealed))), text, "one block");
				before = unhex(sealed);
			}
			const all = unhex(blocks.map(([sealed]) => sealed).join(""));
			const texts = blocks.map(([, text]) => text).join("");
			expectEqual(hex(crypto.aes128CBCDecrypt(key, iv, all)), texts, "four blocks");
			const inside = new Uint8Array(all.length + 3);
			inside.set(all, 3);
			expectEqual(hex(crypto.aes128CBCDecrypt(key, iv, inside.subarray(3))), texts, "a part of a buffer");
			expectEqual(hex(all), blocks.map(([sealed]) => sealed).join(""), "the ciphertext is unchanged");
			for (const length of [0, 15, 17]) {
				const text = pattern(length);
				expectRangeError(() => crypto.aes128CBCDecrypt(key, iv, text), `a text of ${length} bytes`);
			}
			for (const length of [15, 24]) {
				expectRangeError(() => crypto.aes128CBCDecrypt(pattern(length), iv, all), `a key of ${length} bytes`);
				expectRangeError(() => crypto.aes128CBCDecrypt(key, pattern(length), all), `an IV of ${length} bytes`);
			}
		},
	},
	{
		name: "HMAC-SHA-256 is that of RFC 4231, in one part or several",
		async run({ crypto }) {
			const cases: [key: Uint8Array, data: Uint8Array, mac: string][] = [
				[
					new Uint8Array(20).fill(0x0b),
					ascii("Hi There"),
					"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
				],
				[
					ascii("Jefe"),
					ascii("what do ya want for nothing?"),
					"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
				],
				[
					new Uint8Array(20).fill(0xaa),
					new Uint8Array(50).fill(0xdd),
					"773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
				],
				[
					unhex("0102030405060708090a0b0c0d0e0f10111213141516171819"),
					new Uint8Array(50).fill(0xcd),
					"82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
				],
				[
					new Uint8Array(131).fill(0xaa),
					ascii("Test Using Larger Than Block-Size Key - Hash Key First"),
					"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
				],
			];
			for (const [key, data, mac] of cases) {
				expectEqual(hex(crypto.hmacSHA256(key, data)), mac, "one part");
				expectEqual(hex(crypto.hmacSHA256(key, data.subarray(0, 3), data.subarray(3))), mac, "two parts");
			}
		},
	},
	{
		name: "random bytes have the requested length and differ",
		async run({ crypto }) {
			for (const length of [0, 1, 32, 4096]) expectEqual(crypto.random(length).length, length, "length");
			const first = hex(crypto.random(16));
			expect(hex(crypto.random(16)) !== first, "the same twice");
		},
	},
]);
