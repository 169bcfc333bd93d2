/** What the status shows that changes by itself: for `system/status`, and for who follows it (live.ts). */
import { HUB_ENABLED } from "../hub/fields.js";
import { MQTT_ENABLED } from "../mqtt/fields.js";
import type { JSONWriter } from "../json/writer.js";
import { upgradeVersionOf } from "../ota/upgrade.js";
import type { Services } from "./exchange.js";
import { numberMember, textMember } from "./members.js";
import { NO_RADIO } from "../zigbee/routes.js";

/** Of what can't be sent: in safe mode. */
const NO_CLIENT = "unsupported";

/** Taken down at once: a reply may be made in several pieces. */
export interface State {
	readonly meter: string;
	readonly trying: string;
	readonly readouts: number;
	/** Unix time in seconds; 0: none. */
	readonly nextRun: number;
	readonly lastRun: number;
	readonly scheduleError: string;
	readonly missed: number;
	readonly hub: string;
	/** Unix time in seconds; 0: nothing was sent yet. */
	readonly hubSent: number;
	readonly mqtt: string;
	readonly mqttSent: number;
	readonly zigbee: string;
	readonly zigbeeSent: number;
	readonly update: string;
	/** Bytes of the file that came, and of all of it; 0: none. */
	readonly updateReceived: number;
	readonly updateTotal: number;
	readonly updateError: string;
	/** Version of a newer firmware; "": none was found. */
	readonly upgrade: string;
}

export function stateOf({ reader, schedule, config, hub, mqtt, zigbee, updater, info }: Services): State {
	const { failure, last, readouts } = reader.outcomes;
	const settled = failure === undefined && last === undefined ? "idle" : (failure?.code ?? "ok");
	return {
		meter: reader.running ? "reading" : settled,
		trying: reader.guest?.trying ?? "",
		readouts,
		nextRun: Math.floor(schedule.nextRunUtcMs / 1000),
		lastRun: Math.floor(schedule.lastRunUtcMs / 1000),
		scheduleError: schedule.lastError,
		missed: schedule.missed,
		hub: config.get(HUB_ENABLED) ? (hub?.state ?? NO_CLIENT) : "off",
		hubSent: Math.floor((hub?.sentUtcMs ?? 0) / 1000),
		mqtt: config.get(MQTT_ENABLED) ? (mqtt?.stateText ?? NO_CLIENT) : "off",
		mqttSent: Math.floor((mqtt?.sentUtcMs ?? 0) / 1000),
		zigbee: zigbee?.code ?? NO_RADIO,
		zigbeeSent: Math.floor((zigbee?.sentUtcMs ?? 0) / 1000),
		update: updater?.state ?? "idle",
		updateReceived: updater?.received ?? 0,
		updateTotal: updater?.total ?? 0,
		updateError: updater?.lastError ?? "",
		upgrade: upgradeVersionOf(config, info),
	};
}

export function writeState(writer: JSONWriter, state: State): void {
	textMember(writer, "meter_state", state.meter);
	textMember(writer, "meter_trying", state.trying);
	numberMember(writer, "meter_readouts", state.readouts);
	numberMember(writer, "schedule_next", state.nextRun);
	numberMember(writer, "schedule_last", state.lastRun);
	textMember(writer, "schedule_error", state.scheduleError);
	numberMember(writer, "schedule_missed", state.missed);
	textMember(writer, "hub_state", state.hub);
	numberMember(writer, "hub_sent", state.hubSent);
	textMember(writer, "mqtt_state", state.mqtt);
	numberMember(writer, "mqtt_sent", state.mqttSent);
	textMember(writer, "zigbee_state", state.zigbee);
	numberMember(writer, "zigbee_sent", state.zigbeeSent);
	textMember(writer, "ota_state", state.update);
	numberMember(writer, "ota_received", state.updateReceived);
	numberMember(writer, "ota_total", state.updateTotal);
	textMember(writer, "ota_last_error", state.updateError);
	textMember(writer, "upgrade_version", state.upgrade);
}
