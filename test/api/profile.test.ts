/** Load profiles of DLMS meters and of P.01, read with `GET meter/profile`. Runs in virtual time. */
import assert from "node:assert/strict";
import { IECMeter, type IECMeterOptions } from "../../tools/meter/iec-meter.js";
import { type ProfileOptions, ProgrammingMode } from "../../tools/meter/iec-programming.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { AK, dlmsMeter, GUEK } from "../cosem/meters.js";
import { isError, type JSONObject } from "./gateway.js";
import { VirtualGateway } from "./virtual-gateway.js";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const DIRECT = { server_physical: 17, opening: "direct" };
const KEYS = { use_encryption: true, block_cipher_key: hex(GUEK), auth_key: hex(AK) };
const GMAC = { ...DIRECT, ...KEYS, auth: "high_gmac", client_address: 1 };
/** Time of the simulated meter (test/cosem/meters.ts). Sessions must not cross the end of a period. */
const NOW_S = Date.parse("2026-06-21T18:30:00Z") / 1000;

const SECRET = "canary-7 7";
const CLOCK = ["0.9.1(18:37:20)", "0.9.2(26-06-21)"];

/** Row `k` of tools/meter/dlms-profiles.ts, counted back from the last row. */
function rowOf(k: number, periodS: number, endS = NOW_S): JSONObject {
	const tenths = 123_456_789_010n - 1250n * BigInt(k);
	return {
		timestamp: endS - (endS % periodS) - k * periodS,
		status: k === 2 ? "8" : "0",
		values: [`${tenths / 10n}.${tenths % 10n}`, `${3000 - k}000`],
	};
}

function withoutLocal(rows: JSONObject[]): JSONObject[] {
	return rows.map(({ localtime, ...row }) => row);
}

