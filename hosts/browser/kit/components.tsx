/** Small building blocks of pages. */
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { csvOf } from "./csv.js";
import type { DeviceError } from "./device.js";
import { formatReading } from "./format.js";
import { isKnown } from "./power.js";
import type { Reading } from "./replies.js";
import { saveFile } from "./save-file.js";
import { Store, useStore } from "./store.js";
import { language, t } from "./text.js";
import { errorText } from "./use-device.js";

/** Outlines of the icons as SVG paths in a square of 24 by 24. */
const ICONS = {
	bolt: "M13 3 5 14h6l-1 7 8-11h-6z",
	bars: "M5 20v-6M12 20V5M19 20V9",
	list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
	meter: "M12 4a9 9 0 0 0-7 14h14A9 9 0 0 0 12 4zM12 14l4-5",
	wifi: "M4 9a12 12 0 0 1 16 0M7 12.5a8 8 0 0 1 10 0M10 16a4 4 0 0 1 4 0M12 19h.01",
	zigbee: "M6 6h12L6 18h12",
	hub: "M4 11 12 4l8 7v9h-5v-5H9v5H4z",
	battery: "M4 8h14v8H4zM18 11h2v2h-2M8 11v2M12 11v2",
	lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
	gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M5.6 18.4l2.2-2.2M16.2 7.8l2.2-2.2",
	clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2",
	check: "M5 12.5 10 17 19 7",
	warning: "M12 4 3 20h18zM12 10v4M12 17h.01",
	error: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM9 9l6 6M15 9l-6 6",
	info: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 11v5M12 8h.01",
	off: "M6 12h12",
	busy: "M12 4a8 8 0 1 1-8 8",
	menu: "M4 7h16M4 12h16M4 17h16",
	tray: "M12 4v10M8 10l4 4 4-4M5 19h14",
	power: "M12 4v8M7 7a7 7 0 1 0 10 0",
} as const;
export type IconName = keyof typeof ICONS;

/** An icon. Its meaning must also be in the text beside it. */
export function Icon({ name }: { name: IconName }) {
	return (
		<svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
			<path d={ICONS[name]} />
		</svg>
	);
}

interface CardProps {
	readonly title?: string;
	readonly wide?: boolean;
	readonly children: ComponentChildren;
}

