/** Fills the history from the meter's own load profile. */
import { useState } from "preact/hooks";
import { Button, Card, ErrorNotice, Pending } from "../kit/components.js";
import { type DeviceError, post } from "../kit/device.js";
import { failureText } from "../kit/failures.js";
import { formatNumber } from "../kit/format.js";
import type { BackfillStatus } from "../kit/replies.js";
import { language, t } from "../kit/text.js";
import { asDeviceError, useDevice, usePoll } from "../kit/use-device.js";

const PATH = "meter/backfill";
const POLL_MS = 5_000;

function endText(ended: BackfillStatus["ended"], rows: number): string {
	if (ended === "no_counters") return t("fill.no_counters");
	if (ended === "meter_clock") return t("profile.clock");
	if (ended === "no_profile" || ended === "no_history") return t("fill.no_profile");
	const done = `${t("profile.rows")}: ${formatNumber(rows, language)}`;
	return ended === "meter_changed" ? `${done} (${t("mark.meter_changed")})` : done;
}

export function BackfillCard() {
	const { value, error, reload } = useDevice<BackfillStatus>(`${PATH}/status`);
	const [failure, setFailure] = useState<DeviceError>();
	usePoll(reload, POLL_MS);
	const {
		state,
		ended = "",
		rows,
		days_total = 0,
		days_done = 0,
		minutes_left,
		history_days,
		last_error,
	} = value ?? {};
	const isOn = state === "waiting" || state === "reading";
	const change = async () => {
		setFailure(undefined);
		try {
			// If the setting is switched off and on again, filling starts from the beginning.
			if (state === "ended") await post(PATH, { enabled: false });
			await post(PATH, { enabled: !isOn });
			await reload();
		} catch (reason) {
			setFailure(asDeviceError(reason));
		}
	};
	if (value === undefined) return <Pending error={error} reload={reload} />;
	return (
		<Card title={t("fill.start")} wide>
			<p class="help">{t("fill.help", { n: history_days! })}</p>
			{state === "off" && minutes_left != null && <p class="help">{t("fill.takes", { n: minutes_left })}</p>}
			{state === "waiting" && days_done === 0 && <p class="help">{t("fill.soon")}</p>}
			{isOn && (
				<div class="progress">
					<progress aria-label={t("fill.start")} max={days_total} value={days_done} />
					<small>
						{t("fill.days", { n: days_done, all: days_total })}
						{minutes_left != null && `; ${t("fill.left", { n: minutes_left })}`}
					</small>
				</div>
			)}
			{last_error !== "" && <p>{failureText(last_error)}</p>}
			{ended !== "" && <p>{endText(ended, rows ?? 0)}</p>}
			{failure && <ErrorNotice error={failure} />}
			<div class="actions">
				<Button name="fill" onClick={change}>
					{t(isOn ? "align.stop" : "fill.start")}
				</Button>
			</div>
		</Card>
	);
}
