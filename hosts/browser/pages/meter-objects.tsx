/** List of values that the gateway requests from a DLMS/COSEM meter. The list is always saved as a whole. */
import { useRef, useState } from "preact/hooks";
import { DLMS_OBIS } from "../kit/bodies.js";
import { announce, Button, Card, ErrorNotice, Notice, Pending } from "../kit/components.js";
import { DeviceError, post } from "../kit/device.js";
import type { Draft, FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { readout } from "../kit/live.js";
import { useSavable } from "../kit/saves.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";

const PATH = "dlms/obis";
const { max: LIMIT, items: ITEM } = DLMS_OBIS.entries;

/** `code` contains the groups A to F. */
interface Entry {
	readonly code: readonly number[];
	readonly class_id: number;
	readonly attribute: number;
}

/** Interface class of nearly all objects. */
const REGISTER = 3;
const CLASSES = [REGISTER, ...ITEM.class_id.choices.filter((value) => value !== REGISTER)] as const;
/** Value of group F in the code of a present value. */
const NOW = 255;
/** Form of a code: `1-0:1.8.0`, with or without `*255`; or six numbers. */
const CODE_FORM = /^(\d{1,3}-\d{1,3}:\d{1,3}\.\d{1,3}\.\d{1,3}([*&.]\d{1,3})?|\d{1,3}([ ,.]+\d{1,3}){5})$/;

const NEW_FIELDS: readonly FieldSpec[] = [
	{
		name: "code",
		label: "objects.code",
		help: "objects.code.help",
		kind: "text",
		pattern: CODE_FORM,
		form: { says: "form.obis" },
		required: true,
	},
	{
		name: "class_id",
		label: "objects.class",
		kind: "choice",
		choices: CLASSES.map((value) => ({ value, label: t(`objects.class.${value}`) })),
	},
	{ name: "attribute", label: "readings.attribute", help: "objects.attribute.help", kind: "number", ...ITEM.attribute },
];

/** Clock and meter number, with which each predefined list begins. */
const ALWAYS: readonly Entry[] = [
	{ code: [0, 0, 1, 0, 0, NOW], class_id: 8, attribute: 2 },
	{ code: [0, 0, 96, 1, 0, NOW], class_id: 1, attribute: 2 },
];
const POWER_AND_PHASES = "1.7.0 2.7.0 32.7.0 52.7.0 72.7.0 31.7.0 51.7.0 71.7.0";
const PRESETS = [
	{ name: "default", label: "objects.default", codes: `1.8.0 1.8.1 1.8.2 2.8.0 ${POWER_AND_PHASES}` },
	{ name: "energy", label: "objects.energy", codes: "1.8.0 2.8.0" },
	{
		name: "phases",
		label: "objects.phases",
		codes: `1.8.0 2.8.0 ${POWER_AND_PHASES} 21.7.0 41.7.0 61.7.0 22.7.0 42.7.0 62.7.0`,
	},
] as const;

function presetOf(codes: string): readonly Entry[] {
	const registers = codes.split(" ").map((groups) => ({
		code: [1, 0, ...groups.split(".").map(Number), NOW],
		class_id: REGISTER,
		attribute: 2,
	}));
	return [...ALWAYS, ...registers];
}

function textOf([a, b, c, d, e, f]: readonly number[]): string {
	return `${a}-${b}:${c}.${d}.${e}${f === NOW ? "" : `*${f}`}`;
}

const keyOf = ({ code, class_id, attribute }: Entry) => `${code.join(".")} ${class_id} ${attribute}`;

/** Returns the name of a code (OBIS, IEC 62056-61), or undefined for codes that are rare in households. */
function wordsOf([a, , c, d, e]: readonly number[]): string | undefined {
	const key = `${c}.${d}.${e}`;
	if (a === 0) return key === "1.0.0" ? t("state.clock") : key === "96.1.0" ? t("object.serial") : undefined;
	if (a !== 1 || (d !== 7 && d !== 8)) return undefined;
	const phase = c > 20 && c < 80 ? `, L${Math.floor(c / 20)}` : "";
	const kind = c < 20 ? c : c % 20;
	if (kind === 1 || kind === 2) {
		const direction = t(kind === 1 ? "counter.import" : "counter.export").toLocaleLowerCase(language);
		const tariff = e === 0 ? "" : `, ${t("counter.tariff", { n: e })}`;
		return `${t(d === 8 ? "object.energy" : "object.power")}, ${direction}${phase}${tariff}`;
	}
	if (d !== 7 || phase === "") return undefined;
	if (kind === 11) return t("object.current") + phase;
	return kind === 12 ? t("object.voltage") + phase : undefined;
}

export function ObjectsCard() {
	const { value, error, reload, put } = useDevice<{ entries: readonly Entry[] }>(PATH);
	return (
		<Card title={t("objects.title")} wide>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<Editor stored={value.entries} onStored={(entries) => put({ entries })} />
			)}
		</Card>
	);
}

