/** Form for mapping values to Zigbee attributes. */
import { useRef, useState } from "preact/hooks";
import { Choice } from "../kit/choices.js";
import { announce, Button, ErrorNotice, Notice } from "../kit/components.js";
import type { DeviceError } from "../kit/device.js";
import { formatDecimal, formatMoment, formatNumber } from "../kit/format.js";
import { readout, status } from "../kit/live.js";
import { isKnown } from "../kit/power.js";
import type { Reading } from "../kit/replies.js";
import { saveAll, useSavable } from "../kit/saves.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import {
	type Entry,
	isFull,
	MAP_LIMIT,
	needsInterview,
	partsOf,
	type Sent,
	storeMap,
	TARGETS,
	targetsFor,
	UNMAPPED,
	wellFormed,
	type ZigbeeMap,
} from "./mapping.js";

/** A line of the form. Its `key` never changes. */
interface Line extends Entry {
	readonly key: number;
}

interface MapFormProps {
	readonly entries: readonly Entry[];
	readonly sent: readonly Sent[] | undefined;
	onStored(map: ZigbeeMap): void;
}

const CODES = "codes";

export function MapForm({ entries, sent, onStored }: MapFormProps) {
	const [lines, setLines] = useState<readonly Line[]>(() => entries.map((entry, key) => ({ ...entry, key })));
	const [saved, setSaved] = useState(lines);
	const nextKey = useRef(entries.length);
	const [outcome, setOutcome] = useState<"done" | "interview" | "faults" | DeviceError>();
	const form = useRef<HTMLFormElement>(null);
	const readings = useStore(readout)?.readings ?? [];

	const change = (next: readonly Line[]) => {
		setLines(next);
		setOutcome(undefined);
	};
	const focusOn = (selector: string) => setTimeout(() => form.current?.querySelector<HTMLElement>(selector)?.focus());
	const add = () => {
		const free = TARGETS.find(({ id }) => lines.every(({ mapping_id }) => mapping_id !== id)) ?? TARGETS[0];
		change([...lines, { key: nextKey.current++, obis: "", mapping_id: free.id }]);
		focusOn("li:last-child select");
	};
	const drop = (key: number) => {
		change(lines.filter((line) => line.key !== key));
		focusOn("button[name=add]");
	};
	const check = () => {
		const isGood = lines.every(({ obis }) => partsOf(obis) !== undefined);
		if (!isGood) setOutcome("faults");
		return isGood;
	};
	const save = async () => {
		try {
			onStored(await storeMap(lines));
			setSaved(lines);
			setOutcome(needsInterview(status.value?.zigbee_state, saved, lines) ? "interview" : "done");
			announce(t("saved"));
		} catch (reason) {
			const error = asDeviceError(reason);
			setOutcome(error);
			return error;
		}
	};
	useSavable(lines !== saved, { place: form, isInBar: true, check, save, discard: () => change(saved) });
	const submit = (event: Event) => {
		event.preventDefault();
		saveAll();
	};
	return (
		<form ref={form} tabIndex={-1} onSubmit={submit} noValidate>
			{/* Without a button, Enter would not submit the form. */}
			<button type="submit" class="unseen" tabIndex={-1} aria-hidden="true" />
			{lines.length === 0 && <p>{t("map.empty")}</p>}
			<ul class="entries">
				{lines.map((line, index) => (
					<MapLine
						key={line.key}
						{...{ line, index, readings, sent }}
						isChecked={outcome === "faults"}
						onChange={(changed) => change(lines.map((other) => (other === line ? changed : other)))}
						onDrop={() => drop(line.key)}
					/>
				))}
			</ul>
			<Suggestions readings={readings} />
			{duplicatesOf(lines).map((text) => (
				<Notice key={text} kind="warning">
					{text}
				</Notice>
			))}
			{(outcome === "done" || outcome === "interview") && <Notice kind="good">{t("saved")}</Notice>}
			{outcome === "interview" && <Notice kind="warning">{t("map.interview")}</Notice>}
			{outcome === "faults" && <Notice kind="error">{t("valid.some")}</Notice>}
			{typeof outcome === "object" && <ErrorNotice error={outcome} />}
			{lines.length >= MAP_LIMIT && <p class="help">{t("map.full.help", { n: MAP_LIMIT })}</p>}
			<div class="actions">
				<Button name="add" disabled={lines.length >= MAP_LIMIT} onClick={add}>
					{t("map.add")}
				</Button>
			</div>
		</form>
	);
}

interface MapLineProps {
	readonly line: Line;
	readonly index: number;
	readonly readings: readonly Reading[];
	readonly sent: readonly Sent[] | undefined;
	readonly isChecked: boolean;
	onChange(line: Line): void;
	onDrop(): void;
}

