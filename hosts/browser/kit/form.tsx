/** A form made from descriptions of its fields. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { announce, Button, Card, ErrorNotice, Notice, Pending } from "./components.js";
import { type DeviceError, OFFLINE, post } from "./device.js";
import { type Draft, Field, type FieldSpec, type FieldValue, faultOf, refusalText } from "./fields.js";
import { status } from "./live.js";
import { placeNow, WIZARD } from "./place.js";
import { focusFault, saveAll, useSavable } from "./saves.js";
import { useStore } from "./store.js";
import { t } from "./text.js";
import { asDeviceError, useDevice } from "./use-device.js";

interface FormProps {
	readonly fields: readonly FieldSpec[];
	/** Values of the fields. A field without a value is empty or off. */
	readonly values: Draft;
	/** Label of the form's own button. If it is omitted, the bar of a page of settings saves the form. */
	readonly submitLabel?: string;
	/** True if the form's own button is the main button. Default: true, but not on a page with a bar. */
	readonly isMain?: boolean;
	readonly busyLabel?: string;
	/** Message after success. If it is "", there is no message. */
	readonly doneText?: string;
	/** Sends the values. If this throws, the form shows the exception as an error. */
	submit(values: Record<string, FieldValue>): Promise<void>;
	onDraft?(draft: Draft): void;
	/** Content at the top of the form. */
	readonly before?: ComponentChildren;
	/** Content between the fields and the button. */
	readonly children?: ComponentChildren;
	/** Content beside the button. */
	readonly actions?: ComponentChildren;
}

/** Converts the draft for the API. Typed numbers become numbers; hidden fields and empty secrets are left out. */
function toSend(fields: readonly FieldSpec[], draft: Draft): Record<string, FieldValue> {
	const values: Record<string, FieldValue> = {};
	for (const spec of fields) {
		if (spec.when?.(draft) === false) continue;
		const value = draft[spec.name];
		if (spec.kind === "secret" && value === "") continue;
		const isNumber = spec.kind === "number" || typeof spec.choices?.[0]?.value === "number";
		values[spec.name] = isNumber ? Number(value) : value;
	}
	return values;
}

function beginning(fields: readonly FieldSpec[], values: Draft): Draft {
	const entries = fields.map(({ name, kind }) => {
		const value = values[name] ?? (kind === "toggle" ? false : "");
		return [name, kind === "number" ? String(value) : value];
	});
	return { ...values, ...Object.fromEntries(entries) };
}

const SLOW_MS = 5_000;

