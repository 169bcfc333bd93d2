/** Dynamic prices of today and tomorrow as bars; the present quarter hour is marked. */
import { Bars } from "../kit/bars.js";
import { Card } from "../kit/components.js";
import { formatNumber } from "../kit/format.js";
import { status } from "../kit/live.js";
import { importPriceAt } from "../kit/money.js";
import { spanOf } from "../kit/periods.js";
import { usePricing } from "../kit/prices.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { momentOf, wallClockOf } from "../kit/wall-clock.js";
import { useZone } from "../kit/zone.js";

const QUARTER_S = 900;

/** Shows nothing without dynamic prices of today or later. */
export function PriceCurve() {
	const pricing = usePricing();
	const now = useStore(status);
	const { timeZone } = useZone();
	const { dynamic } = pricing ?? {};
	if (pricing === undefined || dynamic === undefined || !now?.clock_valid) return null;
	const from = momentOf(spanOf("day", wallClockOf(now.timestamp, timeZone)).fromMs, timeZone);
	const format = new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone: "UTC" });
	const money = (micro: number) => `${formatNumber(micro / 1e6, language, 4)} ${pricing.currency}`;
	const bars = dynamic.prices.flatMap((_, index) => {
		const at = dynamic.start + index * QUARTER_S;
		const wallMs = wallClockOf(at, timeZone);
		const price = at < from ? undefined : importPriceAt(pricing, wallMs, at);
		if (price === undefined) return [];
		const isMarked = at <= now.timestamp && now.timestamp < at + QUARTER_S;
		const text = `${format.formatRange(wallMs, wallMs + QUARTER_S * 1000)}: ${money(price)}`;
		return {
			from: at,
			to: at + QUARTER_S,
			up: Math.max(0, price),
			down: Math.max(0, -price),
			kind: "plain" as const,
			isMarked,
			text,
		};
	});
	if (bars.length === 0) return null;
	const to = bars[bars.length - 1].to;
	const hours = [0, 6, 12, 18, 24, 30, 36, 42].map((hour) => from + hour * 3600).filter((at) => at < to);
	return (
		<Card title={t("price.curve")} wide>
			<Bars
				bars={bars}
				from={from}
				to={to}
				ticks={hours.map((at) => ({ at, text: format.format(wallClockOf(at, timeZone)) }))}
				description={t("price.curve")}
				first={bars.findIndex(({ isMarked }) => isMarked)}
				format={money}
			/>
		</Card>
	);
}
