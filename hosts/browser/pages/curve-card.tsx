/** The overview's card with the latest power. */

import { Card } from "../kit/components.js";
import { Curve } from "../kit/curve.js";
import { points } from "../kit/curve-points.js";
import { formatPower } from "../kit/format.js";
import { power } from "../kit/live.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { useZone } from "../kit/zone.js";

/** If the curve is shorter than this, its times have seconds. */
const EXACT_MS = 300_000;

export function CurveCard() {
	const all = useStore(points);
	const values = all.map(({ value }) => value);
	const unit = useStore(power)?.unit ?? "W";
	const largest = Math.max(...values.map(Math.abs));
	const isShort = all.length > 0 && all[all.length - 1].atMs - all[0].atMs < EXACT_MS;
	const format = (watts: number) => formatPower(watts, unit, language);
	const { timeZone, zoneName } = useZone();
	const time = new Intl.DateTimeFormat(language, { timeStyle: isShort ? "medium" : "short", timeZone });
	return (
		<Card title={t("curve.title")} wide>
			{all.length < 2 ? (
				<p class="help">{t("curve.empty")}</p>
			) : (
				<>
					<Curve
						points={all}
						description={t("curve.describe", {
							n: all.length,
							min: format(Math.min(...values)),
							max: format(Math.max(...values)),
							last: format(values[values.length - 1]),
						})}
						format={(watts) => formatPower(watts, unit, language, largest)}
						formatTime={(ms) => time.format(ms)}
					/>
					<p class="help">{t("zone.shown", { zone: zoneName })}</p>
				</>
			)}
		</Card>
	);
}