interface EditorProps {
	readonly stored: readonly Entry[];
	onStored(entries: readonly Entry[]): void;
}

function Editor({ stored, onStored }: EditorProps) {
	const [list, setList] = useState(stored);
	const place = useRef<HTMLDivElement>(null);
	const [outcome, setOutcome] = useState<"done" | DeviceError>();
	const change = (next: readonly Entry[]) => {
		setList(next);
		setOutcome(undefined);
		announce(t("objects.count", { n: next.length, max: LIMIT }));
	};
	const add = async ({ code, class_id, attribute }: Draft) => {
		const groups = (String(code).match(/\d+/g) ?? []).map(Number);
		const entry = {
			code: groups.length === 5 ? [...groups, NOW] : groups,
			class_id: Number(class_id),
			attribute: Number(attribute),
		};
		if (groups.some((group) => group > 255)) throw new DeviceError(0, "invalid_field", "", "code");
		if (list.some((other) => keyOf(other) === keyOf(entry))) throw new DeviceError(0, "object_duplicate", "", "code");
		change([...list, entry]);
	};
	const save = async () => {
		try {
			const entries = list.map(({ code, class_id, attribute }) => ({ code, class_id, attribute }));
			onStored((await post<{ entries: readonly Entry[] }>(PATH, { entries })).entries);
			setOutcome("done");
			announce(t("saved"));
		} catch (reason) {
			const error = asDeviceError(reason);
			setOutcome(error);
			return error;
		}
	};
	const isChanged = list.map(keyOf).join() !== stored.map(keyOf).join();
	useSavable(isChanged, { place, isInBar: true, check: () => true, save, discard: () => change(stored) });
	return (
		<div ref={place} tabIndex={-1}>
			{list.length === 0 && <Notice kind="info">{t("objects.empty")}</Notice>}
			<details>
				<summary>{t("objects.count", { n: list.length, max: LIMIT })}</summary>
				<List list={list} onRemove={(gone) => change(list.filter((entry) => entry !== gone))} />
				<h3>{t("objects.presets")}</h3>
				<div class="actions">
					{PRESETS.map(({ name, label, codes }) => (
						<Button key={name} name={name} onClick={() => change(presetOf(codes))}>
							{t(label)}
						</Button>
					))}
				</div>
				{list.length < LIMIT && (
					<>
						<h3>{t("objects.new")}</h3>
						<Form
							key={list.length}
							fields={NEW_FIELDS}
							values={{ class_id: REGISTER, attribute: 2 }}
							submitLabel={t("add")}
							doneText=""
							submit={add}
						/>
					</>
				)}
			</details>
			{outcome === "done" && <Notice kind="good">{t("saved")}</Notice>}
			{typeof outcome === "object" && <ErrorNotice error={outcome} />}
		</div>
	);
}

function List({ list, onRemove }: { list: readonly Entry[]; onRemove: (entry: Entry) => void }) {
	const known = useStore(readout)?.readings ?? [];
	const nameOf = (code: readonly number[]) => {
		const record = known.find(({ obis_long, attribute }) => obis_long === textOf(code) && attribute === undefined);
		return wordsOf(code) ?? record?.[language] ?? record?.en ?? t("object.other");
	};
	return (
		<ul class="rows pair">
			{list.map((entry) => (
				<li key={keyOf(entry)}>
					<div>
						{nameOf(entry.code)}
						<small>
							<code>{textOf(entry.code)}</code>
							{entry.class_id !== REGISTER && ` · ${t(`objects.class.${entry.class_id}` as "objects.class.1")}`}
							{entry.attribute !== 2 && ` · ${t("readings.attribute")} ${entry.attribute}`}
						</small>
					</div>
					<Button
						aria-label={`${t("remove")}: ${nameOf(entry.code)} ${textOf(entry.code)}`}
						onClick={() => onRemove(entry)}
					>
						{t("remove")}
					</Button>
				</li>
			))}
		</ul>
	);
}