function MapLine({ line, index, readings, sent, isChecked, onChange, onDrop }: MapLineProps) {
	const { obis, mapping_id, key } = line;
	const parts = partsOf(obis);
	const isBad = isChecked && parts === undefined;
	const about = `about-${key}`;
	const choose = (mode: string) => {
		if (parts !== undefined) onChange({ ...line, obis: mode === "full" ? parts.full : parts.short });
	};
	return (
		<li>
			<fieldset>
				<legend>{t("map.entry", { n: index + 1 })}</legend>
				<Choice
					label={t("map.target")}
					name="mapping_id"
					value={mapping_id}
					options={[...TARGETS.map(({ id, label }) => [id, t(label)] as const), [UNMAPPED, t("target.none")]]}
					onChoose={(chosen) => onChange({ ...line, mapping_id: chosen })}
				/>
				<label>
					{t("map.code")}
					<input
						type="text"
						name="obis"
						list={CODES}
						maxLength={27}
						autocomplete="off"
						spellcheck={false}
						value={obis}
						aria-invalid={isBad}
						aria-describedby={about}
						onInput={(event) => onChange({ ...line, obis: event.currentTarget.value.trim() })}
					/>
				</label>
				<Choice
					label={t("map.mode")}
					name="mode"
					value={isFull(obis) ? "full" : "short"}
					disabled={parts === undefined}
					options={[
						["short", t("map.short")],
						["full", t("map.full")],
					]}
					onChoose={choose}
				/>
				<Button aria-label={t("map.remove", { n: index + 1 })} onClick={onDrop}>
					{t("remove")}
				</Button>
				<p class={isBad ? "fault" : "help"} id={about}>
					{parts === undefined ? (obis !== "" || isBad) && t("map.bad") : aboutLine(line, readings)}
				</p>
				{sent && mapping_id !== UNMAPPED && <LastSent target={mapping_id} sent={sent} />}
			</fieldset>
		</li>
	);
}

function aboutLine({ obis, mapping_id }: Line, readings: readonly Reading[]): string {
	if (readings.length === 0) return "";
	const wanted = partsOf(obis);
	const reading = readings.find(({ obis_long, billing_period, attribute }) => {
		const parts = billing_period === null && attribute === undefined ? partsOf(obis_long) : undefined;
		return parts !== undefined && (isFull(obis) ? parts.full === wanted?.full : parts.short === wanted?.short);
	});
	if (reading === undefined) {
		// If the meter does not send the total energy, the gateway sends the sum of the tariffs.
		const tariff = /^([12]\.8\.)0$/.exec(wanted?.short ?? "")?.[1];
		return tariff && readings.some(({ obis_long }) => partsOf(obis_long)?.short === `${tariff}1`)
			? ""
			: t("map.missing");
	}
	const { value1, value1_unit } = reading;
	const name = reading[language] ?? reading.en;
	const value = isKnown(reading) ? `${formatDecimal(value1, language)} ${value1_unit}`.trim() : "–";
	const now = t("map.now", { value });
	const fits = mapping_id === UNMAPPED || targetsFor(reading).some(({ id }) => id === mapping_id);
	return [name, now, fits ? null : t("map.unit", { unit: value1_unit })].filter((text) => text !== null).join(" · ");
}

function LastSent({ target, sent }: { target: string; sent: readonly Sent[] }) {
	const { timeZone, zoneName } = useZone();
	const last = sent.find(({ mapping_id }) => mapping_id === target);
	const unit = TARGETS.find(({ id }) => id === target)?.units[0];
	return (
		<p class="help">
			{t("out.sent")}:{" "}
			{last === undefined
				? t("out.never")
				: `${formatNumber(last.value, language)} ${unit}, ${last.timestamp ? `${formatMoment(last.timestamp, language, timeZone)} ${zoneName}` : t("read.timeless")}`}
		</p>
	);
}

function Suggestions({ readings }: { readings: readonly Reading[] }) {
	return (
		<datalist id={CODES}>
			{readings
				.filter((reading) => targetsFor(reading).length > 0)
				.map((reading) => (
					<option key={reading.obis_long} value={reading.obis_long}>
						{reading[language] ?? reading.en ?? t("unknown")}
					</option>
				))}
		</datalist>
	);
}

/** Returns the targets and codes that are in more than one line. */
function duplicatesOf(lines: readonly Line[]): readonly string[] {
	const twice = (names: readonly string[]) => new Set(names.filter((name, index) => names.indexOf(name) !== index));
	const targets = twice(lines.map(({ mapping_id }) => mapping_id).filter((id) => id !== UNMAPPED));
	const codes = twice(lines.map(({ obis }) => wellFormed(obis)).filter((obis) => obis !== ""));
	return [
		...TARGETS.filter(({ id }) => targets.has(id)).map(({ label }) => t("map.twice", { what: t(label) })),
		...[...codes].map((what) => t("map.twice", { what })),
	];
}
