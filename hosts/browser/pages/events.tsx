/** The event log, described in words. */

import { Button, Card, DownloadButton, Pending } from "../kit/components.js";
import { CopyButton } from "../kit/copy-button.js";
import { failureText } from "../kit/failures.js";
import { formatMoment, formatPeriod } from "../kit/format.js";
import type { Event, EventLog } from "../kit/replies.js";
import { isText, language, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import type { TextKey } from "../text/all.js";

/** Texts for the causes in the log. Each is recognised by a distinctive part. */
const CAUSES: readonly (readonly [part: string, text: TextKey])[] = [
	["power was switched on", "cause.power"],
	["it was asked for", "cause.asked"],
	["sleep has ended", "cause.sleep"],
	["voltage", "cause.voltage"],
	["watchdog", "cause.watchdog"],
	["panic", "cause.panic"],
];

/** Events whose detail begins with a code of a failure: `unreachable`, `ota_unreachable: reset`, `busy from ::1`. */
const FAILED = /_(failed|refused)$/;
const CODE = /^([a-z_]+)(?:(?:: | from | by )(.+))?$/;

/** Returns the text for the code at the beginning, or undefined if there is none. */
function codeText(detail: string): string | undefined {
	const [, code, more] = CODE.exec(detail) ?? [];
	const key = [`out.${code}`, `error.${code}`].find(isText);
	return key && `${t(key)}${more ? ` (${more})` : ""}`;
}

/** Names of the groups in the log. */
const GROUPS: readonly (readonly [text: TextKey, groups: string])[] = [
	["nav.meter", "meter iec62056 control dlms dlms_secrets dlms_obis"],
	["schedule.title", "schedule"],
	["nav.network", "network ethernet"],
	["state.wifi", "wifi"],
	["nav.hub", "hub mqtt"],
	["nav.zigbee", "zigbee zigbee_map"],
	["zone.label", "system"],
	["power.supply", "power"],
	["price.title", "prices"],
	["peaks.title", "peaks"],
	["fill.start", "backfill"],
	["nav.batteries", "live_meter"],
	["upgrade.title", "upgrade"],
	["tokens.title", "tokens"],
];

function detailOf({ event, detail }: Event): string {
	if (event === "meter_failed") return failureText(detail) ?? detail;
	if (event === "settings_changed") {
		const names = detail.split(" ").map((group) => {
			const found = GROUPS.find(([, groups]) => groups.split(" ").includes(group));
			return found === undefined ? group : t(found[0]);
		});
		return [...new Set(names)].join(", ");
	}
	if (FAILED.test(event)) return codeText(detail) ?? detail;
	const isCause = event === "started" || event === "safe_mode";
	const cause = isCause ? CAUSES.find(([part]) => detail.includes(part)) : undefined;
	return cause === undefined ? detail : t(cause[1]);
}

interface Line {
	readonly time: string;
	readonly what: string;
	readonly detail: string;
	readonly count: number;
}

/** Describes an event. An unknown event is shown by its name. */
function lineOf(of: Event, timeZone: string): Line {
	const { time, uptime, event, count } = of;
	const key = `event.${event}`;
	// For events before the clock was set, only the time since the start is known.
	const after = () => t("events.after", { time: formatPeriod(Math.ceil((uptime || 1) / 60) * 60, language) });
	return {
		time: time === 0 ? after() : formatMoment(time, language, timeZone),
		what: isText(key) ? t(key) : event,
		detail: detailOf(of),
		count,
	};
}

export function Events() {
	const { value, error, reload } = useDevice<EventLog>("system/log");
	const { timeZone, zoneName } = useZone();
	if (value === undefined) return <Pending error={error} reload={reload} />;
	const lines = value.events.map((event) => lineOf(event, timeZone)).reverse();
	const heads = [t("readings.time"), t("events.what"), t("events.detail"), t("events.count")];
	const rows = () => [heads, ...lines.map(({ time, what, detail, count }) => [time, what, detail, String(count)])];
	return (
		<div class="cards">
			<Card wide>
				<p class="help">
					{t("events.intro")} {t("zone.shown", { zone: zoneName })}.
				</p>
				<ol class="log events">
					{lines.map(({ time, what, detail, count }, index) => (
						<li key={index}>
							<small>{time}</small>
							<div>
								<b>{what}</b> {count > 1 && <span class="mark">{t("events.times", { n: count })}</span>}
								{detail !== "" && <small>{detail}</small>}
							</div>
						</li>
					))}
				</ol>
				{value.dropped > 0 && <p class="help">{t("events.dropped", { n: value.dropped })}</p>}
				<div class="actions">
					<Button name="reload" onClick={reload}>
						{t("reload")}
					</Button>
					<CopyButton
						text={() =>
							rows()
								.map((cells) => cells.join("\t"))
								.join("\n")
						}
					/>
					<DownloadButton name={t("nav.events")} rows={rows} />
				</div>
			</Card>
		</div>
	);
}
