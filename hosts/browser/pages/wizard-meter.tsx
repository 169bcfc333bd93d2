/** The step of the wizard at the meter: place the head, then read for the first time and show what came. */
import { formatDecimal, formatNumber } from "../kit/format.js";
import { type Readout, readFailure, reading, readingSinceMs, readNow, readout } from "../kit/live.js";
import { announce, Button, Fact, Facts, Notice, Progress } from "../kit/parts.js";
import { countersOf } from "../kit/power.js";
import type { Reading } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { ProtocolForm } from "./meter.js";
import { Aligner } from "./meter-align.js";
import { ReadFailure, settingsSet } from "./meter-finding.js";

const READ_LIMIT_S = 60;
/** Of the first readout. */
const SHOWN = 6;

export function FirstContact() {
	const isReading = useStore(reading);
	const failure = useStore(readFailure);
	const last = useStore(readout);
	const read = async () => {
		announce(t("read.running"));
		announce(t((await readNow()) ? "read.done" : "read.failed"));
	};
	return (
		<>
			<h3>{t("align.title")}</h3>
			<Aligner />
			<details>
				<summary>{t("wizard.meter.other")}</summary>
				<ProtocolForm key={useStore(settingsSet)} />
				<p>{t("wizard.meter.page")}</p>
			</details>
			<h3>{t("wizard.reading")}</h3>
			<p>{t("wizard.reading.why")}</p>
			{isReading && <Progress label={t("read.running")} limitS={READ_LIMIT_S} sinceMs={readingSinceMs()} />}
			{failure && <ReadFailure error={failure} />}
			{!isReading && !failure && last !== undefined && last.readings.length > 0 && <FirstReading last={last} />}
			<div class="actions">
				<Button name="read" busy={isReading && t("read.running")} onClick={read}>
					{t("read.now")}
				</Button>
			</div>
		</>
	);
}

/** What the meter has sent: its energy counters, or what came first where it has none. */
function FirstReading({ last: { readings, meter_id } }: { last: Readout }) {
	const counters = countersOf(readings).map(({ reading: record }) => record);
	const shown = (counters.length > 0 ? counters : readings).slice(0, SHOWN);
	return (
		<Notice kind="good">
			<p>{t("wizard.reading.done", { meter: meter_id, n: formatNumber(readings.length, language) })}</p>
			<Facts>
				{shown.map((record) => (
					<Fact key={record.obis_long} name={nameOf(record)}>
						<span class="number">{formatDecimal(record.value1, language)}</span> {record.value1_unit}
					</Fact>
				))}
			</Facts>
		</Notice>
	);
}

function nameOf(record: Reading): string {
	return record[language] ?? record.en ?? record.obis;
}
