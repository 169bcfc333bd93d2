import assert from "node:assert/strict";
import fc from "fast-check";
import { DataSetParser } from "../../modules/iec62056-21/dataset.js";
import { ADDRESS_LIMIT, RecordWriter } from "../../modules/readout/record-writer.js";
import { bytesOf, textOf } from "../latin1.js";
import { recordsOf } from "../meter/records.js";

interface Parsed {
	/** Data sets stored by the gateway's record writer. */
	readonly sets: string[];
	readonly parser: DataSetParser;
	/** Number of unused characters. */
	readonly left: number;
}

/** Result of a parser for a block in pieces of `size`. */
function parse(block: string, size = block.length): Parsed {
	const writer = new RecordWriter();
	const parser = new DataSetParser(writer);
	const left = block.length - take(parser, block, size);
	parser.endBlock(true);
	return { sets: recordsOf(writer.kept), parser, left };
}

/** Begins a block and feeds it to the parser; returns the number of used characters. */
function take(parser: DataSetParser, block: string, size = block.length): number {
	const bytes = bytesOf(block);
	parser.begin();
	let at = 0;
	while (at < bytes.length && !parser.ended) at = parser.receive(bytes, at, Math.min(bytes.length, at + size));
	return at;
}

/** A writer that only records its calls, as `line`, `set`, `value`, `address …`, `text …`, `unit …`, `end` and so on. */
class CallRecorder extends RecordWriter {
	readonly calls: string[] = [];
	#part = "";
	#text = "";

	override begin(): void {
		this.#record("begin");
	}

	override beginPart(isAgain: boolean): void {
		this.#record(isAgain ? "part again" : "part");
	}

	override beginLine(): void {
		this.#record("line");
	}

	override beginSet(): void {
		this.#record("set");
	}

	override beginValue(): void {
		this.#record("value");
	}

	override text(part: number, bytes: Uint8Array, start: number, end: number): void {
		const name = ["address", "text", "unit"][part];
		if (this.#part !== name) this.#flush();
		this.#part = name;
		this.#text += textOf(bytes, start, end);
	}

	override endValue(): void {
		this.#record("end");
	}

	override discardSet(): void {
		this.#record("discard set");
	}

	override discardLine(): void {
		this.#record("discard line");
	}

	override endBlock(good: boolean): void {
		this.#record(good ? "good" : "bad");
	}

	#record(what: string): void {
		this.#flush();
		this.calls.push(what);
	}

	/** Joins the pieces of one text, so that the record does not depend on how the bytes were split. */
	#flush(): void {
		if (this.#part !== "") this.calls.push(`${this.#part} ${this.#text}`);
		this.#part = "";
		this.#text = "";
	}
}

