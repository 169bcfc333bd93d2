import assert from "node:assert/strict";
import {
	baudNumber,
	getBaudRate,
	IDENT_LIMIT,
	IdentScanner,
	MODE_A,
	MODE_B,
	MODE_C,
} from "../../modules/iec62056-21/ident.js";
import { feeds, REFUSED } from "../feeds.js";
import { bytesOf, textOf } from "../latin1.js";

/** Identifications that a scanner finds in the stream. */
function idents(stream: string, scanner = new IdentScanner()): string[] {
	const found: string[] = [];
	for (const character of bytesOf(stream)) if (scanner.scan(character)) found.push(textOf(scanner.copy()));
	return found;
}

function scanned(line: string): IdentScanner {
	const scanner = new IdentScanner();
	assert.equal(idents(`${line}\r\n`, scanner).length, 1, line);
	return scanner;
}

describe("an identification", () => {
	it("announces mode and speed with its character Z: 0 to 6 for mode C, A to F for mode B, others for mode A", () => {
		const bauds = [300, 600, 1200, 2400, 4800, 9600, 19200];
		for (let z = 0x20; z < 0x7f; z++) {
			if (z === 0x2f || z === 0x28 || z === 0x29) continue; // A slash or parenthesis makes this another kind of line.
			const ident = scanned(`/LGZ${String.fromCharCode(z)}TEST`);
			const modeC = z >= 0x30 && z <= 0x36;
			const modeB = z >= 0x41 && z <= 0x46;
			assert.equal(ident.mode, modeC ? MODE_C : modeB ? MODE_B : MODE_A, String.fromCharCode(z));
			assert.equal(ident.baud, modeC ? bauds[z - 0x30] : modeB ? bauds[z - 0x40] : 300, String.fromCharCode(z));
		}
	});
	it("may lack Z", () => {
		for (const line of ["/KAM", "/KAM MC"]) {
			assert.equal(scanned(line).mode, MODE_A);
			assert.equal(scanned(line).baud, 300);
		}
		assert.deepEqual(idents("/KA\r\n"), []);
	});
	it("does not use the Z of the previous identification", () => {
		const scanner = scanned("/LGZ5TEST");
		idents("/KAM\r\n", scanner);
		assert.equal(scanner.mode, MODE_A);
	});
	it("requests the short reaction time with a third letter in lower case", () => {
		assert.equal(scanned("/ABc5X").fastReaction, true);
		for (const line of ["/ABC5X", "/abC5X", "/KAM"]) assert.equal(scanned(line).fastReaction, false, line);
	});
	it("announces mode E only with the pair \\2", () => {
		for (const line of ["/AUX5\\2S34", "/ISk5\\@\\2MT382", "/LGZ4\\2"]) {
			assert.equal(scanned(line).announcesModeE, true, line);
		}
		for (const line of ["/ELS5\\@V9.30", "/ACE0\\3k260", "/LGZ5ZMF\\2", "/LGZ5\\", "/LGZ52", "/KAM"]) {
			assert.equal(scanned(line).announcesModeE, false, line);
		}
	});
	it("does not announce mode E because of bytes left over from a longer previous identification", () => {
		const scanner = scanned("/AUX5\\2S34");
		idents("/AUX5\\\r\n", scanner);
		assert.equal(scanner.announcesModeE, false);
	});
	it("may contain control characters, brackets and blanks", () => {
		for (const text of ["ISk\x025MT382-1000", "ISk5<1>MT174-0001", "ELS5\\@V9.30 ", " LGZ5"]) {
			const isIdent = !text.startsWith(" ");
			assert.deepEqual(idents(`/${text}\r\n`), isIdent ? [text] : []);
		}
	});
	it("may contain a slash, but a slash with three letters after it begins the next identification", () => {
		const cases: [string, string[]][] = [
			["/HLY5/D545-METER\r\n", ["HLY5/D545-METER"]],
			["/HLY5/12/3\r\n", ["HLY5/12/3"]],
			["/HLY5/\r\n", ["HLY5/"]],
			["/HLY5/D5", []],
			["/HLY5/D5/HLY5/D545-METER\r\n", ["HLY5/D545-METER"]],
			["/LG/LGZ5TEST\r\n", ["LGZ5TEST"]],
			["/LGZ5T/LGZ5TEST\r\n", ["LGZ5TEST"]],
			["//LGZ5TEST\r\n", ["LGZ5TEST"]],
			[`/abc${"x".repeat(14)}/12\r\n`, []],
			[`/abc${"x".repeat(100)}/LGZ5TEST\r\n`, ["LGZ5TEST"]],
			["/HLY5/D545-METER\r\n/LGZ5TEST\r\n", ["HLY5/D545-METER", "LGZ5TEST"]],
			["/HLY5/D5(1)\r\n/?!\r\n/LGZ5TEST\r\n", ["LGZ5TEST"]],
		];
		for (const [stream, expected] of cases) assert.deepEqual(idents(stream), expected, stream);
	});
	it("may end with LF alone", () => assert.deepEqual(idents("\n/LGZ5TEST\n"), ["LGZ5TEST"]));
	it(`is kept up to ${IDENT_LIMIT} bytes`, () => {
		for (const [length, kept] of [
			[IDENT_LIMIT - 1, IDENT_LIMIT - 1],
			[IDENT_LIMIT, IDENT_LIMIT],
			[IDENT_LIMIT + 1, IDENT_LIMIT],
			[5000, IDENT_LIMIT],
		]) {
			const text = `LGZ5${"x".repeat(length - 4)}`;
			assert.deepEqual(idents(`/${text}\r\n`), [text.slice(0, kept)]);
		}
	});
	it("must begin with the maker's three letters", () => {
		for (const line of ["/1GZ5", "/L-Z5", "/LG@5", "/LG[5", "/`GZ5", "/LG{5", "/", "/LG", "LGZ5TEST"]) {
			assert.deepEqual(idents(`${line}\r\n`), [], line);
		}
		assert.deepEqual(idents("/AZa5\r\n/zAZ5\r\n"), ["AZa5", "zAZ5"]);
	});
	it("can't be a line with a value or a damaged character", () => {
		assert.deepEqual(idents("0.9.2(21/04/10)\r\n/LGZ5(1)\r\n/LGZ\xc15\r\n"), []);
	});
	it("begins again at a slash with three letters after it", () => {
		assert.deepEqual(idents("/LGZ/SXB330\r\n"), ["SXB330"]);
		assert.deepEqual(idents("\x7f\x7f/?!\r\n/LGZ5TEST\r\n"), ["LGZ5TEST"]);
	});
	it("can't be the echo of a sign-on; echoes are counted", () => {
		const scanner = new IdentScanner();
		assert.deepEqual(idents("/?!\r\n/?12345678!\r\n/\r\n", scanner), []);
		assert.equal(scanner.echoes, 2);
		scanner.reset();
		assert.equal(scanner.echoes, 0);
		assert.equal(scanner.inside, false);
	});
});

