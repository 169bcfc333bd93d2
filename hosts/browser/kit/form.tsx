/** A form made from descriptions of its fields. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { announce, Button, Card, ErrorNotice, Notice, Pending } from "./components.js";
import { type DeviceError, post } from "./device.js";
import { type Draft, Field, type FieldSpec, type FieldValue, faultOf, refusalText } from "./fields.js";
import { t } from "./text.js";
import { useUnsaved } from "./unsaved.js";
import { asDeviceError, useDevice } from "./use-device.js";

interface FormProps {
	readonly fields: readonly FieldSpec[];
	/** Values of the fields. A field without a value is empty or off. */
	readonly values: Draft;
	readonly submitLabel?: string;
	/** True if the form's button is the main button of its page. Default: true. */
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

export function Form(props: FormProps) {
	const { fields, values, submitLabel = t("save"), busyLabel = t("saving"), doneText = t("saved") } = props;
	const [draft, setDraft] = useState<Draft>(() => beginning(fields, values));
	// These are the initial values, and later the values that were saved last.
	const [saved, setSaved] = useState(draft);
	const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
	const [busy, setBusy] = useState(false);
	const [outcome, setOutcome] = useState<"done" | "faults" | DeviceError>();
	const [isUnfolded, setUnfolded] = useState(false);
	const form = useRef<HTMLFormElement>(null);
	const shown = fields.filter((spec) => spec.when?.(draft) !== false);
	useUnsaved(shown.some(({ name }) => draft[name] !== saved[name]));

	const change = ({ name, form, implies }: FieldSpec, typed: FieldValue) => {
		const value = form?.ignores && typeof typed === "string" ? typed.replace(form.ignores, "") : typed;
		const next = { ...draft, ...implies?.(value, draft), [name]: value };
		setDraft(next);
		setOutcome(undefined);
		if (faults[name] !== undefined) setFaults({ ...faults, [name]: undefined as never });
		props.onDraft?.(next);
	};
	const focusOn = (name: string) =>
		setTimeout(() => (form.current?.elements.namedItem(name) as HTMLElement | null)?.focus());

	const submit = async (event: Event) => {
		event.preventDefault();
		if (busy) return;
		const found = shown.flatMap((spec) => {
			const fault = faultOf(spec, draft[spec.name]);
			return fault === undefined ? [] : [[spec.name, fault] as const];
		});
		setFaults(Object.fromEntries(found));
		if (found.length > 0) {
			setUnfolded(true);
			setOutcome("faults");
			focusOn(found[0][0]);
			return;
		}
		setBusy(true);
		setOutcome(undefined);
		try {
			await props.submit(toSend(fields, draft));
			setDraft((now) => withoutSecrets(fields, now));
			setSaved(withoutSecrets(fields, draft));
			setOutcome("done");
			if (doneText !== "") announce(doneText);
		} catch (reason) {
			const error = asDeviceError(reason);
			setOutcome(error);
			const refused = shown.find(({ name }) => name === error.field);
			if (refused !== undefined) {
				setFaults({ [refused.name]: refusalText(refused, error) });
				setUnfolded(true);
				focusOn(refused.name);
			}
		} finally {
			setBusy(false);
		}
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
		<form ref={form} onSubmit={submit} noValidate>
			{props.before}
			{shown.filter(({ isRare }) => !isRare).map(fieldOf)}
			{rare.length > 0 && (
				<details open={isUnfolded} onToggle={(event) => setUnfolded(event.currentTarget.open)}>
					<summary>{t("form.rare")}</summary>
					{rare.map(fieldOf)}
				</details>
			)}
			{props.children}
			{outcome === "done" && doneText !== "" && <Notice kind="good">{doneText}</Notice>}
			{outcome === "faults" && <Notice kind="error">{t("valid.some")}</Notice>}
			{typeof outcome === "object" && <ErrorNotice error={outcome} />}
			<div class="actions">
				<Button type="submit" kind={props.isMain === false ? "plain" : "main"} busy={busy && busyLabel}>
					{submitLabel}
				</Button>
				{props.actions}
			</div>
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
