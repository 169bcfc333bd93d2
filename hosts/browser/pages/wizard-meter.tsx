/** Wizard step at the meter: place the head, then read for the first time and show the values. */
import { useEffect, useRef } from "preact/hooks";
import { formatNumber } from "../kit/format.js";
import {
	READOUT_UNCHECKED,
	type Readout,
	readFailure,
	reading,
	readingSinceMs,
	readNow,
	readout,
} from "../kit/live.js";
import { Button, Fact, Facts, Notice, Progress } from "../kit/parts.js";
import { countersOf, isLocked } from "../kit/power.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { errorText } from "../kit/use-device.js";
import { Amount } from "./dashboard.js";
import { ProtocolForm } from "./meter.js";
import { Aligner } from "./meter-align.js";
import { AccessForm, DeviationFinding } from "./meter-dlms.js";
import { ReadFailure, settingsSet } from "./meter-finding.js";
import { PINForm } from "./meter-pin.js";
import { linesOf, nameOf } from "./readings-text.js";

const READ_LIMIT_S = 60;
/** Number of shown values of the first readout. */
const SHOWN = 6;

export function FirstContact() {
	const isReading = useStore(reading);
	const failure = useStore(readFailure);
	const last = useStore(readout);
	const revision = useStore(settingsSet);
	const before = useRef(revision);
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		// After the button that applies the protocol found.
		if (revision !== before.current) {
			heading.current?.scrollIntoView();
			readNow();
		}
		before.current = revision;
	}, [revision]);
	const hasRead = !isReading && !failure && last !== undefined && last.readings.length > 0;
	const isLimited = hasRead && last.protocol === "DLMS/COSEM" && countersOf(last.readings).length === 0;
	/** Finding an encrypted meter is a success so far. */
	const isEncrypted = failure?.body.code === "dlms-push/no-key";
	const needs = useRef({ access: false, pin: false });
	// The form stays while the meter is read with its settings.
	if (!isReading) {
		const access = isLimited || failure?.code === "meter_auth_failed";
		needs.current = { access, pin: hasRead && isLocked(last) };
	}
	return (
		<>
			<h3>{t("align.title")}</h3>
			<Aligner />
			<details>
				<summary>{t("wizard.meter.other")}</summary>
				<ProtocolForm key={revision} />
				<p>{t("wizard.meter.page")}</p>
			</details>
			<h3 ref={heading}>{t("wizard.reading")}</h3>
			<p>{t("wizard.reading.why")}</p>
			{isReading && (
				<Progress label={t("read.running")} limitS={READ_LIMIT_S} sinceMs={readingSinceMs()} long={t("read.long")} />
			)}
			{failure && (isEncrypted ? <Notice kind="info">{errorText(failure)}</Notice> : <ReadFailure error={failure} />)}
			{hasRead && <FirstReading last={last} />}
			{needs.current.pin && (
				<>
					<Notice kind="info">{t("wizard.pin")}</Notice>
					<PINForm />
				</>
			)}
			{!failure && <DeviationFinding />}
			{isLimited && <Notice kind="warning">{t("wizard.access.limited")}</Notice>}
			{needs.current.access ? (
				<AccessForm />
			) : (
				<div class="actions">
					<Button name="read" busy={isReading && t("read.running")} onClick={readNow}>
						{t("read.now")}
					</Button>
				</div>
			)}
		</>
	);
}

/** Values of the first readout: the energy counters, or the first values if there are none. */
function FirstReading({ last: { readings, meter_id, status } }: { last: Readout }) {
	const counters = countersOf(readings).map(({ reading: record }) => record);
	return (
		<Notice kind="good">
			<p>{t("wizard.reading.done", { meter: meter_id, n: formatNumber(readings.length, language) })}</p>
			<Facts>
				{counters.slice(0, SHOWN).map((record) => (
					<Fact key={record.obis_long} name={nameOf(record)}>
						<Amount reading={record} />
					</Fact>
				))}
				{counters.length === 0 &&
					linesOf(readings.slice(0, SHOWN)).map(({ code, name, value }) => (
						<Fact key={code} name={name}>
							{value}
						</Fact>
					))}
			</Facts>
			{status === READOUT_UNCHECKED && <p>{t("read.unchecked")}</p>}
		</Notice>
	);
}
