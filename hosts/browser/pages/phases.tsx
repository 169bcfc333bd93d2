/** The card of the overview that shows the phases. */

import { Card, Fact, Facts } from "../kit/components.js";
import { formatPower, formatReading } from "../kit/format.js";
import { readout } from "../kit/live.js";
import { phasesOf } from "../kit/phases.js";
import type { Reading } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";

export function PhasesCard() {
	const phases = phasesOf(useStore(readout)?.readings ?? []);
	if (phases.length === 0) return null;
	return (
		<Card title={t("phases.title")}>
			<Facts>
				{phases.map(({ name, watts, voltage, current }) => (
					<Fact key={name} name={name}>
						{[watts === undefined ? "" : formatPower(watts, "W", language), amountText(voltage), amountText(current)]
							.filter((text) => text !== "")
							.join(" · ")}
					</Fact>
				))}
			</Facts>
		</Card>
	);
}

function amountText(record: Reading | undefined): string {
	return record === undefined ? "" : formatReading(record.value1, record.value1_unit, language).join(" ").trim();
}
