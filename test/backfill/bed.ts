/** A gateway in virtual time with a meter, of either protocol, that keeps a load profile with counters. */
import assert from "node:assert/strict";
import type { Machine } from "../../modules/io/machine.js";
import { DLMSMeter } from "../../tools/meter/dlms-meter.js";
import { parseDLMSOptions } from "../../tools/meter/dlms-options.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { type ProfileOptions, ProgrammingMode } from "../../tools/meter/iec-programming.js";
import { type Counters, countersAt, readingWith, type StoredRows } from "../../tools/meter/steady-household.js";
import { frame } from "../../tools/meter/telegram.js";
import type { JSONObject } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const YEAR_ROWS = 35_040;

/**
 * Offset of Central European Time, minutes. Summer time lasts from 1:00 UTC on the last Sunday of March to 1:00 UTC on
 * the last Sunday of October.
 */
export function berlinAt(utcMs: number): number {
	const year = new Date(utcMs).getUTCFullYear();
	const lastSunday = (month: number) => {
		const end = new Date(Date.UTC(year, month + 1, 0, 1));
		return end.getTime() - end.getUTCDay() * DAY_MS;
	};
	return utcMs >= lastSunday(2) && utcMs < lastSunday(9) ? 120 : 60;
}

export interface BedOptions {
	startMs: number;
	protocol: "dlms" | "iec62056";
	/** Undefined: the usual profile of the simulated meter. */
	stored: StoredRows | undefined;
	/** Command-line options of the DLMS meter. */
	line?: string;
	zone?: (utcMs: number) => number;
	/** Season digit of IEC times; default: 1 in summer, 0 in winter. */
	digit?: (utcMs: number) => string;
	profile?: ProfileOptions;
	/** Speed of IEC 62056-21, Bd. */
	baud?: number;
	/** Error of the meter's clock, ms. */
	clockMs?: number;
	/** Counters of a readout; default: those of the household. */
	counters?: (utcMs: number) => Counters;
	schedule?: JSONObject;
	/** Another meter in place of the simulated one. */
	meter?: (utcMs: () => number) => Machine;
}

export class BackfillBed {
	readonly gateway: VirtualGateway;
	readonly options: BedOptions;
	serial = "48151623";

	private constructor(options: BedOptions) {
		this.options = options;
		this.gateway = new VirtualGateway("client", { utcMs: options.startMs });
		this.gateway.onWorld = () => this.connect();
	}

	static async start(options: BedOptions): Promise<BackfillBed> {
		const bed = new BackfillBed(options);
		const { gateway } = bed;
		bed.connect();
		await gateway.login();
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		await gateway.write("meter/protocol", { protocol: options.protocol });
		if (options.protocol === "dlms") await gateway.write("dlms/config", { server_physical: 17, opening: "direct" });
		const schedule = options.schedule ?? { enabled: true, period_unit: "minutes", period_value: 15 };
		await gateway.write("iec62056/schedule", schedule);
		return bed;
	}

	get nowMs(): number {
		return this.gateway.world.time.utcMs() ?? assert.fail("the clock is set");
	}

	/** Puts the meter on the line of the present world. */
	connect(): void {
		const { options } = this;
		const { clockMs = 0, counters = countersAt } = options;
		const stored = options.stored === undefined ? {} : { stored: options.stored };
		const utcMs = () => this.nowMs;
		const reading = () => ({ ...readingWith(utcMs(), counters(utcMs())), utcMs: utcMs() + clockMs });
		const { meter } = this.gateway.world.serial;
		if (options.meter !== undefined) {
			meter.connect(options.meter(utcMs));
			return;
		}
		if (options.protocol === "dlms") {
			const {
				baud,
				signOn: _,
				atMs: __,
				reactionMs = 20,
				...rest
			} = parseDLMSOptions(options.line === undefined ? [] : options.line.split(" "))!;
			const zone = { ...rest.server.zone, minutesAt: options.zone ?? berlinAt };
			const server = { ...rest.server, zone, household: { reading }, ...stored };
			meter.connect(new DLMSMeter({ ...rest, baud, reactionMs, clocked: true, server }));
			return;
		}
		const { zone = berlinAt, digit = (ms: number) => (berlinAt(ms) === 120 ? "1" : "0") } = options;
		const seasonAt = (ms: number) => ({ minutes: zone(ms), digit: digit(ms) });
		const profile: ProfileOptions = { place: "programming", seasonAt, ...stored, ...options.profile };
		const programming = new ProgrammingMode(profile, () => utcMs() + clockMs);
		const source = () => {
			const { importWh, exportWh } = counters(utcMs());
			const lines = [
				`0.0.0(${this.serial})`,
				`1.8.0(${(importWh / 1000).toFixed(3)}*kWh)`,
				`2.8.0(${(exportWh / 1000).toFixed(3)}*kWh)`,
			];
			return {
				opening: Buffer.from("/TST5METER\r\n"),
				slash: 0,
				message: frame(Buffer.from(`${lines.join("\r\n")}\r\n!\r\n`)),
			};
		};
		meter.connect(new IECMeter({ source, mode: "C", programming }));
	}

	/** Logs in, since a token lasts an hour, and changes settings. */
	async write(path: string, body: JSONObject): Promise<void> {
		await this.gateway.login();
		await this.gateway.write(path, body);
	}

	async begin(settings: JSONObject = {}): Promise<void> {
		await this.write("meter/backfill", { enabled: true, ...settings });
	}

	async status(): Promise<JSONObject> {
		await this.gateway.login();
		return this.gateway.read("meter/backfill/status");
	}

	async pass(ms: number): Promise<void> {
		await this.gateway.pass(ms);
	}

	/** Passes time until the backfill has ended; returns its status. */
	async end(limitMs = 3 * DAY_MS): Promise<JSONObject> {
		const endMs = this.nowMs + limitMs;
		for (;;) {
			const status = await this.status();
			if (status.state === "ended") return status;
			assert.ok(this.nowMs < endMs, `it has not ended: ${JSON.stringify(status)}`);
			await this.pass(HOUR_MS);
		}
	}

	async history(period: string): Promise<JSONObject[]> {
		await this.gateway.login();
		return (await this.gateway.read(`meter/history?period=${period}`)).periods;
	}

	/** Checks that a period has what the household used, up to `slackWh` for the delay of a readout at each end. */
	isTrue({ start, end, import_wh, export_wh }: JSONObject, slackWh = 8): void {
		const [from, to] = [start, end].map((s) => countersAt(s * 1000));
		const name = `${new Date(start * 1000).toISOString()} to ${new Date(end * 1000).toISOString()}`;
		const near = (found: number, right: number) =>
			assert.ok(Math.abs(found - right) <= slackWh, `${name}: ${found} is not ${right}`);
		near(import_wh, to.importWh - from.importWh);
		near(export_wh, to.exportWh - from.exportWh);
	}
}
