/** Readings: every value of the last readout; filtered, copied, downloaded, and sent over Zigbee by choice. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { DeviceError } from "../kit/device.js";
import { type Readout, readout } from "../kit/live.js";
import { announce, Button, Card, CopyButton, ErrorNotice, Fact, Facts } from "../kit/parts.js";
import type { Missing, Reading } from "../kit/replies.js";
import { display } from "../kit/session.js";
import { useStore } from "../kit/store.js";
import { isText, t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";
import { LastReading } from "./dashboard.js";
import {
	entriesWith,
	MAP_LIMIT,
	storeMap,
	TARGETS,
	targetOf,
	targetsFor,
	UNMAPPED,
	type ZigbeeMap,
} from "./mapping.js";
import { asCSV, asText, contains, nameOf, secondOf, valueText } from "./readings-text.js";

export function Readings() {
	const last = useStore(readout);
	return (
		<div class="cards">
			<Card title={t("readings.last")}>
				<LastReading />
			</Card>
			{last !== undefined && last.readings.length > 0 && <About last={last} />}
			<ValuesCard readings={last?.readings} />
			{last?.missing !== undefined && last.missing.length > 0 && <MissingCard missing={last.missing} />}
		</div>
	);
}

function About({ last: { meter_id, protocol, mode, baudrate } }: { last: Readout }) {
	return (
		<Card title={t("readings.meter")}>
			<Facts>
				<Fact name={t("readings.id")}>{meter_id || t("unknown")}</Fact>
				<Fact name={t("readings.protocol")}>{mode === "" ? protocol : t("readings.mode", { protocol, mode })}</Fact>
				{baudrate > 0 && <Fact name={t("readings.speed")}>{baudrate} Bd</Fact>}
			</Facts>
		</Card>
	);
}

/** What the list of objects asks for and the meter did not give, so that the list can be set right. */
function MissingCard({ missing }: { missing: readonly Missing[] }) {
	return (
		<Card title={t("readings.missing")}>
			<p>{t("readings.missing.help")}</p>
			<Facts>
				{missing.map(({ obis, attribute, reason, message }) => {
					const key = `missing.${reason}`;
					return (
						<Fact key={`${obis} ${attribute}`} name={obis}>
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

function ValuesCard({ readings }: { readings: readonly Reading[] | undefined }) {
	const [part, setPart] = useState("");
	// It may not see the table.
	const isDisplay = useStore(display);
	const { value: map, put } = useDevice<ZigbeeMap>("zigbee/map");
	const [error, setError] = useState<DeviceError>();
	const [isFull, setIsFull] = useState(false);
	const all = readings ?? [];
	const shown = useMemo(() => all.filter((reading) => contains(reading, part)), [readings, part]);

	const send = async (reading: Reading, target: string) => {
		if (map === undefined) return;
		const entries = entriesWith(map.mapping, { reading, target, readings: all });
		const isTooMuch = entries.length > MAP_LIMIT;
		setIsFull(isTooMuch);
		setError(undefined);
		// Drawn anew, the choice shows what holds.
		if (isTooMuch) return put({ ...map });
		try {
			put(await storeMap(entries));
			const name = nameOf(reading);
			const label = TARGETS.find(({ id }) => id === target)?.label;
			announce(label === undefined ? t("readings.unsent", { name }) : t("readings.sent", { name, what: t(label) }));
		} catch (reason) {
			setError(asDeviceError(reason));
			put({ ...map });
		}
	};
	// The rows stay the same objects until something of theirs changes: 600 of them must not be compared every second.
	const rows = useMemo(
		() =>
			shown.map((reading, index) => (
				<Row key={`${reading.obis_long} ${index}`} reading={reading} map={isDisplay ? undefined : map} onSend={send} />
			)),
		[shown, map],
	);
	if (all.length === 0) {
		return (
			<Card title={t("readings.values")} wide>
				<p>{t(readings === undefined ? "loading" : "readings.none")}</p>
			</Card>
		);
	}
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
				<CopyButton label={t("readings.copy")} text={() => asText(shown)} />
				<Button name="csv" onClick={() => download(shown)}>
					{t("readings.csv")}
				</Button>
			</div>
			<p class="help" role="status">
				{t("readings.count", { n: shown.length, all: all.length })}
			</p>
			{error && <ErrorNotice error={error} />}
			{isFull && <p class="fault">{t("readings.map.full")}</p>}
			{shown.length === 0 ? <p>{t("readings.no")}</p> : <Table>{rows}</Table>}
		</Card>
	);
}

function Table({ children }: { children: ComponentChildren }) {
	return (
		<table class="readings">
			<thead>
				<tr>
					<th scope="col">{t("readings.name")}</th>
					<th scope="col">{t("readings.code")}</th>
					<th scope="col">{t("readings.value")}</th>
					<th scope="col">{t("readings.second")}</th>
					<th scope="col">{t("readings.period")}</th>
					<th scope="col">{t("readings.zigbee")}</th>
				</tr>
			</thead>
			<tbody>{children}</tbody>
		</table>
	);
}

interface RowProps {
	readonly reading: Reading;
	readonly map: ZigbeeMap | undefined;
	onSend(reading: Reading, target: string): void;
}

function Row({ reading, map, onSend }: RowProps) {
	const second = secondOf(reading);
	const targets = map === undefined ? [] : targetsFor(reading);
	return (
		<tr>
			<th scope="row">{nameOf(reading)}</th>
			<td>{reading.obis_long}</td>
			<td class="number">{valueText(reading)}</td>
			<td data-label={t("readings.second")}>{second}</td>
			<td data-label={t("readings.period")}>{reading.billing_period}</td>
			<td data-label={t("readings.zigbee")}>
				{map !== undefined && targets.length > 0 && (
					<select
						aria-label={`${t("readings.zigbee")}: ${nameOf(reading)}`}
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
				)}
			</td>
		</tr>
	);
}

/** Hands the file to the browser. */
function download(readings: readonly Reading[]): void {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([asCSV(readings)], { type: "text/csv" }));
	link.download = `${t("nav.readings")}.csv`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
