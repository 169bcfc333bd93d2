/** The load profile that is stored in the meter. */
import { useState } from "preact/hooks";
import { type Bar, Bars } from "../kit/bars.js";
import { Choice } from "../kit/choices.js";
import { announce, Button, Card, DownloadButton, Notice, Progress } from "../kit/components.js";
import { decimalCell } from "../kit/csv.js";
import { type DeviceError, get } from "../kit/device.js";
import { failureText } from "../kit/failures.js";
import { formatDecimal, formatMoment, formatNumber, kiloUnit } from "../kit/format.js";
import { READOUT_CUT, status } from "../kit/live.js";
import type { Profile } from "../kit/replies.js";
import { Store, useStore } from "../kit/store.js";
import { Table } from "../kit/table.js";
import { isText, language, t } from "../kit/text.js";
import { asDeviceError, errorText } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import type { TextKey } from "../text/all.js";
import { ReadFailure } from "./meter-finding.js";

const READ_LIMIT_S = 180;
const READ_LIMIT_MS = 190_000;
/** Usual contents of a load profile, by its code (IEC 62056-6-1, 7.4.1). "" stands for any other code. */
const CODES: readonly (readonly [code: string, name: TextKey])[] = [
	["1-0:99.1.0", "profile.quarters"],
	["1-0:99.2.0", "profile.days"],
	["0-0:98.1.0", "profile.months"],
	["", "profile.other"],
];
/** Numbers of rows that the user can request. The API returns at most 100 rows. */
const ENTRIES = ["10", "24", "48", "96", "100"];
const A_DAY_OF_QUARTERS = "96";

type Column = Profile["columns"][number];
type Row = Profile["rows"][number];

/**
 * State of the page. It is outside the component, because a readout takes long, and is cleared when the user logs out.
 */
interface Seen {
	readonly sinceMs?: number;
	readonly profile?: Profile;
	readonly error?: DeviceError;
}
const seen = new Store<Seen>({});
status.watch((now) => {
	if (now === undefined) seen.set({});
});

async function read(code: string, entries: string): Promise<void> {
	seen.set({ sinceMs: Date.now() });
	announce(t("read.running"));
	const query = new URLSearchParams({ obis: code, entries, lang: language });
	try {
		seen.set({ profile: await get<Profile>(`meter/profile?${query}`, { timeoutMs: READ_LIMIT_MS, lane: "meter" }) });
		announce(t("read.done"));
	} catch (reason) {
		seen.set({ error: asDeviceError(reason) });
		announce(t("read.failed"));
	}
}

export function ProfileCard() {
	const { sinceMs, profile, error } = useStore(seen);
	const [code, setCode] = useState(CODES[0][0]);
	const [own, setOwn] = useState("");
	const [entries, setEntries] = useState(A_DAY_OF_QUARTERS);
	return (
		<Card title={t("profile.title")} wide>
			<p class="help">{t("profile.help")}</p>
			<div class="tools">
				<Choice
					label={t("profile.which")}
					name="profile"
					value={code}
					options={CODES.map(([one, name]) => [one, one === "" ? t(name) : `${t(name)} (${one})`])}
					onChoose={setCode}
				/>
				{code === "" && (
					<label>
						{t("readings.code")}
						<input
							name="obis"
							autocomplete="off"
							placeholder={CODES[0][0]}
							value={own}
							onInput={(event) => setOwn(event.currentTarget.value)}
						/>
					</label>
				)}
				<Choice
					label={t("profile.rows")}
					name="entries"
					value={entries}
					options={ENTRIES.map((one) => [one, one])}
					onChoose={setEntries}
				/>
				<Button
					kind="main"
					name="read"
					busy={sinceMs !== undefined && t("read.running")}
					onClick={() => read(code || own.trim(), entries)}
				>
					{t("profile.read")}
				</Button>
			</div>
			{sinceMs !== undefined && <Progress label={t("read.running")} limitS={READ_LIMIT_S} sinceMs={sinceMs} />}
			{error && <ReadFailure error={error} text={causeOf(error)} />}
			{profile?.rows.length === 0 && <p>{t("profile.none")}</p>}
			{profile && profile.rows.length > 0 && <View profile={profile} />}
		</Card>
	);
}

/** Failures that only occur in the programming mode of IEC 62056-21. */
const IN_PROGRAMMING = /\/(no-(programming|clock|answer|profile)|broken-off)$/;

