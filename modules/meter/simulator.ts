/**
 * Built-in meter simulator (`simulator_en`): a household with solar panels.
 *
 * The power is constant within each of the week's 168 hours. It is the load minus the solar power at that hour of the
 * day; both are multiplied by a factor for the day of the week. A positive power is imported, a negative one exported.
 * The energy is the sum since 2024-01-01 (a Monday).
 */

import { asciiBytes } from "../bytes/ascii.js";
import { DLMS_COSEM } from "../cosem/read-session.js";
import { DataSetParser } from "../iec62056-21/dataset.js";
import { MODE_C } from "../iec62056-21/ident.js";
import type { SessionContext, SimulatedProtocol } from "../readout/protocol.js";
import { PROTOCOL_DLMS } from "../readout/protocol-names.js";
import { PROTOCOL_IEC62056_21, STATUS_OK } from "../readout/readout.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { digitsOf } from "../time/date.js";
import type { MeterSettings } from "./settings.js";

/** Identification of the simulated meter, without `/`. */
const SIMULATOR_IDENT = "SMG5SIMULATOR";
const SIMULATOR_BAUD = 9600;

/** Load for each hour of the day, W. It is one string, because each number in a table would take 16 bytes of flash. */
const LOAD_W = "210 190 180 180 190 260 620 840 560 420 390 480 760 540 430 410 520 880 1340 1180 860 640 420 280";
const SUN_W = "0 0 0 0 0 20 160 520 1100 1780 2350 2720 2860 2740 2380 1820 1150 560 190 30 0 0 0 0";
/** Factor of the load for each day of the week from Monday on, per cent. */
const LOAD_PERCENT = "100 96 98 101 108 131 118";
const SUN_PERCENT = "84 100 31 66 92 100 77";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_HOURS = 168;
/** 2024-01-01T00:00:00Z. */
const START_MS = 1_704_067_200_000;
const START_IMPORT_WH = 4_213_000;
const START_EXPORT_WH = 1_870_000;
const TARIFF_1_FROM = 6;
const TARIFF_1_TO = 22;
const PHASE_PERCENT = Object.freeze([46, 31, 23]);

const LINE_LIMIT = 64;

export class MeterSimulator {
	readonly #line = new Uint8Array(LINE_LIMIT);
	readonly #loadW = LOAD_W.split(" ");
	readonly #sunW = SUN_W.split(" ");
	readonly #loadPercent = LOAD_PERCENT.split(" ");
	readonly #sunPercent = SUN_PERCENT.split(" ");
	#length = 0;
	#importWh = 0;
	#importTariff1Wh = 0;
	#exportWh = 0;

