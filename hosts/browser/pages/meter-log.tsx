/** The raw log of the session with the meter. */

import { useState } from "preact/hooks";
import { Button, Card, Notice, Pending } from "../kit/components.js";
import { CopyButton } from "../kit/copy-button.js";
import { Field } from "../kit/fields.js";
import { formatNumber } from "../kit/format.js";
import type { Log } from "../kit/replies.js";
import { language, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { speedText } from "./speeds.js";

type Entry = Log["entries"][number];

const NAMES =
	"NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(
		" ",
	);

/** If entries of the same direction are within this time, they are shown as one. */
const JOIN_MS = 1_500;

const HEX = { name: "hex", label: "log.hex", kind: "toggle" } as const;

/** Shows the log. It is fetched only when the user asks for it, because it may be large. */
export function LogCard() {
	const [isOpen, setOpen] = useState(false);
	return (
		<Card title={t("log.title")} wide>
			{isOpen ? (
				<LogView />
			) : (
				<Button name="log" onClick={() => setOpen(true)}>
					{t("log.show")}
				</Button>
			)}
		</Card>
	);
}

function LogView() {
	const { value: log, error, reload } = useDevice<Log>("iec62056/log");
	const [isHex, setHex] = useState(false);
	if (log === undefined) return <Pending error={error} reload={reload} />;
	const { now_ms } = log;
	const entries = joined(log.entries);
	const lines = entries.map((entry) => ({ ago: agoOf(entry, now_ms), entry, what: whatOf(entry, isHex) }));
	return (
		<>
			{!log.log_en && <Notice kind="info">{t("log.disabled")}</Notice>}
			{log.log_en && entries.length === 0 && <Notice kind="info">{t("log.empty")}</Notice>}
			{log.dropped > 0 && <p class="help">{t("events.dropped", { n: log.dropped })}</p>}
			{entries.length > 0 && (
				<>
					<Field spec={HEX} value={isHex} onInput={(on) => setHex(on === true)} />
					<ol class="log">
						{lines.map(({ ago, entry, what }, index) => (
							<li key={index} class={entry.kind}>
								<small>
									{ago} · {t(`log.kind.${entry.kind}`)}
								</small>
								<code>{what}</code>
							</li>
						))}
					</ol>
				</>
			)}
			<div class="actions">
				<Button name="reload" onClick={reload}>
					{t("reload")}
				</Button>
				{entries.length > 0 && (
					<CopyButton
						text={() =>
							lines.map(({ ago, entry, what }) => `${ago}\t${t(`log.kind.${entry.kind}`)}\t${what}`).join("\n")
						}
					/>
				)}
			</div>
		</>
	);
}

/** Joins entries, because data from a slow line are recorded in pieces of a few characters. */
function joined(entries: readonly Entry[]): readonly Entry[] {
	const whole: Entry[] = [];
	let lastMs = 0;
	for (const entry of entries) {
		const before = whole[whole.length - 1];
		if (before?.kind === entry.kind && entry.kind !== "line" && entry.ms - lastMs < JOIN_MS) {
			whole[whole.length - 1] = {
				...before,
				text: `${before.text}${entry.text}`,
				hex: `${before.hex}${entry.hex}`,
			};
		} else whole.push(entry);
		lastMs = entry.ms;
	}
	return whole;
}

/** Returns the time before the log was fetched, such as `−12.345 s`. */
function agoOf({ ms }: Entry, nowMs: number): string {
	return `${formatNumber((ms - nowMs) / 1000, language, 3, 3)} s`;
}

function whatOf({ baud, text = "", hex = "" }: Entry, isHex: boolean): string {
	if (baud !== undefined) return speedText(baud);
	return isHex ? (hex.match(/../g) ?? []).join(" ") : visible(text);
}

/** Replaces control characters by their ASCII names. A line ends after its line feed character. */
function visible(text: string): string {
	return [...text]
		.map((character) => {
			const code = character.charCodeAt(0);
			const name = code === 0x7f ? "DEL" : NAMES[code];
			return name === undefined ? character : `<${name}>${name === "LF" ? "\n" : ""}`;
		})
		.join("")
		.trimEnd();
}
