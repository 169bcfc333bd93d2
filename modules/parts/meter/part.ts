/** Part for meter reading and its schedule. */
import { backupGroup } from "../../api/backup-group.js";
import { route, settingsRoutes } from "../../api/route.js";
import { SCOPE_READ } from "../../auth/scope.js";
import type { Core } from "../../core/core.js";
import { type Facts, unixSeconds } from "../../core/facts.js";
import { head, label, sample } from "../../core/metrics-text.js";
import { isPollList } from "../../dlms/poll-list.js";
import { METHOD_DELETE, METHOD_GET, METHOD_POST } from "../../http/request.js";
import { changed, part } from "../../part/part.js";
import { SYSTEM_TIMEZONE } from "../time/fields.js";
import {
	DLMS,
	DLMS_AUTH_KEY,
	DLMS_BLOCK_CIPHER_KEY,
	DLMS_OBIS,
	DLMS_OBIS_ENTRIES,
	DLMS_PASSWORD,
	DLMS_PUSH_BAUDRATE,
	DLMS_SECRETS,
} from "./dlms-fields.js";
import { CONTROL, METER as ENTRY, IEC_SPEED, IEC62056, IEC62056_PASSWORD, METER_PROTOCOL } from "./fields.js";
import { Metering } from "./metering.js";
import { meterReport, stateOf } from "./report.js";
import {
	acceptPollList,
	DLMS_OBIS_BODY,
	DLMS_SETTINGS,
	getPollList,
	postPollList,
	writePollList,
} from "./routes/dlms.js";
import { getNow } from "./routes/now.js";
import { getProfile } from "./routes/profile.js";
import { deletePIN, getLast, getLog, getRead, PIN_BODY, PROBE_BODY, postPIN, postProbe } from "./routes/readout.js";
import { acceptAllTriggers, SCHEDULE_SETTINGS } from "./routes/schedule.js";
import { CONTROL_SETTINGS, IEC62056_SETTINGS, PROTOCOL_SETTINGS } from "./routes/settings.js";
import { SCHEDULE } from "./schedule-fields.js";

export const METER = part<Metering>({
	name: "meter",
	entries: Object.freeze([ENTRY, IEC62056, CONTROL, IEC_SPEED, SCHEDULE, DLMS, DLMS_SECRETS, DLMS_OBIS]),
	routes: Object.freeze([
		...settingsRoutes("meter/protocol", PROTOCOL_SETTINGS),
		route(METHOD_POST, "meter/probe", postProbe, { body: PROBE_BODY, waits: true, readsMeter: true }),
		route(METHOD_POST, "meter/pin", postPIN, { body: PIN_BODY, readsMeter: true }),
		route(METHOD_DELETE, "meter/pin", deletePIN),
		route(METHOD_GET, "iec62056/read", getRead, { scope: SCOPE_READ, waits: true, readsMeter: true }),
		route(METHOD_GET, "meter/profile", getProfile, { scope: SCOPE_READ, waits: true, readsMeter: true }),
		route(METHOD_GET, "iec62056/last", getLast, { scope: SCOPE_READ }),
		route(METHOD_GET, "meter/now", getNow, { scope: SCOPE_READ }),
		...settingsRoutes("iec62056/config", IEC62056_SETTINGS),
		...settingsRoutes("iec62056/control", CONTROL_SETTINGS),
		route(METHOD_GET, "iec62056/log", getLog),
		...settingsRoutes("iec62056/schedule", SCHEDULE_SETTINGS, SCOPE_READ),
		...settingsRoutes("dlms/config", DLMS_SETTINGS),
		route(METHOD_GET, "dlms/obis", getPollList),
		route(METHOD_POST, "dlms/obis", postPollList, { body: DLMS_OBIS_BODY }),
	]),
	backup: Object.freeze([
		backupGroup("meter/protocol", PROTOCOL_SETTINGS),
		backupGroup("iec62056/config", IEC62056_SETTINGS, { secrets: Object.freeze([IEC62056_PASSWORD]) }),
		backupGroup("iec62056/control", CONTROL_SETTINGS),
		backupGroup("iec62056/schedule", SCHEDULE_SETTINGS, { accept: acceptAllTriggers }),
		backupGroup("dlms/config", DLMS_SETTINGS, {
			secrets: Object.freeze([DLMS_PASSWORD, DLMS_BLOCK_CIPHER_KEY, DLMS_AUTH_KEY]),
		}),
		backupGroup("dlms/obis", DLMS_OBIS_BODY, { accept: acceptPollList, writeList: writePollList }),
	]),
	reactions: Object.freeze([
		// Learned values are valid only for the settings in effect when they were learned.
		changed([...IEC62056.fields, ...DLMS.fields, ...DLMS_SECRETS.fields], ({ reader }: Metering) => reader.forget()),
		changed([...ENTRY.fields, ...IEC62056.fields, DLMS_PUSH_BAUDRATE, ...CONTROL.fields], (metering: Metering) =>
			metering.reconfigure(),
		),
		// Changed settings end the pause of the schedule after a rejected password.
		changed(
			[...SCHEDULE.fields, SYSTEM_TIMEZONE, METER_PROTOCOL, ...DLMS.fields, ...DLMS_SECRETS.fields],
			({ schedule }: Metering) => schedule.reconfigure(),
		),
	]),
	open: (core) => {
		core.config.verify(DLMS_OBIS_ENTRIES, isPollList);
		return new Metering(core);
	},
	state,
	metrics,
	report: meterReport,
});

function state({ live, reader, schedule }: Metering): Facts {
	const facts: Facts[number][] = ["meter_state", stateOf(reader)];
	facts.push("meter_trying", reader.borrower?.trying ?? "");
	facts.push("meter_light", reader.borrower?.light ?? 0);
	facts.push("meter_live", live?.state ?? "off");
	facts.push("meter_readouts", reader.outcomes.readouts);
	facts.push("schedule_next", unixSeconds(schedule.nextRunUtcMs));
	facts.push("schedule_last", unixSeconds(schedule.lastRunUtcMs));
	facts.push("schedule_error", schedule.lastError);
	facts.push("schedule_missed", schedule.missed);
	return facts;
}

function metrics({ reader, schedule }: Metering, _: Core): string {
	const { failures, measured, measurements } = reader.outcomes;
	const timeS = unixSeconds(measured?.utcMs ?? 0);
	let text = sample("smartmeter_readout_timestamp_seconds", "Time of the last good readout.", timeS || undefined);
	text += sample("smartmeter_readouts_total", "Good readouts since the start.", measurements);
	text += head("smartmeter_readout_failures_total", "Failed readouts since the start.");
	for (const [code, count] of failures) {
		text += `smartmeter_readout_failures_total{${label("code", code)}} ${count}\n`;
	}
	return (
		text +
		sample("smartmeter_scheduled_readouts_missed_total", "Scheduled readouts that did not take place.", schedule.missed)
	);
}
