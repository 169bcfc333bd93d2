/** What yesterday would have cost. It is in the script of the page "use", which has the history and the money. */
import { useEffect, useState } from "preact/hooks";
import { moneyText } from "../kit/amounts.js";
import { load } from "../kit/history.js";
import { readout, status } from "../kit/live.js";
import { moneyOf, tariff2Share, totalOf } from "../kit/money.js";
import { type Piece, spanOf } from "../kit/periods.js";
import type { PricePeriod } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";
import { useZone } from "../kit/zone.js";

/** Loads the consumption of yesterday. It is undefined until it has arrived, and if there is none. */
function useYesterday(): Piece | undefined {
	const [piece, setPiece] = useState<Piece>();
	const now = useStore(status);
	const { timeZone } = useZone();
	const date = now?.clock_valid === true ? now.localtime.slice(0, 10) : undefined;
	useEffect(() => {
		if (date === undefined) return;
		load("days", spanOf("day", Date.parse(date), -1), timeZone).then(
			([yesterday]) => setPiece(yesterday),
			() => undefined,
		);
	}, [date, timeZone]);
	return piece;
}

/** A first day before all others. */
const ANY_DAY = "2000-01-01";

export interface PricePreviewProps {
	readonly period: PricePeriod;
	readonly currency: string;
}

/** Says what yesterday would have cost with these prices. */
export function PricePreview({ period, currency }: PricePreviewProps) {
	const yesterday = useYesterday();
	const last = useStore(readout);
	const pricing = { periods: [{ ...period, from: ANY_DAY }], tariff2: tariff2Share(last?.readings ?? []) };
	const money = yesterday && Number.isFinite(period.import_micro) ? moneyOf([yesterday], pricing, true) : undefined;
	if (money === undefined) return null;
	return (
		<p class="help" role="status">
			{t("price.preview", { money: moneyText(totalOf(money), currency) })}
		</p>
	);
}
