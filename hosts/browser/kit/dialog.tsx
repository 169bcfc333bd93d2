/** Questions that must be answered before anything else. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DeviceError } from "./device.js";
import { Button, ErrorNotice } from "./parts.js";
import { t } from "./text.js";
import { asDeviceError } from "./use-device.js";

interface DialogProps {
	readonly title: string;
	/** Left out: it can't be closed from within. */
	onClose?(): void;
	/** The focus begins at the title, since the text is to be read before anything is pressed. */
	readonly textFirst?: boolean;
	readonly children: ComponentChildren;
}

/** A modal dialog of the browser's own: it keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, textFirst, children }: DialogProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	const heading = useRef<HTMLHeadingElement>(null);
	const id = useId();
	// While it still is in the document: only then it gives the focus back.
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
	/** The word that has to be typed before it can be done. */
	readonly word?: string;
	readonly wordLabel?: string;
	run(): Promise<void>;
	onClose(): void;
	readonly children: ComponentChildren;
}

/** Asks before it runs what can't be taken back; closes when that went well. */
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
