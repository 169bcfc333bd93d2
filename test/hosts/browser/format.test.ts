import assert from "node:assert/strict";
import {
	advanceLocalTime,
	formatAge,
	formatDate,
	formatDecimal,
	formatLocalTime,
	formatNumber,
	formatPower,
} from "../../../hosts/browser/kit/format.js";

/** Replaces special spaces, which depend on the version of Node's data. */
function plain(text: string): string {
	return text.replace(/[\u00a0\u202f]/g, " ");
}

describe("numbers on the page", () => {
	it("are formatted in the language", () => {
		assert.equal(formatNumber(12345.5, "en"), "12,345.5");
		assert.equal(formatNumber(12345.5, "de"), "12.345,5");
		assert.equal(plain(formatNumber(12345.5, "pl")), "12 345,5");
	});

	it("have the requested number of digits", () => {
		assert.equal(formatNumber(1.23456, "en"), "1.235");
		assert.equal(formatNumber(1.23456, "en", 0), "1");
		assert.equal(formatNumber(5, "de", 2, 2), "5,00");
		assert.equal(formatNumber(-0.4, "en", 1), "−0.4");
	});

	it("keep the digits that the meter sent, without leading zeros", () => {
		assert.equal(formatDecimal("000123.450", "en"), "123.450");
		assert.equal(formatDecimal("000123.450", "de"), "123,450");
		assert.equal(formatDecimal("0", "en"), "0");
		assert.equal(formatDecimal("0000.000", "de"), "0,000");
		assert.equal(formatDecimal("-0012.5", "en"), "−12.5");
		assert.equal(formatDecimal("+7", "en"), "7");
		assert.equal(formatDecimal("999999999.999", "en"), "999,999,999.999");
	});

	it("show a power of 10 000 W or more in kW, in each direction", () => {
		assert.equal(formatPower(9_999, "W", "en"), "9,999 W");
		assert.equal(formatPower(10_000, "W", "en"), "10 kW");
		assert.equal(formatPower(-10_060, "W", "de"), "−10,1 kW");
		assert.equal(formatPower(12_340, "VA", "en"), "12.3 kVA");
		assert.equal(formatPower(900, "W", "en", -10_000), "0.9 kW");
	});

	it("are unchanged if they are not numbers", () => {
		for (const text of ["", "1LGZ0012345678", "21-11-26", "1.2.3", "1,5", "--1"]) {
			assert.equal(formatDecimal(text, "de"), text);
		}
	});
});

const FRESH = "just now";

describe("times on the page", () => {
	it("are those at the meter, whatever zone the browser is in", () => {
		const zone = process.env["TZ"];
		for (const name of ["Asia/Tokyo", "America/Los_Angeles"]) {
			process.env["TZ"] = name;
			assert.match(formatLocalTime("2026-07-01T23:30:05+02:00", "de"), /01\.07\.2026.*23:30:05/);
		}
		if (zone === undefined) delete process.env["TZ"];
		else process.env["TZ"] = zone;
	});

	it("are empty while the clock is not set", () => {
		assert.equal(formatLocalTime("", "en"), "");
		assert.equal(formatDate("", "en"), "");
		assert.equal(advanceLocalTime("", 5), "");
	});

	it("advance from the gateway's clock, even past midnight and the end of a year", () => {
		assert.equal(advanceLocalTime("2026-12-31T23:59:59+01:00", 2), "2027-01-01T00:00:01");
		assert.equal(advanceLocalTime("2026-11-21T18:00:00Z", 0.9), "2026-11-21T18:00:00");
	});

	it("show the day of a date in words", () => {
		assert.equal(formatDate("2036-11-20T10:00:00Z", "en"), "November 20, 2036");
		assert.equal(formatDate("2036-11-20", "de"), "20. November 2036");
		assert.equal(formatDate("2036-11-20", "pl"), "20 listopada 2036");
	});

	it("show an age in a suitable unit", () => {
		assert.equal(formatAge(0, "de", "gerade eben"), "gerade eben");
		assert.equal(formatAge(0.5, "en", FRESH), "1 second ago");
		assert.equal(formatAge(59, "en", FRESH), "59 seconds ago");
		assert.equal(formatAge(60, "en", FRESH), "1 minute ago");
		assert.equal(formatAge(3600, "de", FRESH), "vor 1 Stunde");
		assert.equal(formatAge(86_400, "de", FRESH), "vor 24 Stunden");
		assert.equal(formatAge(86_400 * 3, "pl", FRESH), "3 dni temu");
	});

	it("show the word for a fresh reading for a time in the future, because the clocks of browser and gateway may differ", () => {
		assert.equal(formatAge(-30, "en", FRESH), FRESH);
	});
});
