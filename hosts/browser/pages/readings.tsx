/** All values of the last readout. */

import { useMemo, useState } from "preact/hooks";
import { announce, Card, DownloadButton, ErrorNotice, Fact, Facts, Notice } from "../kit/components.js";
import { CopyButton } from "../kit/copy-button.js";
import type { DeviceError } from "../kit/device.js";
import { type Readout, readout, status } from "../kit/live.js";
import type { Missing, Reading } from "../kit/replies.js";
import { display } from "../kit/session.js";
import { useStore } from "../kit/store.js";
import { isText, t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";
import { LastReading } from "./dashboard.js";
import {
	entriesWith,
	MAP_LIMIT,
	needsInterview,
	storeMap,
	TARGETS,
	targetOf,
	targetsFor,
	UNMAPPED,
	type ZigbeeMap,
} from "./mapping.js";
import { asText, codeText, type Line, linesOf, nameOf, tableOf } from "./readings-text.js";
import { speedText } from "./speeds.js";

export function Readings() {
	const last = useStore(readout);
	return (
		<div class="cards">
			<Card title={t("readings.last")}>
				<LastReading />
			</Card>
			{last !== undefined && last.readings.length > 0 && <About last={last} />}
			<ValuesCard last={last} />
			{last?.missing !== undefined && last.missing.length > 0 && <MissingCard missing={last.missing} />}
		</div>
	);
}

function About({ last }: { last: Readout }) {
	const { meter_id, mode, baudrate } = last;
	const protocol = last.protocol.replace("IEC", "IEC ");
	return (
		<Card title={t("nav.meter")}>
			<Facts>
				<Fact name={t("readings.id")}>{meter_id || t("unknown")}</Fact>
				<Fact name={t("readings.protocol")}>{mode === "" ? protocol : t("readings.mode", { protocol, mode })}</Fact>
				{baudrate > 0 && <Fact name={t("readings.speed")}>{speedText(baudrate)}</Fact>}
			</Facts>
		</Card>
	);
}

/** Lists the objects that the meter did not send, so that the user can correct the list of objects. */
function MissingCard({ missing }: { missing: readonly Missing[] }) {
	return (
		<Card title={t("readings.missing")}>
			<p>{t("readings.missing.help")}</p>
			<Facts>
				{missing.map(({ obis, attribute, reason, message }) => {
					const key = `missing.${reason}`;
					return (
						<Fact key={`${obis} ${attribute}`} name={codeText(obis, attribute)}>
							{isText(key) ? t(key) : <span lang="en">{message}</span>}
						</Fact>
					);
				})}
			</Facts>
			<p>
				<a href="#/meter">{t("readings.missing.go")}</a>
			</p>
		</Card>
	);
}

/** Values of `zigbee_state` in a gateway that belongs to a network, whether it reaches the network or not. */
const IN_NETWORK = ["joined", "silent", "parent_lost"];

function ValuesCard({ last }: { last: Readout | undefined }) {
	const [part, setPart] = useState("");
	const zigbee = useStore(status)?.zigbee_state ?? "";
	// A display may not read the mapping, and without a Zigbee network the mapping is not needed. In both cases it is
	// hidden.
	const isPlain = useStore(display) || !IN_NETWORK.includes(zigbee);
	const readings = last?.readings ?? [];
	const all = useMemo(() => linesOf(readings), [last]);
	const wanted = part.trim().toLowerCase();
	const shown = useMemo(() => all.filter(({ haystack }) => haystack.includes(wanted)), [all, wanted]);
	if (last === undefined || all.length === 0) {
		return (
			<Card title={t("readings.values")} wide>
				<p>{t(last === undefined ? "loading" : "readings.none")}</p>
			</Card>
		);
	}
	const isPast = ({ reading }: Line) => reading.billing_period !== null;
	// Past values are folded unless a filter is set.
	const past = wanted === "" ? all.filter(isPast) : [];
	// A column is shown if any line needs it, regardless of the filter.
	const table = {
		lines: wanted === "" ? all.filter((line) => !isPast(line)) : shown,
		hasMore: all.some(({ more }) => more.length > 0),
		hasPeriods: wanted !== "" && all.some(isPast),
	};
	return (
		<Card title={t("readings.values")} wide>
			<div class="tools">
				<label>
					{t("readings.filter")}
					<input
						type="search"
						name="filter"
						placeholder={t("readings.filter.hint")}
						value={part}
						onInput={(event) => setPart(event.currentTarget.value)}
					/>
				</label>
				<CopyButton label={t("readings.copy")} text={() => asText(last, shown)} />
				<DownloadButton name={t("nav.readings")} rows={() => tableOf(last, shown)} />
			</div>
			<p class="help" role="status">
				{t("readings.count", { n: shown.length, all: all.length })}
			</p>
			{shown.length === 0 && <p>{t("readings.no")}</p>}
			{table.lines.length > 0 && (isPlain ? <Table {...table} /> : <MappedTable {...table} readings={readings} />)}
			{past.length > 0 && (
				<details>
					<summary>{t("readings.past", { n: past.length })}</summary>
					<Table {...table} lines={past} hasPeriods />
				</details>
			)}
		</Card>
	);
}

interface TableProps {
	readonly lines: readonly Line[];
	/** True if a line has values after the first one. */
	readonly hasMore: boolean;
	/** True if a line belongs to a past billing period. */
	readonly hasPeriods: boolean;
	readonly map?: ZigbeeMap | undefined;
	readonly onSend?: ((reading: Reading, target: string) => void) | undefined;
}

function MappedTable({ readings, ...table }: TableProps & { readonly readings: readonly Reading[] }) {
	const { value: map, put } = useDevice<ZigbeeMap>("zigbee/map");
	const [error, setError] = useState<DeviceError>();
	const [isFull, setIsFull] = useState(false);
	const [hasNews, setHasNews] = useState(false);

	const send = async (reading: Reading, target: string) => {
		if (map === undefined) return;
		const entries = entriesWith(map.mapping, { reading, target, readings });
		const isTooMuch = entries.length > MAP_LIMIT;
		setIsFull(isTooMuch);
		setError(undefined);
		setHasNews(false);
		// A new object makes the table show the stored choice again.
		if (isTooMuch) return put({ ...map });
		try {
			put(await storeMap(entries));
			setHasNews(needsInterview(status.value?.zigbee_state, map.mapping, entries));
			const name = nameOf(reading);
			const label = TARGETS.find(({ id }) => id === target)?.label;
			announce(label === undefined ? t("readings.unsent", { name }) : t("readings.sent", { name, what: t(label) }));
		} catch (reason) {
			setError(asDeviceError(reason));
			put({ ...map });
		}
	};
	return (
		<>
			{error && <ErrorNotice error={error} />}
			{isFull && <p class="fault">{t("readings.map.full")}</p>}
			{hasNews && <Notice kind="warning">{t("map.interview")}</Notice>}
			<Table {...table} map={map} onSend={send} />
		</>
	);
}

function Table({ lines, hasMore, hasPeriods, map, onSend }: TableProps) {
	// The rows are compared only after a change. Comparing 600 rows every second would take too long.
	const rows = useMemo(
		() =>
			lines.map((line, index) => (
				<Row key={`${line.reading.obis_long} ${index}`} {...{ line, hasMore, hasPeriods, map, onSend }} />
			)),
		[lines, hasMore, hasPeriods, map],
	);
	return (
		<table class="readings">
			<thead>
				<tr>
					<th scope="col">
						<div>
							{t("readings.name")} <span>{t("readings.code")}</span>
						</div>
					</th>
					<th scope="col" class="number">
						{t("readings.value")}
					</th>
					{hasMore && <th scope="col">{t("readings.second")}</th>}
					{hasPeriods && <th scope="col">{t("readings.period")}</th>}
					{onSend && <th scope="col">{t("readings.zigbee")}</th>}
				</tr>
			</thead>
			<tbody>{rows}</tbody>
		</table>
	);
}

/** If a value (a message or list of the meter) has at least this length, it may be wrapped at any character. */
const LONG = 24;

function Row({ line, hasMore, hasPeriods, map, onSend }: Omit<TableProps, "lines"> & { readonly line: Line }) {
	const { reading, name, code, value, more } = line;
	return (
		<tr>
			<th scope="row">
				<div>
					{name} <code>{code}</code>
				</div>
			</th>
			<td class={value.length > LONG ? "number long" : "number"}>{value}</td>
			{hasMore && (
				<td data-label={t("readings.second")}>
					{more.map((text, index) => (
						<div key={`${index} ${text}`}>{text}</div>
					))}
				</td>
			)}
			{hasPeriods && <td data-label={t("readings.period")}>{reading.billing_period}</td>}
			{onSend && <td data-label={t("readings.zigbee")}>{map && <Target {...{ reading, name, map, onSend }} />}</td>}
		</tr>
	);
}

interface TargetProps {
	readonly reading: Reading;
	readonly name: string;
	readonly map: ZigbeeMap;
	onSend(reading: Reading, target: string): void;
}

/** Choice of a Zigbee target for a reading. Shows nothing if no attribute fits. */
function Target({ reading, name, map, onSend }: TargetProps) {
	const targets = targetsFor(reading);
	if (targets.length === 0) return null;
	return (
		<select
			aria-label={`${t("readings.zigbee")}: ${name}`}
			value={targetOf(reading.obis_long, map.mapping)}
			onInput={(event) => onSend(reading, event.currentTarget.value)}
		>
			<option value={UNMAPPED}>{t("target.none")}</option>
			{targets.map(({ id, label }) => (
				<option key={id} value={id}>
					{t(label)}
				</option>
			))}
		</select>
	);
}
