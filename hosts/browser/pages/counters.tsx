/** The card of the overview that shows the counters. */

import { Amount, Card, Fact, Facts } from "../kit/components.js";
import { readout } from "../kit/live.js";
import { countersOf } from "../kit/power.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";

/** Shows no counters of 0, as those of unused tariffs. */
export function CountersCard() {
	const last = useStore(readout);
	const counters = countersOf(last?.readings ?? []).filter(({ reading }) => Number(reading.value1) !== 0);
	if (counters.length === 0) return null;
	return (
		<Card title={t("counter.title")}>
			<Facts kind="counters">
				{counters.map(({ isExport, tariff, reading }) => (
					<Fact
						key={reading.obis}
						name={
							t(isExport ? "counter.export" : "counter.import") +
							(tariff === 0 ? "" : `, ${t("counter.tariff", { n: tariff })}`)
						}
					>
						<Amount reading={reading} />
					</Fact>
				))}
			</Facts>
			<p>
				<a href="#/readings">{t("counter.all")}</a>
			</p>
		</Card>
	);
}
