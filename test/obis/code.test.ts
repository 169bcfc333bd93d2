import assert from "node:assert/strict";
import fc from "fast-check";
import { OBIS_TEXT_LIMIT, OBISCode } from "../../modules/obis/code.js";
import { iecVectors } from "../vectors.js";

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

function parse(text: string): OBISCode | undefined {
	const code = new OBISCode();
	return code.parse(bytesOf(text), 0, text.length) ? code : undefined;
}

function groups(code: OBISCode): number[] {
	return [code.a, code.b, code.c, code.d, code.e, code.f];
}

function encode(code: OBISCode): string {
	const into = new Uint8Array(OBIS_TEXT_LIMIT);
	return Buffer.from(into.subarray(0, code.encode(into, 0))).toString("latin1");
}

function texts(text: string): string[] {
	const code = new OBISCode();
	code.parse(bytesOf(text), 0, text.length);
	return [text.slice(code.shortStart, code.shortEnd), text.slice(0, code.longEnd)];
}

/** Addresses of a telegram in order, found without the product's code. */
function addressesOf(telegram: Uint8Array): string[] {
	const text = Buffer.from(telegram).toString("latin1");
	const block = text.slice(text.search(/\/[A-Za-z]{3}/)).replace(/^[^\n]*\n/, "");
	const data = block.slice(Math.max(block.indexOf("\x02"), 0), block.indexOf("!"));
	return [...data.matchAll(/([^()\r\n\x02]+)\(/g)].map((match) => match[1]);
}

describe("An OBIS code", () => {
	const forms: [string, number[]][] = [
		["1-0:1.8.0*255", [1, 0, 1, 8, 0, 255]],
		["1-1:1.8.0", [1, 1, 1, 8, 0, -1]],
		["0:96.7.19", [-1, 0, 96, 7, 19, -1]],
		["1.8.0", [-1, -1, 1, 8, 0, -1]],
		["32.7", [-1, -1, 32, 7, -1, -1]],
		["6.8*01", [-1, -1, 6, 8, -1, 1]],
		["F.F", [-1, -1, 97, 97, -1, -1]],
		["0-0:F.F.0*255", [0, 0, 97, 97, 0, 255]],
		["C.1.0", [-1, -1, 96, 1, 0, -1]],
		["L.1", [-1, -1, 98, 1, -1, -1]],
		["P.01", [-1, -1, 99, 1, -1, -1]],
		["0-0:C.51.2*01", [0, 0, 96, 51, 2, 1]],
		["255-255:255.255.255*255", [255, 255, 255, 255, 255, 255]],
	];
	for (const [text, expected] of forms) {
		it(`is parsed from ${text}`, () => {
			const code = parse(text);
			assert.ok(code);
			assert.deepEqual(groups(code), expected);
		});
	}

	it("can have a fourth short group, which is not a billing period", () => {
		const code = parse("1-1:0.5.1.2");
		assert.ok(code);
		assert.deepEqual([...groups(code), code.sub, code.billingPeriod], [1, 1, 0, 5, 1, -1, 2, null]);
		assert.equal(encode(code), "1-1:0.5.1.2");
	});

	it("distinguishes a reset by hand from a reset by the clock", () => {
		assert.equal(parse("1.8.0&12")?.manual, true);
		assert.equal(parse("1.8.0*12")?.manual, false);
		assert.equal(parse("1.8.0&12")?.billingPeriod, 12);
	});

	it("has groups up to 255", () => {
		for (const place of ["#-0:1.8.0*1", "1-#:1.8.0*1", "1-0:#.8.0*1", "1-0:1.#.0*1", "1-0:1.8.#*1", "1-0:1.8.0*#"]) {
			assert.ok(parse(place.replace("#", "254")), place);
			assert.ok(parse(place.replace("#", "255")), place);
			assert.equal(parse(place.replace("#", "256")), undefined, place);
			assert.equal(parse(place.replace("#", "1000")), undefined, place);
			assert.equal(parse(place.replace("#", "")), undefined, place);
		}
	});

	it("is rejected in any other form", () => {
		const others = ["", "F", "1", "1.", ".1", "1.8.", "1.8.0*", "1.8.0&", "1.8.0*A", "1.8.0*1 ", " 1.8.0", "1.8.0.1.1"];
		others.push("1-1.8.0", "1-:1.8.0", "-0:1.8.0", "1-0:", "1-0:1", "C", "C.", "C.F", "F.C", "A.1.0", "c.1.0", "1.F");
		others.push(
			"CC.1.0",
			"300C.1.0",
			"1234C.1",
			"C1.0",
			"1.8.0*1*2",
			"1.8.0*1&2",
			"1-0:1-0:1.8.0",
			"21-01-04",
			"1,8,0",
		);
		for (const text of others) {
			const code = new OBISCode();
			assert.equal(code.parse(bytesOf(text), 0, text.length), false, text);
			assert.deepEqual([...groups(code), code.sub], [-1, -1, -1, -1, -1, -1, -1], text);
			assert.deepEqual(texts(text), [text, text]);
			assert.deepEqual([code.medium, code.channel, code.billingPeriod], [null, null, null]);
		}
	});

	it("keeps nothing of the previous code", () => {
		const code = new OBISCode();
		assert.ok(code.parse(bytesOf("1-2:C.8.4.5&06"), 0, 14));
		assert.ok(code.parse(bytesOf("32.7"), 0, 4));
		assert.deepEqual([...groups(code), code.sub], [-1, -1, 32, 7, -1, -1, -1]);
		assert.deepEqual([code.letters, code.manual, code.paddedF], [false, false, false]);
	});

	it("is read from the middle of a buffer, and not beyond the given end", () => {
		const code = new OBISCode();
		const bytes = bytesOf("xx1-0:1.8.0*2551");
		assert.ok(code.parse(bytes, 2, 15));
		assert.deepEqual([code.shortStart, code.shortEnd, code.longEnd], [6, 11, 11]);
		assert.ok(code.parse(bytes, 6, 9));
		assert.deepEqual(groups(code), [-1, -1, 1, 8, -1, -1]);
	});

	it("has medium, channel and billing period as far as they were sent", () => {
		const groupsOf = (text: string) => {
			const code = parse(text);
			return [code?.medium, code?.channel, code?.billingPeriod];
		};
		assert.deepEqual(groupsOf("1.8.0"), [null, null, null]);
		assert.deepEqual(groupsOf("0-0:C.1.0*255"), [0, 0, null]);
		assert.deepEqual(groupsOf("1-2:1.8.0*254"), [1, 2, 254]);
		assert.deepEqual(groupsOf("1.8.0*00"), [null, null, 0]);
	});

	it("has the texts for the API as slices of the sent text", () => {
		assert.deepEqual(texts("1-0:1.8.0*255"), ["1.8.0", "1-0:1.8.0"]);
		assert.deepEqual(texts("1-0:1.8.0*01"), ["1.8.0", "1-0:1.8.0*01"]);
		assert.deepEqual(texts("1.8.0&12"), ["1.8.0", "1.8.0&12"]);
		assert.deepEqual(texts("1.8.0&255"), ["1.8.0", "1.8.0"]);
		assert.deepEqual(texts("P.01"), ["P.01", "P.01"]);
		assert.deepEqual(texts("0:96.7.19"), ["96.7.19", "0:96.7.19"]);
		assert.deepEqual(texts("1-1:0.5.1.2"), ["0.5.1.2", "1-1:0.5.1.2"]);
	});

	it("is canonical if encoding gives the sent text", () => {
		for (const text of [
			"1-0:1.8.0*255",
			"1.8.0*01",
			"1.8.0*00",
			"1.8.0&09",
			"F.F",
			"97.97",
			"F.1",
			"C.1.0",
			"6.8",
			"1.8.0*0",
		]) {
			const code = parse(text);
			assert.ok(code?.canonical, text);
			assert.equal(encode(code), text);
		}
		for (const text of ["P.01", "01.8.0", "1.08.0", "1.8.0*001", "1.8.0*010", "00.0", "F.97", "1-00:1.8.0"]) {
			const code = parse(text);
			assert.equal(code?.canonical, false, text);
			assert.notEqual(encode(code), text);
		}
	});

	it("is the same after parsing and encoding, whatever its groups are", () => {
		const group = fc.integer({ min: 0, max: 255 });
		const text = fc
			.record({
				a: fc.option(fc.tuple(group, group)),
				c: fc.oneof(group.map(String), fc.constantFrom("C", "F", "L", "P")),
				d: group,
				e: fc.option(group),
				f: fc.option(fc.tuple(fc.constantFrom("*", "&"), fc.oneof(group.map(String), fc.constantFrom("00", "09")))),
			})
			.map(
				({ a, c, d, e, f }) =>
					`${a ? `${a[0]}-${a[1]}:` : ""}${c}.${d}${e === null ? "" : `.${e}`}${f ? f.join("") : ""}`,
			)
			.filter((value) => !value.includes("F.97"));
		fc.assert(
			fc.property(text, (sent) => {
				const code = parse(sent);
				assert.ok(code, sent);
				assert.equal(encode(code), sent);
				assert.ok(code.canonical);
			}),
		);
	});

	it("never throws on any text, and is canonical only if encoding gives the sent text", () => {
		const soup = fc.string({ unit: fc.constantFrom(..."0123456789.-:*&CFLP"), maxLength: 20 });
		fc.assert(
			fc.property(soup, (sent) => {
				const code = parse(sent);
				if (code?.canonical) assert.equal(encode(code), sent);
				const [short, long] = texts(sent);
				assert.ok(sent.startsWith(long) && sent.includes(short));
			}),
			{ numRuns: 2000 },
		);
	});
});

describe("The codes of the captures", () => {
	for (const { name, telegram, readings } of iecVectors()) {
		it(`are read as expected: ${name}`, () => {
			const addresses = addressesOf(telegram);
			assert.equal(addresses.length, readings.length);
			readings.forEach((reading, i) => {
				const code = new OBISCode();
				const known = code.parse(bytesOf(addresses[i]), 0, addresses[i].length);
				// The error number of heat meters, F, is the only address that is not an OBIS code.
				assert.equal(known, addresses[i] !== "F", addresses[i]);
				assert.deepEqual(texts(addresses[i]), [reading.obis, reading.obis_long]);
				assert.equal(code.medium, reading.medium);
				assert.equal(code.channel, reading.channel);
				assert.equal(code.billingPeriod, reading.billing_period);
				if (known) assert.ok(code.canonical, addresses[i]);
			});
		});
	}
});
