/** Settings for reading the meter. */
import { useEffect, useState } from "preact/hooks";
import { IEC62056_CONFIG, IEC62056_CONTROL, IEC62056_SCHEDULE, METER_PROTOCOL } from "../kit/bodies.js";
import { Card, Fact, Facts, Notice, Pending } from "../kit/components.js";
import { post } from "../kit/device.js";
import { failureText } from "../kit/failures.js";
import type { Draft, FieldSpec } from "../kit/fields.js";
import { Form, SettingsCard } from "../kit/form.js";
import { advanceLocalTime, formatLocalTime, formatNumber } from "../kit/format.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { readFailure, readout, status, useHasPart } from "../kit/live.js";
import type { ProtocolShown, Status } from "../kit/replies.js";
import { SettingsPage } from "../kit/saves.js";
import { MeterChip } from "../kit/states.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { Age } from "./dashboard.js";
import { Aligner } from "./meter-align.js";
import { AMISCard, DeviationFinding, DLMSCard } from "./meter-dlms.js";
import { ReadFailure, settingsSet } from "./meter-finding.js";
import { LogCard } from "./meter-log.js";
import { MBusCard } from "./meter-mbus.js";
import { ObjectsCard } from "./meter-objects.js";
import { PINForm } from "./meter-pin.js";
import { SPEEDS } from "./speeds.js";

export function Meter() {
	const [protocol, setProtocol] = useState<string>();
	const [usesDLMS, setUsesDLMS] = useState(false);
	const isIEC = protocol === undefined || protocol === "iec62056";
	const isDLMS = protocol === "dlms" || (isIEC && usesDLMS);
	const failure = useStore(readFailure);
	const revision = useStore(settingsSet);
	return (
		<SettingsPage>
			<div class="column">
				<Card title={t("protocol.title")}>
					<MeterState />
					{failure ? <ReadFailure error={failure} /> : <DeviationFinding />}
					<ProtocolForm key={revision} onValue={setProtocol} />
				</Card>
				<Card title={t("align.title")}>
					<Aligner isMain={false} />
				</Card>
				{protocol === "sml" && (
					<Card title={t("pin.title")}>
						<PINForm />
					</Card>
				)}
				<ScheduleCard />
			</div>
			<div class="column">
				{isIEC && (
					<SettingsCard
						key={revision}
						title={t("iec.title")}
						path="iec62056/config"
						fields={IEC_FIELDS}
						onValue={(values) => setUsesDLMS(values["mode_e_dlms"] === true)}
					/>
				)}
				{protocol === "mbus" && <MBusCard />}
				{protocol === "amis" && <AMISCard key={revision} />}
				{isDLMS && <DLMSCard key={revision} />}
				<SettingsCard title={t("control.title")} path="iec62056/control" fields={CONTROL_FIELDS} />
			</div>
			{isDLMS && <ObjectsCard />}
			<LogCard />
		</SettingsPage>
	);
}

function MeterState() {
	const now = useStore(status);
	const last = useStore(readout);
	return (
		<>
			{now !== undefined && (
				<p class="chips">
					<MeterChip now={now} />
				</p>
			)}
			{last !== undefined && last.readings.length > 0 && <Age last={last} />}
		</>
	);
}

const PROTOCOLS = choicesOf(METER_PROTOCOL.protocol, (value) => t(`protocol.${value}`));

/** Levels and GPIOs of the port's lines. */
const LINES = fieldsOf(METER_PROTOCOL, [
	{ name: "rx_inverted", label: "line.rx", help: "line.rx.help", kind: "toggle", isRare: true },
	{ name: "tx_inverted", label: "line.tx", kind: "toggle", isRare: true },
	{ name: "rx_pin", label: "line.rx.pin", kind: "number", isRare: true },
	{ name: "tx_pin", label: "line.tx.pin", help: "line.pin.help", kind: "number", isRare: true },
]);

interface ProtocolFormProps {
	readonly isMain?: boolean;
	onValue?(protocol: string): void;
}

/** Form for the meter page and the wizard. */
export function ProtocolForm({ isMain = true, onValue }: ProtocolFormProps) {
	const { value, error, reload, put } = useDevice<ProtocolShown>("meter/protocol");
	useEffect(() => {
		if (value !== undefined) onValue?.(value.protocol);
	}, [value]);
	const hasPart = useHasPart();
	if (value === undefined) return <Pending error={error} reload={reload} />;
	const { protocol } = value;
	// Another firmware may have stored a protocol that this firmware does not have.
	const choices = PROTOCOLS.filter((one) => one.value === protocol || hasPart(one.value));
	return (
		<Form
			fields={[{ name: "protocol", label: "protocol.label", help: "protocol.help", kind: "choice", choices }, ...LINES]}
			values={{ ...value }}
			isMain={isMain}
			submit={async (values) => put(await post("meter/protocol", values))}
		/>
	);
}

