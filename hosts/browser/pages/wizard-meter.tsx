/**
 * The step of the wizard about the meter: place the head, find the meter, apply its settings, read it, and show the
 * first values.
 */
import { useEffect, useRef } from "preact/hooks";
import { Amount, Button, Fact, Facts, Notice, Progress } from "../kit/components.js";
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
import { countersOf, isLocked } from "../kit/power.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { errorText } from "../kit/use-device.js";
import { ProtocolForm } from "./meter.js";
import { Aligner } from "./meter-align.js";
import { ClientList, isRefused, mayAdmitAnother, useClientSearch } from "./meter-clients.js";
import { AccessForm, DeviationFinding, isSwapped } from "./meter-dlms.js";
import { type Finding, ReadFailure, settingsSet } from "./meter-finding.js";
import { PINForm } from "./meter-pin.js";
import { linesOf, nameOf } from "./readings-text.js";
import { ContinueButton, type StepProps } from "./wizard-step.js";

const READ_LIMIT_S = 60;
/** Number of values of the first readout that are shown. */
const SHOWN = 6;

export function FirstContact({ next, back, actions }: StepProps) {
	const isReading = useStore(reading);
	const failure = useStore(readFailure);
	const last = useStore(readout);
	const revision = useStore(settingsSet);
	const before = useRef(revision);
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		// The step continues when the button has applied the protocol that was found.
		if (revision !== before.current) {
			heading.current?.scrollIntoView();
			readNow();
		}
		before.current = revision;
	}, [revision]);
	const hasRead = !isReading && !failure && last !== undefined && last.readings.length > 0;
	const isLimited = hasRead && last.protocol === "DLMS/COSEM" && countersOf(last.readings).length === 0;
	/** True if only the key is missing, which counts as a success. */
	const isEncrypted = failure?.body.code?.endsWith("/no-key") === true;
	const needs = useRef({ access: false, pin: false, isAMIS: false });
	const search = useClientSearch(!isReading && (isLimited || mayAdmitAnother(failure)));
	// The form stays while the meter is read with the settings in the form.
	if (!isReading && !search.isRunning) {
		const access = isLimited || isRefused(failure);
		const isAMIS = failure?.body.code?.startsWith("amis/") === true;
		needs.current = { access, pin: hasRead && isLocked(last), isAMIS };
	}
	const { access, pin, isAMIS } = needs.current;
	const found: Finding | undefined = failure?.body;
	const isOffered = found?.settings != null || (hasRead && isSwapped(last));
	const isDone = hasRead && !access && !pin && !isOffered;
	return (
		<>
			<h3>{t("align.title")}</h3>
			<Drawing />
			<Aligner isMain={!isReading && !hasRead && !access && !isOffered} onAligned={readNow} />
			<details>
				<summary>{t("wizard.meter.other")}</summary>
				<ProtocolForm key={revision} isMain={false} />
				<p>{t("wizard.meter.page")}</p>
			</details>
			<h3 ref={heading}>{t("wizard.reading")}</h3>
			<p>{t("wizard.reading.why")}</p>
			{isReading && (
				<Progress label={t("read.running")} limitS={READ_LIMIT_S} sinceMs={readingSinceMs()} long={t("read.long")} />
			)}
			<ClientList {...search} />
			{failure &&
				!search.isRunning &&
				(isEncrypted ? <Notice kind="info">{errorText(failure)}</Notice> : <ReadFailure error={failure} />)}
			{hasRead && <FirstReading last={last} />}
			{pin && (
				<>
					<Notice kind="info">{t("wizard.pin")}</Notice>
					<PINForm />
				</>
			)}
			{!failure && <DeviationFinding />}
			{isLimited && !search.isRunning && <Notice kind="warning">{t("wizard.access.limited")}</Notice>}
			{access && !search.isRunning ? (
				<AccessForm isAMIS={isAMIS} />
			) : (
				<div class="actions">
					<Button name="read" busy={(isReading || search.isRunning) && t("read.running")} onClick={readNow}>
						{t("read.now")}
					</Button>
				</div>
			)}
			<hr />
			{isDone ? <ContinueButton next={next} back={back} /> : <div class="actions">{actions}</div>}
		</>
	);
}

/**
 * Drawing of a meter with a display and a round port. The optical head is beside the meter, with its cable downwards.
 */
function Drawing() {
	return (
		<svg class="sketch" viewBox="0 0 260 150" role="img" aria-label={t("align.drawing")}>
			<rect x="20" y="5" width="120" height="140" rx="10" />
			<rect x="38" y="20" width="84" height="30" rx="4" />
			<path d="M50 42V28M58 28h7v14h-7zM73 28h7v14h-7zM88 28h7M88 42h7M96 35h-8V28M95 35v7M108 42h.1" />
			<circle cx="80" cy="98" r="25" />
			<circle cx="72" cy="98" r="4" />
			<circle cx="88" cy="98" r="4" />
			<path class="way" d="M160 98h-40M130 88l-10 10 10 10" />
			<circle cx="200" cy="98" r="25" />
			<circle cx="192" cy="98" r="4" />
			<circle cx="208" cy="98" r="4" />
			<path d="M195 123v27M205 123v27" />
		</svg>
	);
}

/** Shows the energy counters, or if there are none, the first values. */
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