describe("speed numbers", () => {
	it("stand for the highest standard speed up to the given one", () => {
		for (const [baud, number] of [
			[0, 0],
			[299, 0],
			[300, 0],
			[599, 0],
			[600, 1],
			[601, 1],
			[9599, 4],
			[9600, 5],
			[19_199, 5],
			[19_200, 6],
			[115_200, 6],
		]) {
			assert.equal(baudNumber(baud), number, `${baud}`);
		}
		for (let number = 0; number <= 6; number++) assert.equal(baudNumber(getBaudRate(number)), number);
	});
});

feeds("an identification of 7-bit characters", {
	open: () => {
		const scanner = new IdentScanner();
		let found: string[] = [];
		return {
			take: (bytes, start, end) => {
				for (let i = start; i < end; i++) if (scanner.scan(bytes[i])) found.push(textOf(scanner.copy()));
			},
			settle: () => {
				const result = found.length > 0 || !scanner.inside ? found : [REFUSED];
				scanner.reset();
				found = [];
				return result;
			},
		};
	},
	frame: bytesOf("/ISk5\\2MT382-1000\r\n"),
	meaning: "ISk5\\2MT382-1000",
	bits: 7,
	checked: false,
	streams: false,
	garbage: [bytesOf("\x7f\x00\xff"), bytesOf("/?!\r\n"), bytesOf("1.8.0(1/2)\r\n"), bytesOf("/LG")],
});