export function Card({ title, wide, children }: CardProps) {
	return (
		<section class={wide ? "card wide" : "card"}>
			{title !== undefined && <h2>{title}</h2>}
			{children}
		</section>
	);
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "disabled"> {
	readonly kind?: "main" | "plain" | "danger";
	/** If this is set, the label shows this text and the button is inactive. */
	readonly busy?: string | false | undefined;
	readonly type?: "button" | "submit";
	readonly disabled?: boolean;
	readonly children?: ComponentChildren;
}

export function Button({ kind = "plain", busy, type = "button", disabled, children, ...rest }: ButtonProps) {
	return (
		// The attribute aria-disabled keeps the button in the Tab order, so that the focus is not lost.
		<button
			{...rest}
			type={type}
			class={`button ${kind}`}
			disabled={disabled}
			aria-disabled={busy ? "true" : undefined}
			onClick={busy ? undefined : rest.onClick}
		>
			{busy && <Icon name="busy" />}
			{busy || children}
		</button>
	);
}

export type NoticeKind = "info" | "good" | "warning" | "error";
const NOTICE_ICONS = { info: "info", good: "check", warning: "warning", error: "error" } as const;

export function Notice({ kind, children }: { kind: NoticeKind; children: ComponentChildren }) {
	return (
		<div class={`notice ${kind}`} role={kind === "error" ? "alert" : undefined}>
			<Icon name={NOTICE_ICONS[kind]} />
			<div>{children}</div>
		</div>
	);
}

interface ErrorNoticeProps {
	readonly error: DeviceError;
	/** Text that is shown instead of the text for the error's code. */
	readonly text?: string | undefined;
	retry?(): void;
}

/** Shows an error in the user's language, with the gateway's own message below. */
export function ErrorNotice({ error, text, retry }: ErrorNoticeProps) {
	return (
		<Notice kind="error">
			<p>{text ?? errorText(error)}</p>
			{error.message !== "" && (
				<details>
					<summary>{t("details")}</summary>
					<p lang="en">{error.message}</p>
				</details>
			)}
			{retry && <Button onClick={retry}>{t("retry")}</Button>}
		</Notice>
	);
}

/** Shown until data arrive: the word "loading", or the error with a button that tries again. */
export function Pending({ error, reload }: { error: DeviceError | undefined; reload: () => void }) {
	return error ? <ErrorNotice error={error} retry={reload} /> : <p class="pending">{t("loading")}</p>;
}

export type ChipState = "good" | "warning" | "off" | "busy";
const CHIP_ICONS = { good: "check", warning: "warning", off: "off", busy: "busy" } as const;

/** Shows a component's name, and a word for its state. */
export function Chip({ state, name, children }: { state: ChipState; name: string; children: ComponentChildren }) {
	return (
		<span class={`chip ${state}`}>
			<Icon name={CHIP_ICONS[state]} />
			<span>
				{name}: <b>{children}</b>
			</span>
		</span>
	);
}

export function Facts({ kind, children }: { kind?: string; children: ComponentChildren }) {
	return <dl class={kind === undefined ? "facts" : `facts ${kind}`}>{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}

/** A reading with its unit. Energy is shown in kWh. */
export function Amount({ reading }: { reading: Reading }) {
	const { value1, value1_unit } = reading;
	const [value, unit] = isKnown(reading) ? formatReading(value1, value1_unit, language) : ["–"];
	return (
		<>
			<span class="number">{value}</span> {unit}
		</>
	);
}

const announcement = new Store("");

export function announce(text: string): void {
	announcement.set("");
	// Screen readers read a text only when it changes.
	setTimeout(() => announcement.set(text), 50);
}

/** Region whose text screen readers announce. Exactly one such region must exist at all times. */
export function LiveRegion() {
	return (
		<div class="unseen" role="status">
			{useStore(announcement)}
		</div>
	);
}

interface ProgressProps {
	readonly label: string;
	readonly limitS: number;
	/** Start of the operation, ms. Default: the time at which this component first appears. */
	readonly sinceMs?: number;
	/** Explanation that is shown after LONG_S. */
	readonly long?: string;
	/** True if the operation usually ends before LONG_S. Progress is then shown only after LONG_S. */
	readonly isMostlyShort?: boolean;
}

const LONG_S = 6;

export function Progress({ label, limitS, sinceMs, long, isMostlyShort }: ProgressProps) {
	const appearedMs = useRef(Date.now());
	const [, tick] = useState(0);
	useEffect(() => {
		const timer = setInterval(() => tick((n) => n + 1), 250);
		return () => clearInterval(timer);
	}, []);
	const seconds = Math.max(0, Math.floor((Date.now() - (sinceMs ?? appearedMs.current)) / 1000));
	const isLong = seconds >= LONG_S;
	if (isMostlyShort && !isLong) return null;
	return (
		<>
			<div class="progress">
				<progress aria-label={label} max={limitS} value={Math.min(seconds, limitS)} />
				<small>{t("read.seconds", { n: seconds })}</small>
			</div>
			{isLong && long !== undefined && <p>{long}</p>}
		</>
	);
}

interface DownloadProps {
	/** File name without extension. */
	readonly name: string;
	rows(): readonly (readonly string[])[];
}

export function DownloadButton({ name, rows }: DownloadProps) {
	const download = () => saveFile(`${name}.csv`, new Blob([csvOf(rows(), language)], { type: "text/csv" }));
	return (
		<Button name="csv" onClick={download}>
			{t("readings.csv")}
		</Button>
	);
}