describe("GET meter/profile", () => {
	let gateway: VirtualGateway;
	let programming: ProgrammingMode;

	async function start(meter: string, config: JSONObject = DIRECT): Promise<void> {
		gateway = await VirtualGateway.loggedIn();
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		gateway.world.serial.meter.connect(dlmsMeter(meter));
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("dlms/config", config);
	}

	async function startBlock(lines: readonly string[], options: Partial<IECMeterOptions> = {}): Promise<void> {
		gateway = await VirtualGateway.loggedIn();
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		const block = `${lines.join("\r\n")}\r\n!\r\n`;
		const check = Buffer.from(`${block}\x03`).reduce((sum, byte) => sum ^ byte, 0);
		const text = `/LGZ5\\2ZMD3104100.B22\r\n\x02${block}\x03${String.fromCharCode(check)}`;
		const telegram = splitTelegram(Buffer.from(text, "latin1"));
		gateway.world.serial.meter.connect(new IECMeter({ source: () => telegram, mode: "C", ...options }));
	}

	/** A meter with its profile in programming mode. Its clock stays at 18:37:20. */
	async function startProgramming(
		profile: ProfileOptions = {},
		lines: readonly string[] = CLOCK,
		options: Partial<IECMeterOptions> = {},
	): Promise<void> {
		programming = new ProgrammingMode({ place: "programming", ...profile }, () => (NOW_S + 440) * 1000);
		await startBlock(["0.0.0(48151623)", ...lines, "1.8.0(5*kWh)"], { programming, ...options });
	}

	afterEach(() => gateway.stop());

	describe("of a DLMS meter", () => {
		for (const [what, meter, config] of [
			["by their numbers", "", DIRECT],
			["with keys", "", GMAC],
			["in blocks of a few bytes", "--pdu 64 --hdlc-info 32", DIRECT],
			["in frames of a few bytes, with keys", "--hdlc-info 64 --window 3", GMAC],
			["by their times, if the meter does not tell how many there are", "--result 1-0:99.1.0/7=3", DIRECT],
			["after mode E", "--mode-e", { ...DIRECT, opening: "mode_e" }],
			["over a line that loses and damages frames", "--drop 3 --wrong-fcs 5 --garbage 7", DIRECT],
		] as [string, string, JSONObject][]) {
			it(`reads rows ${what}`, async () => {
				await start(meter, config);
				const profile = await gateway.read("meter/profile?entries=30");
				const { rows, ...head } = profile;
				assert.deepEqual(head, {
					protocol: "DLMS/COSEM",
					meter_id: "GWS0000048151623",
					obis: "1-0:99.1.0",
					status: 0,
					period_secs: 900,
					columns: [
						{ obis: "1-0:1.29.0", unit: "Wh", en: "Active energy import in the recording interval" },
						{ obis: "1-0:2.29.0", unit: "Wh", en: "Active energy export in the recording interval" },
					],
				});
				assert.deepEqual(
					withoutLocal(rows),
					Array.from({ length: 30 }, (_, i) => rowOf(29 - i, 900)),
				);
				assert.equal(rows[29].localtime, "2026-06-21T20:30:00+02:00");
			});
		}
		it("returns at most a hundred rows, and the rows of a day by default", async () => {
			await start("");
			assert.equal((await gateway.read("meter/profile?entries=100")).rows.length, 100);
			assert.equal((await gateway.read("meter/profile")).rows.length, 96);
		});
		it("returns rows in the order of the meter, even with the last row first", async () => {
			await start("");
			const { rows, period_secs } = await gateway.read("meter/profile?obis=1-0:99.2.0&entries=3");
			assert.equal(period_secs, 86_400);
			assert.deepEqual(
				withoutLocal(rows),
				[0, 1, 2].map((k) => rowOf(k, 86_400)),
			);
		});
		it("reads a profile that is selected by time only, with a time in its first row only", async () => {
			await start("");
			const { rows } = await gateway.read("meter/profile?obis=1-0:98.1.0*255&entries=4");
			assert.deepEqual(
				withoutLocal(rows),
				[3, 2, 1, 0].map((k) => rowOf(k, 3600)),
			);
		});
		it("reads a profile with few rows and no selection, if the request covers all of them", async () => {
			await start("--conformance 001211");
			for (const entries of [5, 6]) {
				const { rows } = await gateway.read(`meter/profile?obis=1-0:99.3.0&entries=${entries}`);
				assert.deepEqual(
					withoutLocal(rows),
					[4, 3, 2, 1, 0].map((k) => rowOf(k, 900)),
				);
			}
			// The gateway requests no more entries than the client does.
			const reply = await gateway.get("meter/profile?obis=1-0:99.3.0&entries=4");
			isError(reply, 404, "no_profile");
			assert.equal(JSON.parse(reply.text).missing.reason, "scope_of_access_violated");
		});
		it("uses the gateway's time zone if the meter's clock has no deviation from UTC", async () => {
			await start("--zone 120 --zone-sign none");
			const { rows } = await gateway.read("meter/profile?entries=2");
			assert.deepEqual(
				withoutLocal(rows),
				[1, 0].map((k) => rowOf(k, 900)),
			);
		});
		it("replies 404 and the reason if the meter has no such profile", async () => {
			await start("--result 1-0:99.1.0=3");
			for (const [query, reason] of [
				["", "read_write_denied"],
				["?obis=1-0:99.7.0", "object_undefined"],
				["?obis=1-0:1.8.0", "object_class_inconsistent"],
			]) {
				const reply = await gateway.get(`meter/profile${query}`);
				isError(reply, 404, "no_profile");
				assert.deepEqual([JSON.parse(reply.text).missing.reason, JSON.parse(reply.text).missing.class_id], [reason, 7]);
			}
		});
		it("leaves the last readout unchanged, and other requests wait for the profile", async () => {
			await start("");
			const before = await gateway.read("iec62056/read");
			const [profile, readout, second] = await Promise.all([
				gateway.read("meter/profile?entries=3"),
				gateway.read("iec62056/read"),
				gateway.read("meter/profile?entries=2"),
			]);
			assert.deepEqual([profile.rows.length, second.rows.length], [3, 2]);
			assert.deepEqual(readout.readings, before.readings);
			const { running, last_attempt, last_error, momentary_valid, ...last } = await gateway.read("iec62056/last");
			assert.deepEqual([running, last_error, last], [false, null, readout]);
		});
		it("fails as a readout does if the meter is silent", async () => {
			await start("--drop 1-1000");
			isError(await gateway.get("meter/profile"), 500, "meter_timeout");
			assert.equal((await gateway.read("iec62056/last")).last_error, null);
		});
	});

	describe("P.01 in a readout", () => {
		const HEAD = "(08)(15)(2)(1.5)(kW)(2.5)(kW)";
		const ROWS = ["(0.120)(0.000)", "(0.148)(0.012)", "(-.---)()"];

		for (const [what, time, first, localtime] of [
			["local time", "260621203000", "2026-06-21T18:30:00Z", "2026-06-21T20:30:00+02:00"],
			["winter time, in summer", "0260621193000", "2026-06-21T18:30:00Z", "2026-06-21T20:30:00+02:00"],
			["summer time", "1260621203000", "2026-06-21T18:30:00Z", "2026-06-21T20:30:00+02:00"],
			["UTC", "2260621183000", "2026-06-21T18:30:00Z", "2026-06-21T20:30:00+02:00"],
			["local time without seconds", "2606212030", "2026-06-21T18:30:00Z", "2026-06-21T20:30:00+02:00"],
			["the second of two equal hours", "0261025023000", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00+01:00"],
			["the first of two equal hours", "1261025023000", "2026-10-25T00:30:00Z", "2026-10-25T02:30:00+02:00"],
		] as const) {
			it(`may have its first time in ${what}`, async () => {
				await startBlock(["0.0.0(48151623)", `P.01(${time})${HEAD}`, ...ROWS, "1.8.0(5*kWh)"]);
				const { rows, meter_id, ...head } = await gateway.read("meter/profile");
				assert.deepEqual(head, {
					protocol: "IEC62056-21",
					obis: "P.01",
					status: 0,
					period_secs: 900,
					columns: [
						{ obis: "1.5", unit: "kW", en: "Demand in the last period, active power import" },
						{ obis: "2.5", unit: "kW", en: "Demand in the last period, active power export" },
					],
				});
				const firstS = Date.parse(first) / 1000;
				assert.deepEqual(withoutLocal(rows), [
					{ timestamp: firstS, status: "08", values: ["0.120", "0.000"] },
					{ timestamp: firstS + 900, status: "08", values: ["0.148", "0.012"] },
					{ timestamp: firstS + 1800, status: "08", values: ["-.---", null] },
				]);
				assert.equal(rows[0].localtime, localtime);
			});
		}
		it("has the names of its columns in the requested language, and no name for unknown columns", async () => {
			await startBlock(["P.01(260621203000)(00)(15)(3)(1-0:1.8.0)(kWh)(1-0:199.250.7)()(?)()", "(1)(2)(3)"]);
			for (const [query, own] of [
				["", {}],
				["?lang=en", {}],
				["?lang=de", { de: "Wirkarbeit Bezug gesamt" }],
				["?lang=pl", { pl: "Energia czynna pobrana suma" }],
			] as const) {
				const { columns } = await gateway.read(`meter/profile${query}`);
				const none = Object.fromEntries(Object.keys({ en: null, ...own }).map((key) => [key, null]));
				assert.deepEqual(columns, [
					{ obis: "1-0:1.8.0", unit: "kWh", en: "Active energy import total", ...own },
					{ obis: "1-0:199.250.7", unit: "", ...none },
					{ obis: "?", unit: "", ...none },
				]);
			}
		});
		it("may have several heads, a row in the line of a head, and other profiles in between", async () => {
			await startBlock([
				`P.01(2260621180000)(00)(15)(1)(1.5)(kW)(0.1)`,
				"(0.2)",
				"P.98(2260621183000)(00)(15)(1)(1.5)(kW)",
				"(9.9)",
				"P.01(2260621190000)(80)(60)(1)(1.5)(kW)",
				"(0.3)",
				"(0.4)",
			]);
			const row = (time: string, status: string, value: string) => ({
				timestamp: Date.parse(`2026-06-21T${time}:00Z`) / 1000,
				status,
				values: [value],
			});
			const all = [
				row("18:00", "00", "0.1"),
				row("18:15", "00", "0.2"),
				row("19:00", "80", "0.3"),
				row("20:00", "80", "0.4"),
			];
			for (let entries = 1; entries <= 5; entries++) {
				const { rows } = await gateway.read(`meter/profile?entries=${entries}`);
				assert.deepEqual(withoutLocal(rows), all.slice(-entries));
			}
			assert.equal((await gateway.read("meter/profile?obis=P.98")).rows[0].values[0], "9.9");
		});
		for (const [what, head, first, periodS, columns] of [
			// The forms are those of public readers for these meters; the values are made up.
			["EMH LZQJ", "P.01(1220823161500)(00000000)(15)(2)(1.5)(kW)(2.5)(kW)", "2022-08-23T14:15", 900, "1.5 kW,2.5 kW"],
			[
				"Metcom",
				"P.01(1220401010000)(08)(15)(2)(1-0:1.5.0)(kW)(1-0:2.5.0)(kW)",
				"2022-03-31T23:00",
				900,
				"1-0:1.5.0 kW,1-0:2.5.0 kW",
			],
			[
				"EMH with channels",
				"P.01(1221005001500)(00000000)(15)(2)(1-1:1.29)(kWh)(1-2:1.29)(kWh)",
				"2022-10-04T22:15",
				900,
				"1-1:1.29 kWh,1-2:1.29 kWh",
			],
			[
				"Elster, for gas",
				"P.01(0050101230000)(0000)(60)(2)(1:23.0.0)(m3)(2:23.0.0)(m3)",
				"2005-01-01T22:00",
				3600,
				"1:23.0.0 m3,2:23.0.0 m3",
			],
			[
				"Iskra",
				"P.01(0070325013000)(0000)(15)(2)(1.5.0)(kW)(3.5.0)(kvar)",
				"2007-03-25T00:30",
				900,
				"1.5.0 kW,3.5.0 kvar",
			],
			[
				"a meter with leading zeros in the minutes",
				"P.01(0191128152324)(00)(01)(2)(1.5)(W)(11.5)(A)",
				"2019-11-28T14:23:24",
				60,
				"1.5 W,11.5 A",
			],
		] as const) {
			it(`is read in the form of ${what}`, async () => {
				await startBlock([head, "(0.18374)(00000255.000)", "(0.16832)(00000256.000)"]);
				const profile = await gateway.read("meter/profile");
				const firstS = Date.parse(`${first}Z`) / 1000;
				const replyTo = profile.columns.map(({ obis, unit }: JSONObject) => `${obis} ${unit}`).join();
				assert.deepEqual([profile.period_secs, replyTo], [periodS, columns]);
				assert.deepEqual(
					profile.rows.map(({ timestamp, values }: JSONObject) => [timestamp, ...values]),
					[
						[firstS, "0.18374", "00000255.000"],
						[firstS + periodS, "0.16832", "00000256.000"],
					],
				);
			});
		}
		/** Status and column codes of the reply; then time of day (UTC) and values of each row. */
		async function replyTo(lines: readonly string[]): Promise<[number, string, string[]]> {
			await startBlock(lines);
			const { status, rows, columns } = await gateway.read("meter/profile");
			const rowOf = ({ timestamp, values }: JSONObject) =>
				`${new Date(timestamp * 1000).toISOString().slice(11, 16)} ${values.join(" ")}`;
			return [status, columns.map(({ obis }: JSONObject) => obis).join(" "), rows.map(rowOf)];
		}
		const TWO = "P.01(2260621183000)(08)(15)(2)(1.5)(kW)(2.5)(kW)";
		const TWO_AGAIN = "(2260621194500)(00)(15)(2)(1.5)(kW)(2.5)(kW)";
		const FOUR = "P.01(2260621183000)(08)(15)(4)(1.5)(kW)(2.5)(kW)(5.5)(kvar)(8.5)(kvar)";
		const ONE = "P.01(2260621183000)(08)(15)(1)(1.5)(kW)";
		const ONE_AGAIN = "(2260621194500)(00)(15)(1)(1.5)(kW)";
		const ROWS_OF_FOUR = ["18:30 1.1 2.1 3.1 4.1", "18:45 1.2 2.2 3.2 4.2"];

		for (const [what, lines, expected] of [
			[
				"a head that comes again without its address",
				[TWO, "(1.1)(2.1)", "(1.2)(2.2)", TWO_AGAIN, "(1.3)(2.3)", TWO_AGAIN.replace("1945", "2030"), "(1.4)(2.4)"],
				["18:30 1.1 2.1", "18:45 1.2 2.2", "19:45 1.3 2.3", "20:30 1.4 2.4"],
			],
			["such a head with one column", [ONE, "(1.1)", ONE_AGAIN, "(1.3)"], ["18:30 1.1", "19:45 1.3"]],
			[
				"such a head with a row in its line",
				[TWO, "(1.1)(2.1)", `${TWO_AGAIN}(1.3)(2.3)`, "(1.4)(2.4)"],
				["18:30 1.1 2.1", "19:45 1.3 2.3", "20:00 1.4 2.4"],
			],
			[
				"such a head over two lines",
				[TWO, "(1.1)(2.1)", ...TWO_AGAIN.replace("(1.5)", "\n(1.5)").split("\n"), "(1.3)(2.3)"],
				["18:30 1.1 2.1", "19:45 1.3 2.3"],
			],
			["rows over two lines", [FOUR, "(1.1)(2.1)", "(3.1)(4.1)", "(1.2)(2.2)", "(3.2)(4.2)"], ROWS_OF_FOUR],
			[
				"rows over lines of three values and one",
				[FOUR, "(1.1)(2.1)(3.1)", "(4.1)", "(1.2)(2.2)(3.2)", "(4.2)"],
				ROWS_OF_FOUR,
			],
			[
				"a line for each value",
				[FOUR, ..."1.1 2.1 3.1 4.1 1.2 2.2 3.2 4.2".split(" ").map((it) => `(${it})`)],
				ROWS_OF_FOUR,
			],
			[
				"head and rows over two lines",
				[...FOUR.replace("(5.5)", "\n(5.5)").split("\n"), "(1.1)(2.1)", "(3.1)(4.1)", "(1.2)(2.2)", "(3.2)(4.2)"],
				ROWS_OF_FOUR,
			],
			["a row that begins in the line of the head", [`${FOUR}(1.1)`, "(2.1)(3.1)(4.1)"], ROWS_OF_FOUR.slice(0, 1)],
		] as [string, string[], string[]][]) {
			it(`may have ${what}: each row is complete and has its time`, async () => {
				const codes = lines[0] === TWO ? "1.5 2.5" : lines[0] === ONE ? "1.5" : "1.5 2.5 5.5 8.5";
				assert.deepEqual(await replyTo([...lines, "1.8.0(5*kWh)"]), [0, codes, expected]);
			});
		}
		it("may have 96 rows over two lines each; with 101 rows the status is 2", async () => {
			const rows = Array.from({ length: 101 }, (_, i) => [`(1.${i})(2)`, `(3)(4.${i})`]);
			const [status, , all] = await replyTo([FOUR, ...rows.slice(0, 96).flat()]);
			assert.deepEqual([status, all.length, all[95]], [0, 96, "18:15 1.95 2 3 4.95"]);
			await gateway.stop();
			assert.equal((await replyTo([FOUR, ...rows.flat()]))[0], 2);
		});
		for (const [what, lines, expected] of [
			["has too many values", ["(1.1)(2.1)", "(1.2)(2.2)(3.2)", "(1.3)(2.3)"], ["18:30 1.1 2.1"]],
			[
				"has too many values in one of its two lines",
				["(1.1)(2.1)", "(1.2)", "(2.2)(1.3)", "(2.3)"],
				["18:30 1.1 2.1"],
			],
			["has too few values at the end", ["(1.1)(2.1)", "(1.2)"], ["18:30 1.1 2.1"]],
			[
				"has too few values before a head",
				["(1.1)(2.1)", "(1.2)", "P.01(2260621200000)(00)(15)(2)(1.5)(kW)(2.5)(kW)", "(1.9)(2.9)"],
				["18:30 1.1 2.1", "20:00 1.9 2.9"],
			],
			["breaks the grammar", ["(1.1)(2.1)", "(1.2)(2(2)", "(1.3)(2.3)"], ["18:30 1.1 2.1"]],
			["breaks the grammar at its beginning", ["(1.1)(2.1)", ")(1.2)(2.2)", "(1.3)(2.3)"], ["18:30 1.1 2.1"]],
			[
				"is the head of another number of columns",
				["(1.1)(2.1)", TWO_AGAIN.replace("(2)", "(3)"), "(1.3)(2.3)"],
				["18:30 1.1 2.1"],
			],
			["follows a head without the number of columns", [], []],
		] as [string, string[], string[]][]) {
			it(`is read with status 2, without a row that ${what} and the rows after it up to the next head`, async () => {
				const head = lines.length > 0 ? TWO : TWO.replace("(2)", "()");
				assert.deepEqual(
					await replyTo([head, ...lines, ...(lines.length > 0 ? [] : ["(1.1)(2.1)"])]).then(([status, , rows]) => [
						status,
						rows,
					]),
					[2, expected],
				);
			});
		}
		it("has a time only in its first row if it has no period", async () => {
			await startBlock([TWO.replace("(15)", "()"), "(1.1)(2.1)", "(1.2)(2.2)"]);
			const { rows } = await gateway.read("meter/profile");
			assert.deepEqual([rows[0].localtime, rows[1].timestamp], ["2026-06-21T20:30:00+02:00", 0]);
		});
		it("may have rows with address and time, and no head (Makel)", async () => {
			const row = (time: string, values: string) => `P.01(26-06-21,${time})${values}`;
			const lines = [row("20:30", "(000.120)(000.004)(0.1)(0.2)"), row("20:45", "(000.148)(000.000)(0.3)(0.4)")];
			await startBlock(["0.0.0(48151623)", ...lines, "1.8.0(5*kWh)"]);
			const { meter_id, ...profile } = await gateway.read("meter/profile");
			const firstS = Date.parse("2026-06-21T18:30:00Z") / 1000;
			assert.deepEqual(profile, {
				protocol: "IEC62056-21",
				obis: "P.01",
				status: 0,
				period_secs: 0,
				columns: [],
				rows: [
					{
						timestamp: firstS,
						localtime: "2026-06-21T20:30:00+02:00",
						status: null,
						values: ["000.120", "000.004", "0.1", "0.2"],
					},
					{
						timestamp: firstS + 900,
						localtime: "2026-06-21T20:45:00+02:00",
						status: null,
						values: ["000.148", "000.000", "0.3", "0.4"],
					},
				],
			});
			await gateway.stop();
			await startBlock([...lines, row("21:00", "(000.1)(000.2)(0.3)"), row("21:15", "(1)(2)(3)(4)")]);
			const { status, rows } = await gateway.read("meter/profile?entries=2");
			assert.deepEqual(
				[status, rows.map(({ timestamp }: JSONObject) => timestamp)],
				[2, [firstS + 900, firstS + 2700]],
			);
		});
		it("has time 0 and no local time if its times are invalid", async () => {
			await startBlock([`P.01(??????)${HEAD}`, ...ROWS]);
			const { rows } = await gateway.read("meter/profile");
			assert.deepEqual([rows[0].timestamp, rows[0].localtime, rows[2].timestamp], [0, "", 0]);
		});
		it("is answered with 404 if it is missing", async () => {
			await startBlock(["1.8.0(5*kWh)"]);
			const reply = await gateway.get("meter/profile");
			isError(reply, 404, "no_profile");
			assert.equal(JSON.parse(reply.text).missing, undefined);
		});
	});

	describe("P.01 in programming mode", () => {
		/** Rows of tools/meter/iec-programming.ts up to 18:30. */
		function rowsUpToNow(count: number, periodS: number): JSONObject[] {
			const last = Math.floor((NOW_S + 440) / periodS);
			return Array.from({ length: count }, (_, i) => {
				const n = last - count + 1 + i;
				const values = [(n % 1000) / 1000, (n % 7) / 1000].map((kW) => kW.toFixed(3));
				return { timestamp: n * periodS, status: n % 32 === 7 ? "80" : "00", values };
			});
		}

		for (const [what, profile, lines, entries, periodS, options] of [
			["with the time of the readout", {}, CLOCK, 30, 900, {}],
			["with a clock in the form of VDEW", {}, ["0.9.1(2183720)", "0.9.2(2260621)"], 4, 900, {}],
			["with a clock of digits only", {}, ["0.9.1(183720)", "0.9.2(260621)"], 100, 900, {}],
			["with a clock that is requested in programming mode", {}, [], 30, 900, {}],
			["if only the date is in the readout", {}, ["0.9.2(260621)"], 1, 900, {}],
			["of an hour", { period: 60 }, CLOCK, 30, 3600, {}],
			["of an hour, only two of them", { period: 60 }, CLOCK, 2, 3600, {}],
			["of a day", { period: 1440 }, CLOCK, 3, 86_400, {}],
			["of five minutes", { period: 5 }, CLOCK, 40, 300, {}],
			["of a minute", { period: 1, rows: 2000 }, CLOCK, 96, 60, {}],
			["with heads that have no address", { form: "bare-heads" }, CLOCK, 80, 900, {}],
			["with a line for each value", { form: "value-lines" }, CLOCK, 96, 900, {}],
			[
				"with a line for each value, in parts of one line",
				{ form: "value-lines", fault: "r6-only", lines: 1 },
				CLOCK,
				5,
				900,
				{},
			],
			[
				"with a line for each value, in parts that are sometimes damaged",
				{ form: "value-lines", fault: "r6-only", wrongBCC: 2 },
				CLOCK,
				30,
				900,
				{},
			],
			["in parts", { fault: "r6-only" }, CLOCK, 30, 900, {}],
			["in parts of one line", { fault: "r6-only", lines: 1 }, CLOCK, 5, 900, {}],
			["in parts that are sometimes damaged", { fault: "r6-only", wrongBCC: 2 }, CLOCK, 30, 900, {}],
			["from a meter that accepts no season in a request", { fault: "no-season" }, CLOCK, 30, 900, {}],
			["that are damaged twice", { wrongBCC: 2 }, CLOCK, 30, 900, {}],
			["that are damaged more often than the request is repeated", { wrongBCC: 4 }, CLOCK, 30, 900, {}],
			["slowly", {}, CLOCK, 30, 900, { faults: { lateMs: 1000 } }],
			["with a password", { password: SECRET }, CLOCK, 30, 900, {}],
			["with a password, in parts that are sometimes damaged", { password: SECRET, wrongBCC: 4 }, CLOCK, 30, 900, {}],
		] as [string, ProfileOptions, string[], number, number, Partial<IECMeterOptions>][]) {
			it(`reads rows ${what}`, async () => {
				await startProgramming(profile, lines, options);
				if (profile.password !== undefined) await gateway.write("iec62056/config", { password: profile.password });
				const { rows, meter_id, ...head } = await gateway.read(`meter/profile?entries=${entries}`);
				assert.deepEqual(head, {
					protocol: "IEC62056-21",
					obis: "P.01",
					status: 0,
					period_secs: periodS,
					columns: [
						{ obis: "1.5", unit: "kW", en: "Demand in the last period, active power import" },
						{ obis: "2.5", unit: "kW", en: "Demand in the last period, active power export" },
					],
				});
				assert.deepEqual(withoutLocal(rows), rowsUpToNow(entries, periodS));
			});
		}
		for (const [what, profile, code] of [
			["by the end of the session", {}, "iec62056-21/password"],
			["by NAK", { fault: "password-nak" }, "iec62056-21/password"],
			["by a message", { fault: "password-error" }, "iec62056-21/password"],
			["by silence", { fault: "password-silence" }, "iec62056-21/password-silence"],
			["by requesting another password", { fault: "password-demand" }, "iec62056-21/password-silence"],
		] as [string, ProfileOptions, string][]) {
			it(`tries the password only once per request if the meter rejects it ${what}`, async () => {
				await startProgramming({ password: SECRET, tries: 2, ...profile });
				await gateway.write("iec62056/config", { password: "87654321" });
				for (const isLocked of [false, true]) {
					const reply = await gateway.get("meter/profile");
					isError(reply, 500, "meter_auth_failed");
					assert.deepEqual([JSON.parse(reply.text).code, programming.isLocked], [code, isLocked]);
				}
				assert.equal((await gateway.read("iec62056/last")).last_error, null);
				assert.equal((await gateway.read("iec62056/read")).status, 0);
			});
		}
		it("is refused by a locked meter even with the right password", async () => {
			await startProgramming({ password: SECRET, tries: 0 });
			await gateway.write("iec62056/config", { password: SECRET });
			assert.equal(JSON.parse((await gateway.get("meter/profile")).text).code, "iec62056-21/password");
		});
		it("does not reveal the password in the settings, in the log or in an echo", async () => {
			await startProgramming({ password: SECRET });
			gateway.plant(SECRET);
			gateway.world.serial.meter.echo = true;
			await gateway.write("iec62056/control", { log_en: true });
			assert.equal((await gateway.write("iec62056/config", { password: SECRET })).password_set, true);
			assert.equal((await gateway.read("meter/profile?entries=3")).rows.length, 3);
			const { entries } = await gateway.read("iec62056/log");
			const replyTo = (kind: string) =>
				entries.map((entry: JSONObject) => (entry.kind === kind ? entry.hex : "")).join("");
			for (const kind of ["sent", "received"]) {
				assert.ok(replyTo(kind).includes("2a".repeat(SECRET.length)), kind);
				assert.ok(!replyTo(kind).includes(hex(Buffer.from(SECRET))), kind);
			}
			assert.equal((await gateway.write("iec62056/config", { password: "" })).password_set, false);
			gateway.checkTraces();
		});
		it("can be read through a head with an echo", async () => {
			await startProgramming();
			gateway.world.serial.meter.echo = true;
			const { rows } = await gateway.read("meter/profile?entries=30");
			assert.deepEqual(withoutLocal(rows), rowsUpToNow(30, 900));
		});
		describe("at 300 Bd", () => {
			async function begin(profile: ProfileOptions, options: Partial<IECMeterOptions>, forMs: number) {
				await startProgramming(profile, CLOCK, options);
				await gateway.write("iec62056/config", { baudrate_max: 300 });
				const exchange = gateway.begin("GET", "meter/profile");
				await gateway.pass(forMs);
				assert.equal((await gateway.read("iec62056/last")).running, true);
				return exchange;
			}

			it("may take more than a minute if no other request waits", async () => {
				const profile = await begin({}, {}, 62_000);
				assert.deepEqual(withoutLocal(JSON.parse((await profile.reply()).text).rows), rowsUpToNow(96, 900));
			});
			it("is aborted after a minute if another request waits", async () => {
				const profile = await begin({}, {}, 30_000);
				const readout = gateway.begin("GET", "iec62056/read");
				isError(await profile.reply(), 500, "meter_timeout");
				assert.equal(JSON.parse((await readout.reply()).text).status, 0);
			});
			it("is aborted after three minutes", async () => {
				const slowly = { faults: { lateMs: 1400 } };
				const profile = await begin({ fault: "r6-only", lines: 1 }, slowly, 178_000);
				isError(await profile.reply(), 500, "meter_timeout");
				await gateway.pass(20_000);
				assert.equal((await gateway.read("iec62056/read")).status, 0);
			});
		});
		it("leaves the last readout unchanged", async () => {
			await startProgramming();
			const before = await gateway.read("iec62056/read");
			await gateway.read("meter/profile?entries=3");
			const { running, last_attempt, last_error, momentary_valid, ...last } = await gateway.read("iec62056/last");
			assert.deepEqual([running, last_error, last], [false, null, before]);
			assert.equal((await gateway.read("iec62056/read")).readings.length, before.readings.length);
		});
		it("has status 2 if the meter sends more than fits", async () => {
			await startProgramming({ fault: "long-answer" });
			const { rows, status } = await gateway.read("meter/profile?entries=10");
			assert.deepEqual([rows.length, status], [10, 2]);
		});
		for (const [what, profile, lines, status, error, code] of [
			["is rejected", { place: "none" }, CLOCK, 404, "no_profile", "no-profile"],
			["is rejected by its name", { fault: "error" }, CLOCK, 404, "no_profile", "no-profile"],
			["is rejected by an error message alone", { fault: "error-alone" }, CLOCK, 404, "no_profile", "no-profile"],
			["is rejected by NAK", { fault: "nak" }, CLOCK, 404, "no_profile", "no-profile"],
			["requires a password", { password: "12345678" }, CLOCK, 404, "no_profile", "no-profile"],
			["needs a mode that the meter lacks", { fault: "no-programming" }, CLOCK, 404, "no_profile", "no-programming"],
			["is broken off", { fault: "break" }, CLOCK, 500, "meter_error", "broken-off"],
			["gets no reply", { fault: "silence" }, CLOCK, 500, "meter_timeout", "no-answer"],
			["comes without a clock", { fault: "no-clock" }, [], 500, "meter_error", "no-clock"],
			["arrives damaged", { wrongBCC: 1000 }, CLOCK, 500, "meter_error", "check"],
		] as [string, ProfileOptions, string[], number, string, string][]) {
			it(`gives an error if it ${what}, and the next readout works`, async () => {
				await startProgramming(profile, lines);
				const reply = await gateway.get("meter/profile");
				isError(reply, status, error);
				assert.equal(JSON.parse(reply.text).code, `iec62056-21/${code}`);
				assert.equal((await gateway.read("iec62056/last")).last_error, null);
				assert.equal((await gateway.read("iec62056/read")).status, 0);
			});
		}
	});

	it("rejects an invalid code and an invalid number of rows", async () => {
		await start("");
		for (const [query, field] of [
			["obis=", "obis"],
			["obis=hello", "obis"],
			["entries=0", "entries"],
			["entries=101", "entries"],
			["entries=", "entries"],
			["entries=1e1", "entries"],
		]) {
			const reply = await gateway.get(`meter/profile?${query}`);
			isError(reply, 400, "invalid_field", field);
		}
	});
});
