/** Modal dialogs. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, ErrorNotice } from "./components.js";
import type { DeviceError } from "./device.js";
import { t } from "./text.js";
import { asDeviceError } from "./use-device.js";

interface DialogProps {
	readonly title: string;
	/** Called when the user presses Esc. The dialog then does not close by itself. If omitted, Esc has no effect. */
	onClose?(): void;
	/** True if the focus starts on the title, because the text must be read before a button is pressed. */
	readonly textFirst?: boolean;
	readonly children: ComponentChildren;
}

/** The browser's modal dialog. It keeps the focus inside, and returns it to the previous element when it closes. */
export function Dialog({ title, onClose, textFirst, children }: DialogProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	const heading = useRef<HTMLHeadingElement>(null);
	const id = useId();
	// The dialog is closed before it is removed, because only a dialog in the document returns the focus.
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		if (textFirst) heading.current?.focus();
		return () => element?.close();
	}, []);
	return (
		<dialog
			ref={dialog}
			aria-labelledby={id}
			onCancel={(event) => {
				event.preventDefault();
				onClose?.();
			}}
		>
			<h2 id={id} ref={heading} tabIndex={-1}>
				{title}
			</h2>
			{children}
		</dialog>
	);
}

interface ConfirmProps {
	readonly title: string;
	readonly action: string;
	readonly danger?: boolean;
	/** Word that the user must type before the action can be performed. */
	readonly word?: string;
	readonly wordLabel?: string;
	run(): Promise<void>;
	onClose(): void;
	readonly children: ComponentChildren;
}

/** Asks before an irreversible action. Closes when the action has succeeded. */
export function Confirm({ title, action, danger, word, wordLabel, run, onClose, children }: ConfirmProps) {
	const [typed, setTyped] = useState("");
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<DeviceError>();
	const id = useId();
	const isReady = word === undefined || typed.trim().toLowerCase() === word.toLowerCase();
	const go = async (event: Event) => {
		event.preventDefault();
		if (busy || !isReady) return;
		setBusy(true);
		try {
			await run();
			onClose();
		} catch (reason) {
			setError(asDeviceError(reason));
		} finally {
			setBusy(false);
		}
	};
	return (
		<Dialog title={title} onClose={onClose} textFirst>
			<form onSubmit={go}>
				{children}
				{word !== undefined && (
					<div class="field">
						<label for={id}>{wordLabel}</label>
						<input
							id={id}
							type="text"
							autocomplete="off"
							autocapitalize="none"
							value={typed}
							onInput={(event) => setTyped(event.currentTarget.value)}
						/>
					</div>
				)}
				{error && <ErrorNotice error={error} />}
				<div class="actions">
					<Button type="submit" kind={danger ? "danger" : "main"} disabled={!isReady} busy={busy && action}>
						{action}
					</Button>
					<Button onClick={onClose}>{t("cancel")}</Button>
				</div>
			</form>
		</Dialog>
	);
}