/** Returns a specific text, or undefined if the general text for the error suffices. */
function causeOf(error: DeviceError): string | undefined {
	if (error.code === "invalid_field") return t("valid.form");
	const { code = "", missing }: { code?: string; missing?: { reason: string } } = error.body;
	if (IN_PROGRAMMING.test(code)) return t("error.no_profile");
	const key = `missing.${missing?.reason}`;
	return isText(key) ? `${errorText(error)} ${t("profile.cause", { why: t(key) })}` : failureText(code);
}

function nameOf(column: Column): string {
	return column[language] ?? column.en ?? column.obis;
}

interface Line extends Row {
	/** Time in the form of wall.ts, or NaN if it is unknown. */
	readonly wallMs: number;
	readonly time: string;
	readonly remark: string;
	readonly isMarked: boolean;
}

/** Texts of the status bits, from bit 0 on: VDEW 2.1.2 (P.01) and IDIS (0-0:96.10.1). */
const MARKS: readonly TextKey[] = [
	"profile.fault",
	"profile.clock",
	"profile.doubt",
	"profile.season",
	"profile.reset",
	"profile.set",
	"profile.up",
	"profile.down",
];
/** Bit for daylight-saving time. It is not an event, because IDIS sets it in each row of the summer. */
const SEASON = 8;

/** Returns the status bits, or NaN if the status is not a number or has unknown bits. */
function bitsOf(text: string | null, isHex: boolean): number {
	const bits = Number(`${isHex ? "0x" : ""}${text ?? 0}`);
	return bits < 1 << MARKS.length ? bits : Number.NaN;
}

function lineOf(row: Row, isHex: boolean): Line {
	const wallMs = Date.parse(`${row.localtime.slice(0, 19)}Z`);
	const bits = bitsOf(row.status, isHex);
	const isOther = Number.isNaN(bits);
	const words = MARKS.filter((_, bit) => bits & (1 << bit)).map((key) => t(key));
	return {
		...row,
		wallMs,
		time: Number.isNaN(wallMs) ? t("read.timeless") : formatMoment(wallMs / 1000, language, "UTC"),
		// A status with unknown bits is shown as the meter sent it.
		remark: isOther ? `${t("profile.status")} ${row.status}` : words.join(", "),
		isMarked: isOther || (bits & ~SEASON) !== 0,
	};
}

function View({ profile }: { profile: Profile }) {
	const { zoneName } = useZone();
	const { protocol, columns, period_secs } = profile;
	const lines = profile.rows
		.map((row) => lineOf(row, protocol === "IEC62056-21"))
		.sort((a, b) => a.timestamp - b.timestamp);
	return (
		<>
			{profile.status === READOUT_CUT && <Notice kind="warning">{t("read.cut")}</Notice>}
			<Chart lines={lines} columns={columns} periodS={period_secs} />
			<p class="help">{t("zone.shown", { zone: zoneName })}</p>
			<Table
				heads={[t("readings.time"), ...columns.map(nameOf), t("use.remark")]}
				rows={lines.map(({ time, values, remark }) => [
					time,
					...columns.map(({ unit }, place) => withUnit(values[place], unit, kiloOf(lines, place, unit))),
					remark,
				])}
			/>
			<div class="actions">
				<DownloadButton
					name={`${t("profile.title")} ${lines[lines.length - 1].localtime.slice(0, 10)}`}
					rows={() => tableOf(lines, columns)}
				/>
			</div>
		</>
	);
}

/**
 * Makes a table for a spreadsheet. Times are in the gateway's zone, values are exact, and the status is given as sent
 * and in words.
 */
function tableOf(lines: readonly Line[], columns: readonly Column[]): readonly (readonly string[])[] {
	const heads = columns.map((column) => `${nameOf(column)} ${column.obis} (${column.unit})`);
	const rows = lines.map(({ localtime, values, status: text, remark }) => [
		localtime.slice(0, 19).replace("T", " "),
		...columns.map((_, index) => decimalCell(values[index] ?? "", language)),
		text ?? "",
		remark,
	]);
	return [[t("readings.time"), ...heads, t("profile.status"), t("use.remark")], ...rows];
}

