import assert from "node:assert/strict";
import { csvOf, decimalCell, textCell } from "../../../hosts/browser/kit/csv.js";

describe("tables for spreadsheets", () => {
	it("have the decimal separator of the language, and no leading zeros", () => {
		assert.equal(decimalCell("0008048.375", "en"), "8048.375");
		assert.equal(decimalCell("0008048.375", "de"), "8048,375");
		assert.equal(decimalCell("-002.540", "pl"), "-2,540");
		assert.equal(decimalCell("+7", "de"), "7");
		assert.equal(decimalCell("0000.000", "en"), "0.000");
		for (const text of ["", "1.2.3", "F.F", "21-11-26", "1ESY1160012345"]) assert.equal(decimalCell(text, "de"), text);
	});

	it("contain nothing that a spreadsheet would execute", () => {
		for (const text of ['=HYPERLINK("http://x")', "+1+1", "-1+1", "@SUM(A1)", "-", "--1"])
			assert.equal(textCell(text), `'${text}`);
		assert.equal(textCell("\t=1\r=1"), "\t'=1\r'=1");
		for (const text of ["", "-2", "-2.5", "-2,5", "2", "a=b", "1-0:1.8.0"]) assert.equal(textCell(text), text);
		assert.ok(csvOf([["a", "=1"]], "en").endsWith("a,'=1\r\n"));
	});

	it("contain nothing that a program in another language would execute, which separates cells in another way", () => {
		const texts = [
			"x;=1",
			"x,=1",
			"x\t@SUM(A1)",
			'x|"=1',
			"x\n=1",
			"x; +1",
			"\uFF1D1",
			"  =1",
			';;=1,"-1+1',
			'"=1"',
			"a;-",
		];
		const naive = [",", ";", "\t", "|"].map((separator) => new RegExp(`[${separator}\r\n]`));
		for (const text of texts) {
			for (const language of ["en", "de"] as const) {
				const table = csvOf([["12", text, text]], language).slice(1);
				for (const separator of naive)
					for (const cell of table.split(separator))
						assert.match(
							cell.replace(/^[\s"]*/, ""),
							/^(?![=+@\uFF1D\uFF0B\uFF0D\uFF20]|-(?!\d+$))/,
							`${text}: ${cell}`,
						);
			}
		}
		assert.equal(textCell("1-0:1.8.0; 2-0"), "1-0:1.8.0; 2-0");
	});

	it("have the cell separator of the language, and quotes where a cell needs them", () => {
		const rows = [
			["a", "b;c", "d,e"],
			['"f"', "g\nh", ""],
		];
		assert.equal(csvOf(rows, "en"), '\ufeffa,b;c,"d,e"\r\n"""f""","g\nh",\r\n');
		assert.equal(csvOf(rows, "de"), '\ufeffa;"b;c";d,e\r\n"""f""";"g\nh";\r\n');
		assert.equal(csvOf(rows, "pl"), csvOf(rows, "de"));
	});
});