const sends = ({ mode_d_enabled }: Draft) => mode_d_enabled === true;
const isPolled = (draft: Draft) => !sends(draft);

const IEC_FIELDS = fieldsOf(IEC62056_CONFIG, [
	{ name: "mode_d_enabled", label: "iec.push", help: "iec.push.help", kind: "toggle" },
	{
		name: "mode_d_baudrate",
		label: "iec.push.speed",
		help: "iec.push.speed.help",
		kind: "choice",
		choices: SPEEDS,
		when: sends,
	},
	{ name: "baudrate_max", label: "iec.speed", help: "iec.speed.help", kind: "choice", choices: SPEEDS, when: isPolled },
	{ name: "battery", label: "iec.battery", help: "iec.battery.help", kind: "toggle", isRare: true, when: isPolled },
	{
		name: "device_address",
		label: "iec.address",
		help: "iec.address.help",
		kind: "text",
		isRare: true,
		when: isPolled,
	},
	{
		name: "password",
		label: "dlms.password",
		help: "iec.password.help",
		kind: "secret",
		isRare: true,
		storedFlag: "password_set",
		when: isPolled,
	},
	{ name: "mode_e_dlms", label: "iec.dlms", help: "iec.dlms.help", kind: "toggle", isRare: true, when: isPolled },
]);

const CONTROL_FIELDS = fieldsOf(IEC62056_CONTROL, [
	{ name: "simulator_en", label: "control.simulator", help: "control.simulator.help", kind: "toggle" },
	{ name: "log_en", label: "control.log", help: "control.log.help", kind: "toggle" },
]);

/** Options of the period. Unit and value are one choice, so that only permitted combinations can be chosen. */
const PERIODS = IEC62056_SCHEDULE.period_unit.choices.flatMap((units) => {
	const format = new Intl.NumberFormat(language, { style: "unit", unit: units.slice(0, -1), unitDisplay: "long" });
	const values: readonly number[] = IEC62056_SCHEDULE.period_value.by[units];
	return values.map((value) => ({ value: `${units} ${value}`, label: format.format(value) }));
});

function hasUnit(...units: readonly string[]): (draft: Draft) => boolean {
	return ({ period }) => units.includes(String(period).split(" ")[0]);
}

const SCHEDULE_FIELDS: readonly FieldSpec[] = [
	...fieldsOf(IEC62056_SCHEDULE, [{ name: "enabled", label: "schedule.enabled", kind: "toggle" }]),
	{ name: "period", label: "schedule.every", kind: "choice", choices: PERIODS },
	...fieldsOf(IEC62056_SCHEDULE, [
		{
			name: "trigger_day",
			label: "schedule.day",
			help: "schedule.day.help",
			kind: "number",
			when: hasUnit("months"),
		},
		{ name: "trigger_hour", label: "schedule.hour", kind: "number", when: hasUnit("days", "months") },
		{
			name: "trigger_minute",
			label: "schedule.minute",
			kind: "number",
			when: hasUnit("hours", "days", "months"),
		},
	]),
];

/** Shows the state of the schedule. Times are by the gateway's clock. */
function ScheduleState({ now }: { readonly now: Status }) {
	const { timestamp, localtime, schedule_next: next, schedule_last: last, schedule_error: error } = now;
	const timeOf = (seconds: number) => formatLocalTime(advanceLocalTime(localtime, seconds - timestamp), language);
	if (next + last === 0) return null;
	const outcome = error === "" ? t("schedule.well") : (failureText(error) ?? t("schedule.failed"));
	return (
		<Facts>
			{next > 0 && <Fact name={t("schedule.next")}>{timeOf(next)}</Fact>}
			{last > 0 && (
				<Fact name={t("schedule.last")}>
					{timeOf(last)}: {outcome}
				</Fact>
			)}
			{now.schedule_missed > 0 && (
				<Fact name={t("schedule.missed")}>{formatNumber(now.schedule_missed, language)}</Fact>
			)}
		</Facts>
	);
}

const SCHEDULE = "iec62056/schedule";

function ScheduleCard() {
	const { value, error, reload, put } = useDevice<Draft>(SCHEDULE);
	const now = useStore(status);
	return (
		<Card title={t("schedule.title")}>
			{now !== undefined && <ScheduleState now={now} />}
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<Form
					fields={SCHEDULE_FIELDS}
					values={{ ...value, period: `${value["period_unit"]} ${value["period_value"]}` }}
					submit={async ({ period, ...values }) => {
						const [unit, count] = String(period).split(" ");
						// The gateway requires all triggers for the unit, even those that the form hides.
						put(await post<Draft>(SCHEDULE, { ...value, ...values, period_unit: unit, period_value: Number(count) }));
					}}
				>
					{now?.clock_valid === false && value["enabled"] === true && (
						<Notice kind="warning">{t("clock.unset")}</Notice>
					)}
				</Form>
			)}
		</Card>
	);
}
