/** The login, as a separate page and as a form for the dialog that appears after the end of a session. */
import { useRef, useState } from "preact/hooks";
import { LanguageChoice } from "../kit/choices.js";
import { Button, ErrorNotice, Icon, Notice } from "../kit/components.js";
import type { DeviceError } from "../kit/device.js";
import { AccountName, Field } from "../kit/fields.js";
import { logIn, prepareLogin } from "../kit/login.js";
import { ending, reader } from "../kit/session.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";

const PASSWORD = {
	name: "password",
	label: "login.password",
	help: "login.first",
	kind: "password",
	autocomplete: "current-password",
} as const;

const KEEP = { name: "keep", label: "login.keep", help: "login.keep.help", kind: "toggle" } as const;

/** Without TLS, as in the network of the access point, a token for this address would be of no use later. */
const isSecure = location.protocol === "https:";

/** Returns a field of the login in the document. The user may have typed into it before this script was loaded. */
function typed(name: string): HTMLInputElement | null {
	return document.querySelector(`#app > .login [name=${name}]`);
}

export function LoginForm() {
	const [password, setPassword] = useState(() => typed("password")?.value ?? "");
	const [keep, setKeep] = useState(() => typed("keep")?.checked ?? false);
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<DeviceError>();
	const form = useRef<HTMLFormElement>(null);
	/** Takes over the password, because password managers fill in the field without an event. */
	const take = (): string => {
		// Firefox's form.elements no longer finds a field by its name after its id, which was the same, has changed.
		const { value } = form.current!.querySelector<HTMLInputElement>("[name=password]")!;
		setPassword(value);
		return value;
	};
	const submit = async (event: Event) => {
		event.preventDefault();
		if (busy) return;
		setBusy(true);
		setError(undefined);
		try {
			await logIn(take(), keep);
		} catch (reason) {
			setError(asDeviceError(reason));
			setBusy(false);
		}
	};
	return (
		<form ref={form} onSubmit={submit}>
			<AccountName />
			<Field
				spec={PASSWORD}
				value={password}
				onInput={(value) => {
					setPassword(String(value));
					prepareLogin();
					// The first page needs this script.
					import("./use.js").catch(() => undefined);
				}}
			/>
			{isSecure && reader() === undefined && (
				<Field
					spec={KEEP}
					value={keep}
					onInput={(value) => {
						take();
						setKeep(value === true);
					}}
				/>
			)}
			{error && <ErrorNotice error={error} />}
			<div class="actions">
				<Button type="submit" kind="main" busy={busy && t("login.busy")}>
					{t("login.go")}
				</Button>
			</div>
			<details open={error?.code === "invalid_proof"}>
				<summary>{t("login.forgot")}</summary>
				<p>{t("login.forgot.help")}</p>
			</details>
		</form>
	);
}

export function LoginReason() {
	const why = useStore(ending) ?? "expired";
	if (why === "expired") return <p>{t("login.again")}</p>;
	return <p>{t(`ending.${why === "certificate" ? "restart" : why}`)}</p>;
}

/** `onCancel` returns to the pages of a display. */
export function LoginPage({ onCancel }: { onCancel?: (() => void) | undefined }) {
	const why = useStore(ending);
	return (
		<main class="login">
			<div class="card">
				<h1>
					<Icon name="bolt" />
					{t("title")}
				</h1>
				{why !== undefined && (
					<Notice kind="info">
						<LoginReason />
					</Notice>
				)}
				<LoginForm />
				{onCancel && <Button onClick={onCancel}>{t("cancel")}</Button>}
				{isSecure && (
					<details>
						<summary>{t("login.certificate")}</summary>
						<p>{t("login.certificate.help")}</p>
					</details>
				)}
				<LanguageChoice />
			</div>
		</main>
	);
}
