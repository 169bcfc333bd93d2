/** Checks of the host contract: clock, timers, storage, cryptography, text and resources. Portable. */
import { decodeHex, encodeHex } from "../../../modules/bytes/hex.js";
import { expect, expectBytes, expectEqual, expectRangeError, frozen, pattern, sleep } from "./check.js";

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const hex = (bytes: Uint8Array) => String.fromCharCode(...encodeHex(bytes));
const unhex = (text: string) => decodeHex(ascii(text), 0, text.length)!;

export const basicChecks = frozen([
	{
		name: "the monotonic clock goes on and never back",
		async run(host) {
			const startMs = host.clock.monotonicMs();
			let lastMs = startMs;
			for (let i = 0; i < 5; i++) {
				await sleep(host, 5);
				expect(host.clock.monotonicMs() >= lastMs, "the clock went back");
				lastMs = host.clock.monotonicMs();
			}
			expect(lastMs - startMs >= 25, `five waits of 5 ms took ${lastMs - startMs} ms`);
			expect(lastMs - startMs < 1000, `five waits of 5 ms took ${lastMs - startMs} ms`);
		},
	},
	{
		name: "the clock that was set runs on from there",
		async run(host) {
			host.clock.setUTC(1_704_067_200_000);
			const setMs = host.clock.utcMs()!;
			expect(setMs >= 1_704_067_200_000 && setMs < 1_704_067_200_500, `shows ${setMs} after it was set`);
			await sleep(host, 30);
			const laterMs = host.clock.utcMs()! - setMs;
			expect(laterMs >= 29 && laterMs < 1000, `${laterMs} ms went by in 30`);
		},
	},
	{
		name: "timers call back once, in the order of their times, and never early",
		async run(host) {
			const order: number[] = [];
			const startMs = host.clock.monotonicMs();
			for (const delayMs of [30, 10, 20, 0]) {
				host.timers.set(() => {
					const tookMs = host.clock.monotonicMs() - startMs;
					expect(tookMs >= delayMs, `a timer of ${delayMs} ms called back after ${tookMs} ms`);
					order.push(delayMs);
				}, delayMs);
			}
			expectEqual(order.length, 0, "timers that called back inside set");
			await sleep(host, 60);
			expectEqual(order.join(), "0,10,20,30", "order");
		},
	},
	{
		name: "a cleared timer does not call back, and clearing twice, too late or nothing is no error",
		async run(host) {
			let calls = 0;
			const first = host.timers.set(() => calls++, 5);
			const second = host.timers.set(() => host.timers.clear(third), 5);
			const third = host.timers.set(() => calls++, 10);
			host.timers.clear(first);
			host.timers.clear(first);
			host.timers.clear(999_999);
			await sleep(host, 30);
			host.timers.clear(second);
			expectEqual(calls, 0, "calls of cleared timers");
		},
	},
	{
		name: "storage gives back what was stored, and undefined for what was not",
		async run({ storage }) {
			expectEqual(storage.get("unknown"), undefined, "an unknown key");
			const value = pattern(300);
			storage.set("key", value);
			value.fill(0);
			expectBytes(storage.get("key"), pattern(300), "the value, after the caller's array changed");
			storage.set("key", new Uint8Array(0));
			expectEqual(storage.get("key")?.length, 0, "length of an empty value");
			storage.delete("key");
			storage.delete("key");
			expectEqual(storage.get("key"), undefined, "a deleted key");
		},
	},
	{
		name: "storage takes 4000 bytes under 15 characters, and no more",
		async run({ storage }) {
			const longest = "abcdefghij_0189";
			storage.set(longest, pattern(4000));
			expectRangeError(() => storage.set(longest, pattern(4001)), "a value of 4001 bytes");
			expectBytes(storage.get(longest), pattern(4000), "the value of 4000 bytes after a refused one");
			storage.set("a", pattern(1));
			for (const key of ["", `${longest}0`, "Upper", "a.b", "a/b", "..", "ä", "a b"]) {
				expectRangeError(() => storage.set(key, pattern(1)), `set under "${key}"`);
				expectRangeError(() => storage.get(key), `get of "${key}"`);
				expectRangeError(() => storage.delete(key), `delete of "${key}"`);
			}
		},
	},
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
		name: "memory is retained over a restart, up to its size, and how the program before has ended is told",
		async run({ retained, ending }) {
			expect(ending !== undefined && ending.cause !== "" && !ending.isFault, `ended by ${ending?.cause}`);
			expect(retained !== undefined && retained.size >= 256, "nothing is retained");
			expectEqual(retained.read(), undefined, "what is retained at first");
			for (const length of [0, 1, retained.size]) {
				const bytes = pattern(length);
				retained.write(bytes);
				bytes.fill(0);
				expectBytes(retained.read(), pattern(length), "what was retained");
			}
			expectRangeError(() => retained.write(pattern(retained.size + 1)), "one byte too many");
			expectBytes(retained.read(), pattern(retained.size), "what was retained before that");
		},
	},
	{
		name: "random bytes come in the number asked for and differ",
		async run({ crypto }) {
			for (const length of [0, 1, 32, 4096]) expectEqual(crypto.random(length).length, length, "length");
			const first = hex(crypto.random(16));
			expect(hex(crypto.random(16)) !== first, "the same twice");
		},
	},
	{
		name: "text of every plane becomes UTF-8 and back",
		async run({ text }) {
			const samples: [string, string][] = [
				["", ""],
				["A\u0000B", "410042"],
				["ä€", "c3a4e282ac"],
				["\ufeffx", "efbbbf78"],
				["\uffff", "efbfbf"],
				["\u{1d11e}", "f09d849e"],
				["\u{10ffff}!", "f48fbfbf21"],
			];
			for (const [sample, bytes] of samples) {
				expectEqual(hex(text.encode(sample)), bytes, `encoded ${bytes}`);
				expectEqual(text.decode(unhex(bytes)), sample, `decoded ${bytes}`);
			}
			const long = "Zähler ".repeat(600);
			expectEqual(text.decode(text.encode(long)), long, "a long text");
			expectEqual(text.decode(ascii("abcdef"), 2, 4), "cd", "a part");
			expectEqual(text.decode(ascii("abcdef"), 2), "cdef", "a part to the end");
		},
	},
	{
		name: "bytes that are no UTF-8 are refused",
		async run({ text }) {
			for (const bytes of ["ff", "c3", "c0af", "e28228", "eda080", "f4908080"]) {
				let refused = false;
				try {
					text.decode(unhex(bytes));
				} catch {
					refused = true;
				}
				expect(refused, `${bytes} is taken`);
			}
		},
	},
	{
		name: "a resource is given by its name, and undefined when there is none",
		async run({ resources }) {
			expectBytes(resources.get("sample.bin"), pattern(5000), "the file");
			expectBytes(resources.get("sample.bin"), pattern(5000), "the file, again");
			for (const name of ["none.bin", "", "..", "../secret", "/etc/passwd", "Sample.bin\u0000"]) {
				expectEqual(resources.get(name), undefined, `resource "${name}"`);
			}
		},
	},
	{
		name: "what the host says of itself is complete",
		async run({ info }) {
			expect(/^[0-9A-F]{12}$/.test(info.serial), `serial ${info.serial}`);
			expectEqual(info.labelPassword, "label password", "label password");
			expectEqual(info.firmwareVersion, "1.2.3", "version");
			expectEqual(info.hostname, `smgw-${info.serial.slice(-6).toLowerCase()}`, "hostname");
			expectEqual(info.chip, "pc", "chip");
			expectEqual(info.timeServers, "time.example,192.0.2.1:1123", "time servers");
		},
	},
]);
