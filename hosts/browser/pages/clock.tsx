/** The gateway's clock, which can be set to the browser's time. */

import { useEffect, useState } from "preact/hooks";
import { announce, Button, Card, ErrorNotice, Fact, Facts, Notice, Pending } from "../kit/components.js";
import { type DeviceError, get, post } from "../kit/device.js";
import { advanceLocalTime, formatLocalTime } from "../kit/format.js";
import { refresh } from "../kit/live.js";
import type { Clock } from "../kit/replies.js";
import { APART_S } from "../kit/states.js";
import { language, t } from "../kit/text.js";
import { asDeviceError, useDevice, usePoll } from "../kit/use-device.js";
import { zone } from "../kit/zone.js";
import type { TextKey } from "../text/all.js";
import { TimeZoneForm } from "./time-zone.js";

const PATH = "system/clock";
/** Interval of requests. Between two requests, the page advances the time by itself. */
const POLL_MS = 60_000;

/** A reply, and the time of its arrival in ms since the page was opened. */
interface Seen {
	readonly clock: Clock;
	readonly atMs: number;
}

/** Shows the time in the gateway's own time zone, with the zone's name. */
export function RunningClock({ clock: { localtime, timezone, is_valid }, atMs }: Seen) {
	const [, tick] = useState(0);
	useEffect(() => {
		const timer = setInterval(() => tick((n) => n + 1), 1_000);
		return () => clearInterval(timer);
	}, []);
	const now = advanceLocalTime(localtime, (performance.now() - atMs) / 1000);
	return (
		<span class="number">
			{is_valid ? `${formatLocalTime(now, language)}, ${timezone.replace(/_/g, " ") || "UTC"}` : t("state.unset")}
		</span>
	);
}

export function useClock() {
	const { value, error, reload, put } = useDevice<Clock>(PATH);
	const [seen, setSeen] = useState<Seen>();
	useEffect(() => {
		if (value !== undefined) setSeen({ clock: value, atMs: performance.now() });
	}, [value]);
	usePoll(reload, POLL_MS);
	return { seen, error, reload, put };
}

export function ClockCard() {
	const { seen, error, reload, put } = useClock();
	const [busy, setBusy] = useState(false);
	const [failure, setFailure] = useState<DeviceError>();
	const [, tick] = useState(0);
	useEffect(() => {
		const timer = setInterval(() => tick((n) => n + 1), 1_000);
		return () => clearInterval(timer);
	}, []);
	const set = async () => {
		setBusy(true);
		setFailure(undefined);
		try {
			put(await post<Clock>(PATH, { timestamp: Math.round(Date.now() / 1000) }));
			announce(t("clock.set.done"));
			refresh().catch(() => undefined);
		} catch (reason) {
			setFailure(asDeviceError(reason));
		} finally {
			setBusy(false);
		}
	};
	return (
		<Card title={t("clock.title")}>
			{seen === undefined ? <Pending error={error} reload={reload} /> : <ClockFacts seen={seen} />}
			{failure && <ErrorNotice error={failure} />}
			<div class="actions">
				<Button name="set_clock" busy={busy && t("saving")} onClick={set}>
					{t("clock.set")}
				</Button>
			</div>
			<hr />
			<TimeZoneForm
				onSaved={(timezone) => {
					zone.set(timezone);
					get<Clock>(PATH).then(put, () => undefined);
				}}
			/>
		</Card>
	);
}

/** Compares the wall clocks of gateway and browser. Returns the text of a notice. */
function noticeOf({ is_valid, timestamp, localtime }: Clock, sinceS: number): TextKey {
	if (!is_valid) return "clock.unset";
	const now = new Date();
	if (Math.abs(timestamp + sinceS - now.getTime() / 1000) > APART_S) return "clock.differs";
	const wallMs = now.getTime() - now.getTimezoneOffset() * 60_000;
	const theirsMs = Date.parse(`${advanceLocalTime(localtime, sinceS)}Z`);
	return Math.abs(theirsMs - wallMs) > APART_S * 1000 ? "clock.zone" : "clock.help";
}

function ClockFacts({ seen: { clock, atMs } }: { seen: Seen }) {
	const sinceS = (performance.now() - atMs) / 1000;
	const notice = noticeOf(clock, sinceS);
	const browser = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }).format(Date.now());
	return (
		<>
			<Facts>
				<Fact name={t("clock.now")}>
					<RunningClock clock={clock} atMs={atMs} />
				</Fact>
				<Fact name={t("clock.browser")}>
					<span class="number">{browser}</span>
				</Fact>
			</Facts>
			{notice === "clock.help" ? <p class="help">{t(notice)}</p> : <Notice kind="warning">{t(notice)}</Notice>}
		</>
	);
}
