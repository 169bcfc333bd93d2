/** Checks of the host contract: clock, timers, storage, text and resources. Portable. */
import { decodeHex, encodeHex } from "../../../modules/bytes/hex.js";
import { expect, expectBytes, expectEqual, expectRangeError, frozen, pattern, sleep } from "./check.js";

const ascii = (text: string) => new Uint8Array([...text].map((character) => character.charCodeAt(0)));
const hex = (bytes: Uint8Array) => String.fromCharCode(...encodeHex(bytes));
const unhex = (text: string) => decodeHex(ascii(text), 0, text.length)!;

export const basicChecks = frozen([
	{
		name: "the monotonic clock advances and never goes back",
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
		name: "the clock runs on from the time that was set",
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
			for (const delayMs of [300, 100, 200, 0]) {
				host.timers.set(() => {
					const tookMs = host.clock.monotonicMs() - startMs;
					expect(tookMs >= delayMs, `a timer of ${delayMs} ms called back after ${tookMs} ms`);
					order.push(delayMs);
				}, delayMs);
			}
			expectEqual(order.length, 0, "timers that called back inside set");
			await sleep(host, 450);
			expectEqual(order.join(), "0,100,200,300", "order");
		},
	},
	{
		name: "a cleared timer does not call back, and clearing twice, too late or nothing is not an error",
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
		name: "storage returns stored values, and undefined for missing ones",
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
		name: "storage accepts values of up to 4500 bytes and keys of up to 15 characters",
		async run({ storage }) {
			const longest = "abcdefghij_0189";
			storage.set(longest, pattern(4500));
			expectRangeError(() => storage.set(longest, pattern(4501)), "a value of 4501 bytes");
			expectBytes(storage.get(longest), pattern(4500), "the value of 4500 bytes after a refused one");
			storage.set("a", pattern(1));
			for (const key of ["", `${longest}0`, "Upper", "a.b", "a/b", "..", "ä", "a b"]) {
				expectRangeError(() => storage.set(key, pattern(1)), `set under "${key}"`);
				expectRangeError(() => storage.get(key), `get of "${key}"`);
				expectRangeError(() => storage.delete(key), `delete of "${key}"`);
			}
		},
	},
	{
		name: "retained memory keeps its bytes across a restart, and the host reports how the previous program ended",
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
			expectBytes(retained.read(), pattern(retained.size), "the retained bytes before that");
		},
		async afterRestart({ retained }) {
			expectBytes(retained?.read(), pattern(retained!.size), "what is retained after the restart");
		},
	},
	{
		name: "text becomes UTF-8 and back, with characters of one to four bytes",
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
		name: "bytes that are not UTF-8 are rejected",
		async run({ text }) {
			for (const bytes of ["ff", "c3", "c0af", "e28228", "eda080", "f4908080"]) {
				let refused = false;
				try {
					text.decode(unhex(bytes));
				} catch {
					refused = true;
				}
				expect(refused, `${bytes} is accepted`);
			}
		},
	},
	{
		name: "a resource is found by its name, and undefined if missing",
		async run({ resources }) {
			expectBytes(resources.get("sample.bin"), pattern(5000), "the file");
			expectBytes(resources.get("sample.bin"), pattern(5000), "the file, again");
			for (const name of ["none.bin", "", "..", "../secret", "/etc/passwd", "Sample.bin\u0000"]) {
				expectEqual(resources.get(name), undefined, `resource "${name}"`);
			}
		},
	},
	{
		name: "the host's information is complete",
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