/** Returns the unit in thousands if the column's largest value needs it, otherwise undefined. */
function kiloOf(lines: readonly Line[], place: number, unit: string): string | undefined {
	const sizes = lines.map(({ values }) => Math.abs(Number(values[place])) || 0);
	return kiloUnit(unit, Math.max(...sizes));
}

function withUnit(value: string | null | undefined, unit: string, kilo: string | undefined): string {
	if (value == null) return "–";
	const number = Number(value) / 1000;
	return kilo === undefined || Number.isNaN(number)
		? `${formatDecimal(value, language)}\u00a0${unit}`.trim()
		: `${formatNumber(number, language, 3, 3)}\u00a0${kilo}`;
}

interface ChartProps {
	readonly lines: readonly Line[];
	readonly columns: readonly Column[];
	/** Seconds between two rows; 0 if unknown. */
	readonly periodS: number;
}

/** Codes of cumulative counters, whose group D is 8. The chart shows the increase of such a counter. */
const COUNTER = /(^|:)\d+\.8(\.|$)/;
/** If the chart covers a longer time, its bars are labelled with the day. */
const SHORT_S = 2 * 86_400;
const DIGITS = 6;

/** Draws a chart. Draws nothing if no column has numbers. */
function Chart({ lines, columns, periodS }: ChartProps) {
	const [chosen, setChosen] = useState("");
	const all = columns
		.map((column, place) => {
			const numbers = lines.map(({ values }) => Number.parseFloat(values[place] ?? ""));
			const isCounter = COUNTER.test(column.obis);
			/**
			 * The increase is unknown if rows are missing, or if the counter has decreased (because the meter was exchanged,
			 * or by an overflow).
			 */
			const grown = (number: number, before: number) => {
				const isNext = periodS === 0 || lines[before + 1].timestamp - lines[before].timestamp <= periodS;
				return isNext && number >= numbers[before] ? number - numbers[before] : Number.NaN;
			};
			const steps = isCounter ? numbers.slice(1).map(grown) : numbers;
			return { column, place: String(place), isCounter, steps };
		})
		.filter(({ steps }) => steps.some(Number.isFinite));
	const one = all.find(({ place }) => place === chosen) ?? all[0];
	if (one === undefined) return null;
	const { column, isCounter, steps } = one;
	const kilo = kiloOf(lines, Number(one.place), column.unit);
	const factor = kilo === undefined ? 1 : 1000;
	const format = (value: number) =>
		`${formatNumber(value / factor, language, DIGITS)}\u00a0${kilo ?? column.unit}`.trim();
	const shown = isCounter ? lines.slice(1) : lines;
	const isTimed = periodS > 0 && shown[0].timestamp > 0;
	const bars = shown.map(({ timestamp, time, isMarked, remark }, index): Bar => {
		const step = steps[index];
		const to = isTimed ? timestamp : index;
		const isKnown = Number.isFinite(step);
		return {
			from: to - (isTimed ? periodS : 1),
			to,
			up: isKnown ? Math.max(0, step) : 0,
			down: isKnown ? Math.max(0, -step) : 0,
			kind: isKnown ? "plain" : "gap",
			isMarked,
			text: `${time}: ${isKnown ? format(step) : "–"}${remark && `, ${remark}`}`,
		};
	});
	const { from } = bars[0];
	const { to } = bars[bars.length - 1];
	const tick = new Intl.DateTimeFormat(language, {
		...(isTimed && to - from <= SHORT_S ? { timeStyle: "short" } : { day: "numeric", month: "short" }),
		timeZone: "UTC",
	});
	const ticks = [1, 3, 5, 7].map((part) => Math.floor((part / 8) * shown.length));
	return (
		<>
			{all.length > 1 && (
				<div class="tools">
					<Choice
						label={t("show")}
						name="column"
						value={one.place}
						options={all.map((other) => [other.place, nameOf(other.column)])}
						onChoose={setChosen}
					/>
				</div>
			)}
			<Bars
				bars={bars}
				from={from}
				to={to}
				ticks={ticks
					.filter((index, i) => index !== ticks[i - 1] && shown[index].localtime !== "")
					.map((index) => ({ at: bars[index].to, text: tick.format(shown[index].wallMs) }))}
				description={t("use.describe", {
					n: bars.length,
					sum: nameOf(column),
					max: format(Math.max(...steps.filter(Number.isFinite))),
				})}
				format={format}
			/>
			{isCounter && <p class="help">{t("profile.steps")}</p>}
		</>
	);
}
