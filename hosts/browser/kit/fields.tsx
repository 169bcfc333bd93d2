/** Form fields that are made from descriptions. */
import { useId, useState } from "preact/hooks";
import type { TextKey } from "../text/all.js";
import { Button } from "./components.js";
import type { DeviceError } from "./device.js";
import type { Form } from "./forms.js";
import { USER } from "./login.js";
import { t } from "./text.js";
import { errorText } from "./use-device.js";

export type FieldValue = string | number | boolean;
/** Values of a form while the user edits it. A number is stored as the typed text. */
export type Draft = Readonly<Record<string, FieldValue>>;

export interface FieldSpec {
	readonly name: string;
	readonly label: TextKey;
	readonly help?: TextKey;
	/**
	 * `number` is an integer. `date` is a day as ISO 8601. `secret` is write-only; if it is empty, the stored value is
	 * kept. `password` is hidden text. `area` is text of several lines. `radio` is a choice with few options, each of
	 * which has an explanation.
	 */
	readonly kind: "text" | "date" | "number" | "toggle" | "choice" | "radio" | "secret" | "password" | "area";
	/** Options of `choice` and `radio`. If a value is a number, it is sent as a number. Only `radio` shows `help`. */
	readonly choices?: readonly { readonly value: string | number; readonly label: string; readonly help?: string }[];
	/** Inclusive bounds of a number, or of a text's length. */
	readonly min?: number;
	readonly max?: number;
	readonly pattern?: RegExp;
	readonly form?: Form;
	/** Text that is shown if the gateway refuses a value although it matches the pattern. */
	readonly refused?: TextKey;
	readonly required?: boolean;
	readonly unit?: string;
	/** Keyboard that a phone shows for `text`. */
	readonly inputmode?: "numeric" | "decimal";
	/** Number of lines of `area`. Default: 5. */
	readonly rows?: number;
	/** Types of files that the user may choose for `area` instead of typing, as in `accept` of HTML. */
	readonly accept?: string;
	/** Member of the reply that tells whether a `secret` is stored. */
	readonly storedFlag?: string;
	/** Value of the attribute `autocomplete`. Default: `off`. */
	readonly autocomplete?: string;
	/** True if few owners need this field. It is then in a folded section below the other fields. */
	readonly isRare?: boolean;
	/** Condition under which the field is shown, checked and sent. */
	readonly when?: (draft: Draft) => boolean;
	/** Called with a newly chosen value of this field. Returns the values that other fields usually have with it. */
	readonly implies?: (value: FieldValue, draft: Draft) => Draft;
}

interface FieldProps {
	readonly spec: FieldSpec;
	readonly value: FieldValue;
	readonly error?: string | undefined;
	/** True if a value is stored for a `secret`. */
	readonly isStored?: boolean;
	onInput(value: FieldValue): void;
}

/** Returns a message in the user's language, or undefined if the value is valid. */
export function faultOf(spec: FieldSpec, value: FieldValue): string | undefined {
	if (spec.kind === "toggle" || spec.kind === "choice" || spec.kind === "radio") return undefined;
	const text = String(value);
	const { min = 0, max = Number.POSITIVE_INFINITY } = spec;
	if (spec.kind === "number") {
		if (!/^-?\d+$/.test(text.trim())) return t(text.trim() === "" ? "valid.required" : "valid.number");
		const number = Number(text);
		return number < min || number > max ? t("valid.range", { min, max }) : undefined;
	}
	if (text === "") return spec.required ? t("valid.required") : undefined;
	const { length } = [...text];
	if (length < min || length > max) return t("valid.length", { min, max });
	return spec.pattern === undefined || spec.pattern.test(text) ? undefined : formText(spec, text);
}

/** Describes the required form, and names the first wrong character in the text. */
function formText({ form }: FieldSpec, text: string): string {
	if (form === undefined) return t("valid.form");
	const { says, characters } = form;
	const character = characters && [...text].find((one) => !characters.test(one));
	return character === undefined ? t(says) : `${t("valid.character", { character })} ${t(says)}`;
}

/** Returns the reason why the gateway refused the value, in the user's language. */
export function refusalText({ form, refused }: FieldSpec, error: DeviceError): string {
	const why = refused ?? form?.says;
	return error.code === "invalid_field" && why !== undefined ? t(why) : errorText(error);
}

export function Field(props: FieldProps) {
	return props.spec.kind === "radio" ? <RadioField {...props} /> : <LabelledField {...props} />;
}

function RadioField({ spec, value, error, onInput }: FieldProps) {
	const id = useId();
	return (
		<fieldset class="field radio" aria-describedby={error === undefined ? undefined : id}>
			<legend>{t(spec.label)}</legend>
			{spec.choices?.map((choice) => (
				<label key={choice.value}>
					<input
						type="radio"
						name={spec.name}
						value={String(choice.value)}
						checked={String(value) === String(choice.value)}
						onInput={() => onInput(choice.value)}
					/>
					<span>
						{choice.label}
						{choice.help !== undefined && <small>{choice.help}</small>}
					</span>
				</label>
			))}
			{error !== undefined && (
				<p class="fault" id={id}>
					{error}
				</p>
			)}
		</fieldset>
	);
}