export function Form(props: FormProps) {
	const { fields, values, submitLabel = t("save"), busyLabel = t("saving"), doneText = t("saved") } = props;
	const [draft, setDraft] = useState<Draft>(() => beginning(fields, values));
	// These are the initial values, and later the values that were saved last.
	const [saved, setSaved] = useState(draft);
	const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
	const [busy, setBusy] = useState(false);
	const [isSlow, setSlow] = useState(false);
	/** Stored values that were changed by somebody else while this form has unsaved input. */
	const [elsewhere, setElsewhere] = useState<Draft>();
	const given = useRef(values);
	const [outcome, setOutcome] = useState<"done" | "faults" | DeviceError>();
	const [isUnfolded, setUnfolded] = useState(false);
	const form = useRef<HTMLFormElement>(null);
	const shown = fields.filter((spec) => spec.when?.(draft) !== false);
	const isUnsaved = shown.some(({ name }) => draft[name] !== saved[name]);
	// All pages with forms except the wizard are pages of settings.
	const [hasBar] = useState(() => placeNow() !== WIZARD);
	// Damaged settings are saved again although they are unchanged, and the bar only saves changes.
	const isDamaged = useStore(status)?.storage_state === "damaged";
	const isInBar = hasBar && props.submitLabel === undefined && !isDamaged;
	useEffect(() => {
		setSlow(false);
		if (!busy) return;
		const timer = setTimeout(() => setSlow(true), SLOW_MS);
		return () => clearTimeout(timer);
	}, [busy]);

	const adopt = (stored: Draft) => {
		setDraft(stored);
		setSaved(stored);
		setElsewhere(undefined);
	};
	useEffect(() => {
		const isSame = fields.every(({ name }) => values[name] === given.current[name]);
		if (busy || isSame) return;
		given.current = values;
		const stored = beginning(fields, values);
		if (isUnsaved) setElsewhere(stored);
		else adopt(stored);
	}, [values, busy]);

	const change = ({ name, form, implies }: FieldSpec, typed: FieldValue) => {
		const value = form?.ignores && typeof typed === "string" ? typed.replace(form.ignores, "") : typed;
		const next = { ...draft, ...implies?.(value, draft), [name]: value };
		setDraft(next);
		setOutcome(undefined);
		if (faults[name] !== undefined) setFaults({ ...faults, [name]: undefined as never });
		props.onDraft?.(next);
	};
	const check = () => {
		const found = shown.flatMap((spec) => {
			const fault = faultOf(spec, draft[spec.name]);
			return fault === undefined ? [] : [[spec.name, fault] as const];
		});
		setFaults(Object.fromEntries(found));
		if (found.length === 0) return true;
		setUnfolded(true);
		setOutcome("faults");
		return false;
	};
	const save = async () => {
		setBusy(true);
		setOutcome(undefined);
		try {
			await props.submit(toSend(fields, draft));
			setDraft((now) => withoutSecrets(fields, now));
			setSaved(withoutSecrets(fields, draft));
			setElsewhere(undefined);
			setOutcome("done");
			if (doneText !== "") announce(doneText);
		} catch (reason) {
			const error = asDeviceError(reason);
			setOutcome(error);
			const refused = shown.find(({ name }) => name === error.field);
			if (refused !== undefined) {
				setFaults({ [refused.name]: refusalText(refused, error) });
				setUnfolded(true);
				focusFault(form);
			}
			return error;
		} finally {
			setBusy(false);
		}
	};
	const discard = () => {
		const stored = elsewhere ?? saved;
		adopt(stored);
		setFaults({});
		setOutcome(undefined);
		props.onDraft?.(stored);
	};
	useSavable(isUnsaved, { place: form, isInBar, check, save, discard });
	const submit = (event: Event) => {
		event.preventDefault();
		if (isInBar) saveAll();
		else if (busy) return;
		else if (check()) save();
		else focusFault(form);
	};

	const fieldOf = (spec: FieldSpec) => (
		<Field
			key={spec.name}
			spec={spec}
			value={draft[spec.name]}
			error={faults[spec.name]}
			isStored={spec.storedFlag !== undefined && values[spec.storedFlag] === true}
			onInput={(value) => change(spec, value)}
		/>
	);
	const rare = shown.filter(({ isRare }) => isRare);
	return (
		<form ref={form} tabIndex={-1} onSubmit={submit} noValidate>
			{/* Without a button, Enter would not submit the form. */}
			{isInBar && <button type="submit" class="unseen" tabIndex={-1} aria-hidden="true" />}
			{props.before}
			{shown.filter(({ isRare }) => !isRare).map(fieldOf)}
			{rare.length > 0 && (
				<details open={isUnfolded} onToggle={(event) => setUnfolded(event.currentTarget.open)}>
					<summary>{t("form.rare")}</summary>
					{rare.map(fieldOf)}
				</details>
			)}
			{props.children}
			{isSlow && <Notice kind="info">{t("form.slow")}</Notice>}
			{elsewhere && (
				<Notice kind="info">
					<p>{t("form.elsewhere")}</p>
					<Button onClick={() => adopt(elsewhere)}>{t("form.adopt")}</Button>
				</Notice>
			)}
			{outcome === "done" && doneText !== "" && <Notice kind="good">{doneText}</Notice>}
			{outcome === "faults" && <Notice kind="error">{t("valid.some")}</Notice>}
			{typeof outcome === "object" && (
				<ErrorNotice error={outcome} text={outcome.code === OFFLINE ? t("form.offline") : undefined} />
			)}
			{!(isInBar && props.actions === undefined) && (
				<div class="actions">
					{!isInBar && (
						<Button type="submit" kind={(props.isMain ?? !hasBar) ? "main" : "plain"} busy={busy && busyLabel}>
							{submitLabel}
						</Button>
					)}
					{props.actions}
				</div>
			)}
		</form>
	);
}

function withoutSecrets(fields: readonly FieldSpec[], draft: Draft): Draft {
	const secret = fields.filter(({ kind }) => kind === "secret" || kind === "password");
	return { ...draft, ...Object.fromEntries(secret.map(({ name }) => [name, ""])) };
}

interface SettingsCardProps {
	readonly title: string;
	readonly intro?: string;
	readonly path: string;
	readonly fields: readonly FieldSpec[];
	onSaved?(values: Draft): void;
	/** Called with the stored values when they have arrived, and after each change. */
	onValue?(values: Draft): void;
	onDraft?(draft: Draft): void;
	readonly before?: ComponentChildren;
	readonly children?: ComponentChildren;
}

export function SettingsCard(props: SettingsCardProps) {
	const { title, intro, path, fields, onSaved, onValue, onDraft, before, children } = props;
	const { value, error, reload, put } = useDevice<Draft>(path);
	useEffect(() => {
		if (value !== undefined) onValue?.(value);
	}, [value]);
	// Another tab or person may have changed the settings meanwhile.
	useEffect(() => {
		const look = () => document.visibilityState === "visible" && reload();
		document.addEventListener("visibilitychange", look);
		return () => document.removeEventListener("visibilitychange", look);
	}, [reload]);
	return (
		<Card title={title}>
			{intro !== undefined && <p>{intro}</p>}
			{before}
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<Form
					fields={fields}
					values={value}
					{...(onDraft ? { onDraft } : {})}
					submit={async (values) => {
						const stored = await post<Draft>(path, values);
						put(stored);
						onSaved?.(stored);
					}}
				>
					{children}
				</Form>
			)}
		</Card>
	);
}
