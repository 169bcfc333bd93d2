/** Enters the meter's PIN by flashes of the optical head. */
import { useEffect, useState } from "preact/hooks";
import { METER_PIN } from "../kit/bodies.js";
import { announce, Button, Notice } from "../kit/components.js";
import { post, remove } from "../kit/device.js";
import { Form } from "../kit/form.js";
import { fieldsOf } from "../kit/limits.js";
import { reading, readNow, readout } from "../kit/live.js";
import { isOpen } from "../kit/power.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";

const FIELDS = [
	...fieldsOf(METER_PIN, [
		{ name: "pin", label: "pin.label", help: "pin.help", kind: "text", inputmode: "numeric", required: true },
		{ name: "flashes", label: "pin.flashes", help: "pin.flashes.help", kind: "number" },
	]),
	{ name: "switches", label: "pin.switches", kind: "toggle" } as const,
	...fieldsOf(METER_PIN, [
		{ name: "inf", label: "pin.inf", help: "pin.inf.help", kind: "number", when: ({ switches }) => switches === true },
	]),
];

interface Entry {
	readonly duration_ms: number;
	readonly digits_ms: readonly number[];
	readonly startMs: number;
	stop(): void;
}

const NOTICES = { done: "info", stopped: "info", open: "good", hidden: "warning" } as const;

export function PINForm() {
	const [entry, setEntry] = useState<Entry>();
	const [outcome, setOutcome] = useState<keyof typeof NOTICES>();
	const isReading = useStore(reading);
	const showResult = (result: typeof outcome) => {
		setOutcome(result);
		if (result) announce(t(`pin.is.${result}`));
	};
	const read = async () => {
		// If the readout fails, the card of the protocol shows the failure.
		showResult((await readNow()) ? (isOpen(readout.value?.readings ?? []) ? "open" : "hidden") : undefined);
	};
	return (
		<Form
			fields={FIELDS}
			values={{ flashes: 2 }}
			submitLabel={t("pin.title")}
			busyLabel={t("pin.busy")}
			doneText=""
			submit={async ({ switches: _, ...values }) => {
				setOutcome(undefined);
				const times = await post<Omit<Entry, "startMs" | "stop">>("meter/pin", values);
				const result = await new Promise<typeof outcome>((resolve) => {
					setTimeout(() => resolve("done"), times.duration_ms);
					setEntry({ ...times, startMs: Date.now(), stop: () => resolve("stopped") });
				});
				setEntry(undefined);
				if (result === "stopped") await remove("meter/pin");
				showResult(result);
			}}
			actions={
				entry ? (
					<Button onClick={entry.stop}>{t("align.stop")}</Button>
				) : (
					outcome && (
						<Button busy={isReading && t("read.running")} onClick={read}>
							{t("read.now")}
						</Button>
					)
				)
			}
		>
			{entry && <EntryProgress {...entry} />}
			{outcome && <Notice kind={NOTICES[outcome]}>{t(`pin.is.${outcome}`)}</Notice>}
		</Form>
	);
}

function EntryProgress({ digits_ms, duration_ms, startMs }: Entry) {
	const [nowMs, setNow] = useState(startMs);
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), 250);
		return () => clearInterval(timer);
	}, []);
	const ms = Math.min(nowMs - startMs, duration_ms);
	const at = digits_ms.findIndex((takenMs) => ms < takenMs);
	const step = at < 0 ? t("pin.switching") : t("pin.digit", { n: at + 1, of: digits_ms.length });
	useEffect(() => announce(step), [step]);
	return (
		<div class="progress">
			<progress aria-label={t("pin.title")} max={duration_ms} value={ms} />
			<p>
				{step} <small>{t("pin.left", { n: Math.ceil((duration_ms - ms) / 1000) })}</small>
			</p>
		</div>
	);
}