function LabelledField(props: FieldProps) {
	const { spec, error } = props;
	const id = useId();
	const help = spec.help === undefined ? undefined : `${id}-help`;
	const fault = error === undefined ? undefined : `${id}-fault`;
	const describedBy = [help, fault].filter((part) => part !== undefined).join(" ") || undefined;
	const input = { id, name: spec.name, "aria-describedby": describedBy, "aria-invalid": fault !== undefined };
	const label = (
		<label for={id}>
			{t(spec.label)}{" "}
			{spec.kind === "secret" && <span class="mark">{t(props.isStored ? "stored" : "stored.not")}</span>}
		</label>
	);
	return (
		<div class={`field ${spec.kind}`}>
			{spec.kind === "toggle" ? (
				<div class="switch">
					<Input {...props} input={input} />
					{label}
				</div>
			) : (
				<>
					{label}
					<Input {...props} input={input} />
				</>
			)}
			{spec.help !== undefined && (
				<p class="help" id={help}>
					{t(spec.help)}
				</p>
			)}
			{error !== undefined && (
				<p class="fault" id={fault}>
					{error}
				</p>
			)}
		</div>
	);
}

/** Hidden field with the account name, which password managers need in forms with the account's password. */
export function AccountName() {
	return (
		<input
			class="unseen"
			type="text"
			name="username"
			autocomplete="username"
			value={USER}
			readOnly
			tabIndex={-1}
			aria-label={t("login.user")}
		/>
	);
}

interface InputProps extends FieldProps {
	readonly input: Record<string, string | boolean | undefined>;
}

function Input({ spec, value, isStored, onInput, input }: InputProps) {
	const typed = (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value);
	switch (spec.kind) {
		case "toggle":
			return (
				<input
					{...input}
					type="checkbox"
					role="switch"
					aria-checked={value === true}
					checked={value === true}
					onInput={(event) => onInput(event.currentTarget.checked)}
				/>
			);
		case "choice":
			return (
				<select {...input} value={String(value)} onInput={typed}>
					{spec.choices?.map((choice) => (
						<option key={choice.value} value={String(choice.value)}>
							{choice.label}
						</option>
					))}
				</select>
			);
		case "area":
			return (
				<>
					<textarea {...input} rows={spec.rows ?? 5} spellcheck={false} value={String(value)} onInput={typed} />
					{spec.accept !== undefined && <FileInput accept={spec.accept} onText={onInput} />}
				</>
			);
		case "number":
			return (
				<span class="with-unit">
					<input {...input} type="text" inputmode="numeric" autocomplete="off" value={String(value)} onInput={typed} />
					{spec.unit !== undefined && <span>{spec.unit}</span>}
				</span>
			);
		case "secret":
		case "password":
			return <HiddenInput {...{ spec, value, isStored: isStored === true, onInput, input }} />;
		default: {
			const text = (
				<input
					{...input}
					type={spec.kind === "date" ? ("date" as "text") : "text"}
					inputmode={spec.inputmode}
					autocomplete={spec.autocomplete ?? "off"}
					autocapitalize="none"
					spellcheck={false}
					value={String(value)}
					onInput={typed}
				/>
			);
			return spec.unit === undefined ? (
				text
			) : (
				<span class="with-unit">
					{text}
					<span>{spec.unit}</span>
				</span>
			);
		}
	}
}

function FileInput({ accept, onText }: { accept: string; onText: (text: string) => void }) {
	return (
		<label class="file">
			{t("file.choose")}
			<input
				type="file"
				accept={accept}
				onChange={async (event) => {
					const file = event.currentTarget.files?.[0];
					if (file !== undefined) onText(await file.text());
				}}
			/>
		</label>
	);
}

function HiddenInput({ spec, value, isStored, onInput, input }: InputProps) {
	const [shown, setShown] = useState(false);
	return (
		<>
			<span class="with-unit">
				<input
					{...input}
					// The cast is needed because JSX has separate types for text and password inputs.
					type={(shown ? "text" : "password") as "password"}
					autocomplete={spec.autocomplete ?? (spec.kind === "secret" ? "new-password" : "current-password")}
					autocapitalize="none"
					spellcheck={false}
					placeholder={spec.kind === "secret" && isStored ? "••••••••" : undefined}
					value={String(value)}
					onInput={(event) => onInput(event.currentTarget.value)}
				/>
				<Button
					aria-pressed={shown}
					aria-label={`${t(shown ? "hide" : "show")}: ${t(spec.label)}`}
					onClick={() => setShown(!shown)}
				>
					{t(shown ? "hide" : "show")}
				</Button>
			</span>
			{spec.kind === "secret" && isStored && <p class="help">{t("secret.keep")}</p>}
		</>
	);
}
