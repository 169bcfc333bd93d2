/** Form for a new password, in the wizard and on the security page. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { SYSTEM_PASSWORD } from "../kit/bodies.js";
import { DeviceError } from "../kit/device.js";
import { AccountName, type Draft, type FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { refresh } from "../kit/live.js";
import { changePassword } from "../kit/login.js";
import { t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";

/** Length from which a password is called "strong". Length is more important than special characters. */
const STRONG = 14;

const OLD: FieldSpec = {
	name: "old",
	label: "password.old",
	help: "login.first",
	kind: "password",
	required: true,
	autocomplete: "current-password",
};
const NEW: readonly FieldSpec[] = [
	{
		name: "new",
		label: "password.new",
		help: "password.help",
		kind: "password",
		...SYSTEM_PASSWORD.new_password,
		required: true,
		autocomplete: "new-password",
	},
	{ name: "repeat", label: "password.repeat", kind: "password", required: true, autocomplete: "new-password" },
];

interface PasswordFormProps {
	/** Old password; if omitted, the form asks for it. */
	readonly old?: string | undefined;
	readonly submitLabel?: string;
	/** Message after success. If it is "", there is no message. */
	readonly doneText?: string;
	onChanged?(): void;
	/** Content beside the button. */
	readonly actions?: ComponentChildren;
}

export function PasswordForm({ old, onChanged, ...form }: PasswordFormProps) {
	const [draft, setDraft] = useState<Draft>({});
	// In the meantime, another client may have changed the password.
	const [isKnown, setKnown] = useState(old !== undefined);
	const change = async (values: Draft) => {
		if (values["new"] !== values["repeat"]) throw new DeviceError(0, "password_repeat", "", "repeat");
		try {
			await changePassword(isKnown ? String(old) : String(values["old"]), String(values["new"]));
		} catch (reason) {
			const error = asDeviceError(reason);
			if (error.code !== "invalid_proof") throw error;
			setKnown(false);
			throw new DeviceError(error.status, error.code, "", "old");
		}
		setDraft({});
		refresh().catch(() => undefined);
		onChanged?.();
	};
	const { length } = [...String(draft["new"] ?? "")];
	return (
		<Form
			{...form}
			fields={[{ ...OLD, when: () => !isKnown }, ...NEW]}
			values={{}}
			submitLabel={form.submitLabel ?? t("password.change")}
			doneText={form.doneText ?? t("password.changed")}
			onDraft={setDraft}
			submit={change}
			before={<AccountName />}
		>
			{length >= SYSTEM_PASSWORD.new_password.min && <p>{t(length >= STRONG ? "password.strong" : "password.fair")}</p>}
		</Form>
	);
}