describe("data sets", () => {
	const lines: readonly [what: string, block: string, sets: string[]][] = [
		["a value with its unit", "1.8.0(000123.4*kWh)", ["1.8.0: 000123.4*kWh"]],
		["a value without unit", "0.0.0(12345678)", ["0.0.0: 12345678"]],
		["an empty value", "C.1.1()", ["C.1.1: "]],
		["a unit without value", "1.8.0(*kWh)", ["1.8.0: *kWh"]],
		["a value of blanks", "C.1.1(        )", ["C.1.1:         "]],
		["blanks before a value", "56.7.0( 001.67*kW)", ["56.7.0:  001.67*kW"]],
		["a maximum and its time", "1.6.0(02.468*kW)(1703100930)", ["1.6.0: 02.468*kW, 1703100930"]],
		["more than two values", "96.7.5(0969)(02:30:57)(1)()", ["96.7.5: 0969, 02:30:57, 1, "]],
		[
			"several sets on a line, without anything between",
			"6.8(0022498*kWh)6.26(01664.19*m3)9.21(66132501)",
			["6.8: 0022498*kWh", "6.26: 01664.19*m3", "9.21: 66132501"],
		],
		["several sets on a line, with blanks between", "F.F(00) 0.9.1(123456)", ["F.F: 00", "0.9.1: 123456"]],
		[
			"a line without an address, which continues the previous set",
			"0-1:24.3.0(090212160000)(00)(60)(1)(0-1:24.2.1)(m3)\r\n(00001.001)",
			["0-1:24.3.0: 00001.001*m3, 090212160000, 00, 60, 1, 0-1:24.2.1, m3"],
		],
		["a line without an address before any set", "(12)(13)", [": 12, 13"]],
		["a load profile", "P.01(1)(2)\r\n(3)(4)\r\n(5)(6)", ["P.01: 1, 2", "P.01: 3, 4", "P.01: 5, 6"]],
		["an ampersand in a unit, which begins another value", "9.4(088*C&082*C)", ["9.4: 088*C, 082*C"]],
		["an ampersand in a value", "0.0.0(A&B)", ["0.0.0: A&B"]],
		["an ampersand in an address", "1.8.0&12(5*kWh)", ["1.8.0&12: 5*kWh"]],
		["a second asterisk in a unit", "9.4(1*C*D)", ["9.4: 1*C*D"]],
		["a slash anywhere", "/SX/330(21/04/10*m3/h)", ["/SX/330: 21/04/10*m3/h"]],
		["an exclamation mark in a value", "0.2.2(a!b)", ["0.2.2: a!b"]],
		["LF alone as line end", "1.8.0(1)\n2.8.0(2)\n\n3.8.0(3)", ["1.8.0: 1", "2.8.0: 2", "3.8.0: 3"]],
		["CR alone as line end", "1.8.0(1)\r2.8.0(2)", ["1.8.0: 1", "2.8.0: 2"]],
		["control characters between sets", "\x00\x7f1.8.0(1)\x06\t2.8.0(2)", ["1.8.0: 1", "2.8.0: 2"]],
		["the same code repeatedly", "1.8.0*00(1)\r\n1.8.0*00(2)", ["1.8.0*00: 1", "1.8.0*00: 2"]],
		["a line without parentheses", "LZQJ header\r\n1.8.0(1)", ["1.8.0: 1"]],
		["a continuation after a line without parentheses", "1.8.0(1)\r\nheader\r\n(2)", ["1.8.0: 1"]],
	];
	for (const [what, block, sets] of lines) {
		it(`are parsed from ${what}`, () => {
			for (const size of [block.length, 1, 3]) {
				const parsed = parse(`${block}\r\n!\r\n`, size);
				assert.deepEqual(parsed.sets, sets, `pieces of ${size}`);
				assert.equal(parsed.parser.broken, 0);
				assert.equal(parsed.parser.damaged, 0);
				assert.equal(parsed.parser.ended, true);
				assert.equal(parsed.left, 2);
			}
		});
	}

	it("end with ! right after the last parenthesis, and leave the characters after it unused", () => {
		const { sets, left, parser } = parse("0.2.2(:::::G11)!D82C\r\n");
		assert.deepEqual(sets, ["0.2.2: :::::G11"]);
		assert.equal(left, 6);
		assert.equal(parser.ended, true);
	});
	it("are not read after the end", () => {
		const parser = new DataSetParser(new CallRecorder());
		parser.begin();
		assert.equal(parser.receive(bytesOf("!1.8.0(1)"), 0, 9), 1);
		assert.equal(parser.receive(bytesOf("1.8.0(1)"), 0, 8), 0);
		assert.equal(parser.sets, 0);
		parser.begin();
		assert.equal(parser.ended, false);
		assert.equal(parser.receive(bytesOf("1.8.0(1)"), 0, 8), 8);
		assert.equal(parser.sets, 1);
	});
	it("are counted, and so are their values", () => {
		const { parser } = parse("1.8.0(1)(2)2.8.0(3)\r\n(4)\r\n!");
		assert.deepEqual([parser.sets, parser.values], [2, 4]);
	});
	it("have an open value from its opening to its closing parenthesis", () => {
		const parser = new DataSetParser(new CallRecorder());
		parser.begin();
		for (const [character, open] of [
			["1", false],
			["(", true],
			["2", true],
			["*", true],
			["V", true],
			[")", false],
		] as const) {
			parser.receive(bytesOf(character), 0, 1);
			assert.equal(parser.insideValue, open, character);
		}
	});
	it(`have addresses of up to ${ADDRESS_LIMIT} characters`, () => {
		for (const length of [ADDRESS_LIMIT - 1, ADDRESS_LIMIT, ADDRESS_LIMIT + 1]) {
			const address = "A".repeat(length);
			const { sets, parser } = parse(`${address}(1)\r\n2.8.0(2)\r\n!`);
			const fits = length <= ADDRESS_LIMIT;
			assert.deepEqual(sets, fits ? [`${address}: 1`, "2.8.0: 2"] : ["2.8.0: 2"]);
			assert.equal(parser.broken, fits ? 0 : 1);
		}
	});
	it("have values of any length; only the record writer limits it", () => {
		const value = "7".repeat(5000);
		const recorder = new CallRecorder();
		take(new DataSetParser(recorder), `1.8.0(${value})\r\n!`, 64);
		assert.ok(recorder.calls.includes(`text ${value}`));
	});

	for (const [what, line, kept] of [
		["a parenthesis inside a value", "1.8.0(1)2.8.0(2(3)3.8.0(4)", ["1.8.0: 1"]],
		["a line end inside a value", "2.8.0(2", []],
		["a line end inside a unit", "2.8.0(2*kW", []],
		["a control character inside a value", "2.8.0(2\x073)", []],
		["DEL inside a value", "2.8.0(2\x7f3)", []],
		["a closing parenthesis without an opening one", "2.8.0)3.8.0(1)", []],
		["an exclamation mark in an address", "2.8!0(1)", []],
		["a control character in an address", "2.8\x070(1)", []],
		["a broken second value", "2.8.0(1)(2", ["2.8.0: 1"]],
		["a broken value after an ampersand", "9.4(088*C&08", ["9.4: 088*C"]],
	] as const) {
		it(`lose only the rest of a line with ${what}`, () => {
			const block = `1.8.1(9)\r\n${line}\r\n1.8.2(8)\r\n!\r\n`;
			for (const size of [block.length, 1]) {
				const { sets, parser } = parse(block, size);
				assert.deepEqual(sets, ["1.8.1: 9", ...kept, "1.8.2: 8"]);
				assert.equal(parser.broken, 1);
				assert.equal(parser.damaged, 0);
				assert.equal(parser.ended, true);
			}
		});
	}

	it("lose a whole line if any of its characters is damaged", () => {
		const line = "1.8.0(1*V)(2)2.8.0(3)";
		for (let at = 0; at < line.length; at++) {
			const damaged = `${line.slice(0, at)}\xb1${line.slice(at + 1)}`;
			const { sets, parser } = parse(`1.8.1(9)\r\n${damaged}\r\n1.8.2(8)\r\n!`);
			assert.deepEqual(sets, ["1.8.1: 9", "1.8.2: 8"], `at ${at}`);
			assert.equal(parser.damaged, 1);
		}
	});
	it("lose a damaged continuation line, but not the set that it continues", () => {
		assert.deepEqual(parse("1.8.0(1)\r\n(\xb2)\r\n2.8.0(3)\r\n!").sets, ["1.8.0: 1", "2.8.0: 3"]);
	});
	it("lose the incomplete last set if the block is cut", () => {
		for (const [block, sets] of [
			["1.8.0(1)\r\n2.8", ["1.8.0: 1"]],
			["1.8.0(1)\r\n2.8.0(2", ["1.8.0: 1"]],
			["1.8.0(1)\r\n2.8.0(2*k", ["1.8.0: 1"]],
			["1.8.0(1)\r\n2.8.0(2)", ["1.8.0: 1", "2.8.0: 2"]],
			["1.8.0(1)\r\n", ["1.8.0: 1"]],
		] as const) {
			const writer = new RecordWriter();
			const parser = new DataSetParser(writer);
			take(parser, block);
			parser.cut();
			parser.endBlock(true);
			assert.deepEqual(recordsOf(writer.kept), sets);
			assert.equal(parser.broken, 0);
		}
	});

	it("do not depend on how the bytes are split", () => {
		const likely = fc.constantFrom(..."()*&!/\r\n 1.80:-\x80\x03kWh");
		const block = fc.array(likely, { maxLength: 80 }).map((characters) => characters.join(""));
		fc.assert(
			fc.property(block, fc.integer({ min: 1, max: 7 }), (text, size) => {
				const [whole, split] = [text.length, size].map((piece) => {
					const recorder = new CallRecorder();
					const parser = new DataSetParser(recorder);
					const taken = take(parser, text, piece);
					const { sets, values, broken, damaged, ended } = parser;
					return { taken, calls: recorder.calls, sets, values, broken, damaged, ended };
				});
				assert.deepEqual(split, whole);
			}),
			{ numRuns: 2000 },
		);
	});
});
