/** Power-saving setting, and the voltages of batteries and USB. */
import { backupGroup } from "../../api/backup-group.js";
import { settingsRoutes } from "../../api/route.js";
import { settingsOf } from "../../api/settings.js";
import type { Core } from "../../core/core.js";
import type { Facts } from "../../core/facts.js";
import { sample } from "../../core/metrics-text.js";
import { part } from "../../part/part.js";
import { batteryPercent } from "../../power/battery.js";
import { isWeak, runsOnBattery } from "../../power/supply.js";
import { POWER as ENTRY, POWER_MODE } from "./fields.js";

const PATH = "system/power_mode";
const SETTINGS = settingsOf(ENTRY.fields, [POWER_MODE.name]);

export const POWER = part({
	name: "power",
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze(settingsRoutes(PATH, SETTINGS)),
	backup: Object.freeze([backupGroup(PATH, SETTINGS)]),
	status,
	metrics,
});

/** Members of the status. A voltage that can't be measured is 0, and its member `…_valid` is false. */
function status(_: undefined, { host: { power }, config, clock, saving }: Core): Facts {
	const battery = power?.batteryVoltage();
	const usb = power?.usbVoltage();
	const temperature = power?.temperatureC();
	const cells = power?.cells ?? 0;
	const facts: Facts[number][] = ["battery_voltage", battery ?? 0];
	facts.push("usb_voltage", usb ?? 0);
	facts.push("battery_powered", runsOnBattery(battery ?? 0, usb ?? 0));
	facts.push("battery_status", batteryPercent(battery ?? 0, cells));
	facts.push("battery_low", isWeak(battery ?? 0, cells));
	facts.push("device_temperature", temperature ?? 0);
	if (battery === undefined) facts.push("battery_voltage_valid", false);
	if (usb === undefined) facts.push("usb_voltage_valid", false);
	if (temperature === undefined) facts.push("device_temperature_valid", false);
	facts.push(POWER_MODE.name, config.get(POWER_MODE));
	const awakeMs = (saving?.awakeUntilMs ?? Number.POSITIVE_INFINITY) - clock.monotonicMs();
	if (awakeMs < Number.POSITIVE_INFINITY) facts.push("awake_secs", Math.max(0, Math.ceil(awakeMs / 1000)));
	return facts;
}

function metrics(_: undefined, { host: { power } }: Core): string {
	const text = sample("gateway_temperature_celsius", "Inside the device.", power?.temperatureC());
	return (
		text +
		sample("gateway_battery_volts", "All cells together.", power?.batteryVoltage()) +
		sample("gateway_usb_volts", "Voltage at the USB socket.", power?.usbVoltage())
	);
}