	/** Writes the records of a readout. `timeMs`: Unix ms, or ms since the start if the clock is not set. */
	run(records: RecordWriter, timeMs: number): void {
		const parser = new DataSetParser(records);
		const sinceMs = timeMs >= START_MS ? timeMs - START_MS : timeMs;
		const hours = Math.floor(sinceMs / HOUR_MS);
		this.integrate(hours, sinceMs / HOUR_MS - hours);
		const ripple = rippleAt(sinceMs);
		const netW = Math.round(this.netOf(hours % WEEK_HOURS) * (1 + ripple / 40));
		parser.begin();
		this.text(parser, "F.F(00)");
		this.text(parser, "0.0.0(10000001)");
		this.clock(parser, timeMs);
		this.energy(parser, "1.8.0(", this.#importWh);
		this.energy(parser, "1.8.1(", this.#importTariff1Wh);
		this.energy(parser, "1.8.2(", this.#importWh - this.#importTariff1Wh);
		this.energy(parser, "2.8.0(", this.#exportWh);
		this.value(parser, "1.7.0(", Math.max(0, netW), 3, "*kW)");
		this.value(parser, "2.7.0(", Math.max(0, -netW), 3, "*kW)");
		this.value(parser, "16.7.0(", netW, 3, "*kW)");
		for (let phase = 0; phase < 3; phase++) this.phase(parser, phase, netW, ripple);
		this.value(parser, "14.7.0(", 5000 + (ripple % 2), 2, "*Hz)");
		parser.endBlock(true);
	}

	private integrate(hours: number, fraction: number): void {
		const weeks = Math.floor(hours / WEEK_HOURS);
		const rest = hours % WEEK_HOURS;
		this.#importWh = START_IMPORT_WH;
		this.#importTariff1Wh = Math.floor(START_IMPORT_WH * 0.7);
		this.#exportWh = START_EXPORT_WH;
		for (let hour = 0; hour < WEEK_HOURS; hour++) {
			const times = weeks + (hour < rest ? 1 : hour === rest ? fraction : 0);
			const netWh = this.netOf(hour) * times;
			const hourOfDay = hour % 24;
			if (netWh < 0) this.#exportWh -= netWh;
			else {
				this.#importWh += netWh;
				if (hourOfDay >= TARIFF_1_FROM && hourOfDay < TARIFF_1_TO) this.#importTariff1Wh += netWh;
			}
		}
		this.#importWh = Math.floor(this.#importWh);
		this.#importTariff1Wh = Math.floor(this.#importTariff1Wh);
		this.#exportWh = Math.floor(this.#exportWh);
	}

	private netOf(hour: number): number {
		const day = Math.floor(hour / 24);
		const hourOfDay = hour % 24;
		const load = Number(this.#loadW[hourOfDay]) * Number(this.#loadPercent[day]);
		return Math.round((load - Number(this.#sunW[hourOfDay]) * Number(this.#sunPercent[day])) / 100);
	}

	/** Writes 0.9.1 (hhmmss) and 0.9.2 (yymmdd), in UTC. */
	private clock(parser: DataSetParser, timeMs: number): void {
		const days = Math.floor(timeMs / DAY_MS);
		const minutes = Math.floor((timeMs - days * DAY_MS) / 60_000);
		const time = Math.floor(minutes / 60) * 10_000 + (minutes % 60) * 100 + (Math.floor(timeMs / 1000) % 60);
		this.digits(parser, "0.9.1(", time);
		this.digits(parser, "0.9.2(", digitsOf(days) % 1_000_000);
	}

	private phase(parser: DataSetParser, phase: number, netW: number, ripple: number): void {
		const powerW = (Math.abs(netW) * PHASE_PERCENT[phase]) / 100;
		const voltage = 2300 + ((ripple * (phase + 3)) % 7) * 4 - Math.round(powerW / 200);
		const current = Math.round(powerW / 2.3 + 12);
		this.value(parser, phase === 0 ? "32.7.0(" : phase === 1 ? "52.7.0(" : "72.7.0(", voltage, 1, "*V)");
		this.value(parser, phase === 0 ? "31.7.0(" : phase === 1 ? "51.7.0(" : "71.7.0(", current, 2, "*A)");
	}

	private energy(parser: DataSetParser, head: string, energyWh: number): void {
		this.value(parser, head, energyWh, 3, "*kWh)");
	}

	/** Writes `value` ÷ 10^`decimals`, with leading zeros as meters send them. */
	private value(parser: DataSetParser, head: string, value: number, decimals: number, tail: string): void {
		this.#length = 0;
		this.put(head);
		if (value < 0) this.put("-");
		this.number(Math.abs(value), decimals, decimals === 3 ? 9 : 5);
		this.put(tail);
		this.send(parser);
	}

	private digits(parser: DataSetParser, head: string, value: number): void {
		this.#length = 0;
		this.put(head);
		this.number(value, 0, 6);
		this.put(")");
		this.send(parser);
	}

	private text(parser: DataSetParser, text: string): void {
		this.#length = 0;
		this.put(text);
		this.send(parser);
	}

	private send(parser: DataSetParser): void {
		this.put("\r\n");
		parser.receive(this.#line, 0, this.#length);
	}

	private number(value: number, decimals: number, digits: number): void {
		let divisor = 10 ** (digits - 1);
		while (value >= divisor * 10) divisor *= 10;
		for (; divisor >= 1; divisor /= 10) {
			if (divisor * 10 === 10 ** decimals) this.#line[this.#length++] = 0x2e;
			this.#line[this.#length++] = 0x30 + (Math.floor(value / divisor) % 10);
		}
	}

	private put(text: string): void {
		for (let i = 0; i < text.length; i++) this.#line[this.#length++] = text.charCodeAt(i);
	}
}

/** Variation of the voltage or current: -3 to 3, changing every ten seconds. */
function rippleAt(sinceMs: number): number {
	const step = Math.floor(sinceMs / 10_000);
	return (((step * 7919) % 101) % 7) - 3;
}

export const SIMULATED: SimulatedProtocol<MeterSettings> = Object.freeze({
	isChosen: (settings: MeterSettings) => settings.simulator,
	simulate: ({ settings, records, nowMs }: SessionContext<MeterSettings>, utcMs: number) => {
		// If the clock is not set, the values depend on the time since the start.
		new MeterSimulator().run(records, utcMs === 0 ? nowMs : utcMs);
		const isDLMS = settings.protocol === PROTOCOL_DLMS;
		return {
			protocol: isDLMS ? DLMS_COSEM : PROTOCOL_IEC62056_21,
			...(isDLMS ? { missing: new Uint8Array(0) } : {}),
			meterId: asciiBytes(SIMULATOR_IDENT),
			mode: isDLMS ? 0 : MODE_C,
			baud: SIMULATOR_BAUD,
			utcMs,
			status: STATUS_OK,
			records: records.kept ?? new Uint8Array(0),
		};
	},
});
