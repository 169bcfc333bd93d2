/** System routes of the API text: version, status, power mode, reboot (decisions 4, 9, 40, 51, 52). */
import { SCOPE_FULL } from "../auth/tokens.js";
import { HUB_ENABLED } from "../hub/fields.js";
import { WIFI_ENABLED } from "../wifi/fields.js";
import { POWER, POWER_MODE } from "../power/fields.js";
import type { Power } from "../io/host.js";
import type { JSONWriter } from "../json/writer.js";
import { buildNumber, upgradeURLOf } from "../ota/upgrade.js";
import { batteryPercent } from "../power/battery.js";
import { isWeak, runsOnBattery } from "../power/supply.js";
import { localText, UTC_LENGTH, writeUTC } from "../time/iso.js";
import { type Exchange, scopeOfToken } from "./exchange.js";
import { booleanMember, numberMember, textMember } from "./members.js";
import { settingsOf } from "./settings.js";
import { stateOf, writeState } from "./state.js";
import { isZigbeeEnabled } from "../zigbee/routes.js";

/** A test code of the CSA, until one is assigned. */
const MANUFACTURER_ID = 0xfff1;
/** Characters of the date and of the time in `2026-11-20T05:39:38Z`. */
const DATE_END = 10;
const TIME_START = 11;
const TIME_END = 19;

export const POWER_MODE_SETTINGS = settingsOf(POWER.fields, [POWER_MODE.name]);

export function getVersion(exchange: Exchange): void {
	const { config, info, text } = exchange.services;
	const wholeURL = upgradeURLOf(config, info);
	const isOwner = scopeOfToken(exchange.services, exchange.token) === SCOPE_FULL;
	// The query of a signed address is a secret.
	const upgradeURL = isOwner ? wholeURL : withoutQuery(wholeURL);
	const built = new Uint8Array(UTC_LENGTH);
	writeUTC(built, 0, info.builtUtcMs);
	const date = text.decode(built, 0, DATE_END);
	const time = text.decode(built, TIME_START, TIME_END);
	const component = (writer: JSONWriter, name: string) => {
		writer.key(name);
		writer.beginObject();
		textMember(writer, "version", info.firmwareVersion);
		textMember(writer, "date", date);
		textMember(writer, "time", time);
		writer.endObject();
	};
	exchange.object((writer) => {
		component(writer, "firmware");
		// The page is part of the firmware: one build makes both.
		component(writer, "frontend");
		writer.key("device");
		writer.beginObject();
		numberMember(writer, "manufacturer_id", MANUFACTURER_ID);
		numberMember(writer, "device_id", info.deviceId);
		textMember(writer, "manufacturer", info.manufacturer);
		textMember(writer, "model", info.model);
		textMember(writer, "serial", info.serial);
		writer.endObject();
		numberMember(writer, "build_number", buildNumber(info.firmwareVersion));
		textMember(writer, "upgrade_url", upgradeURL);
	});
}

/** Without query and fragment. */
function withoutQuery(url: string): string {
	return url.split("?", 1)[0].split("#", 1)[0];
}

export function getStatus(exchange: Exchange): void {
	const { power, clock, zone, config, storage, text, login, network, device, saving } = exchange.services;
	const supply = readPower(power);
	// Read once: the reply may be made in several pieces.
	const utcMs = clock.utcMs();
	const localtime = utcMs === undefined ? "" : localText(utcMs, zone.offsetMinutes(utcMs), text);
	const powerMode = config.get(POWER_MODE);
	const state = stateOf(exchange.services);
	const awakeMs = (saving?.awakeUntilMs ?? Number.POSITIVE_INFINITY) - clock.monotonicMs();
	const { passwordIsDefault } = login;
	const { safeMode } = device;
	const keptState = config.damaged.length > 0 ? "damaged" : "ok";
	const storageState = storage.isRefusing ? "refused" : keptState;
	const zigbeeEnabled = isZigbeeEnabled(exchange.services);
	const zigbee = exchange.services.zigbee?.status();
	const hubEnabled = config.get(HUB_ENABLED);
	const wifiEnabled = network !== undefined && config.get(WIFI_ENABLED);
	exchange.object((writer) => {
		writePower(writer, supply);
		numberMember(writer, POWER_MODE.name, powerMode);
		if (awakeMs < Number.POSITIVE_INFINITY) numberMember(writer, "awake_secs", Math.max(0, Math.ceil(awakeMs / 1000)));
		numberMember(writer, "timestamp", Math.floor((utcMs ?? 0) / 1000));
		textMember(writer, "localtime", localtime);
		booleanMember(writer, "clock_valid", utcMs !== undefined);
		booleanMember(writer, "password_default", passwordIsDefault);
		textMember(writer, "storage_state", storageState);
		if (safeMode !== "") textMember(writer, "safe_mode", safeMode);
		writeState(writer, state);
		booleanMember(writer, "zigbee_enabled", zigbeeEnabled);
		if (zigbee?.joined) {
			numberMember(writer, "zigbee_channel", zigbee.channel);
			numberMember(writer, "zigbee_pan_id", zigbee.panId);
		}
		booleanMember(writer, "wifi_enabled", wifiEnabled);
		booleanMember(writer, "home_hub_enabled", hubEnabled);
	});
}

interface Supply {
	readonly batteryVoltage: number;
	readonly usbVoltage: number;
	readonly percent: number;
	readonly isWeak: boolean;
	readonly temperatureC: number;
	readonly batteryValid: boolean;
	readonly usbValid: boolean;
	readonly temperatureValid: boolean;
}

function readPower(power: Power | undefined): Supply {
	const battery = power?.batteryVoltage();
	const usb = power?.usbVoltage();
	const temperature = power?.temperatureC();
	return {
		batteryVoltage: battery ?? 0,
		usbVoltage: usb ?? 0,
		percent: batteryPercent(battery ?? 0, power?.cells ?? 0),
		isWeak: isWeak(battery ?? 0, power?.cells ?? 0),
		temperatureC: temperature ?? 0,
		batteryValid: battery !== undefined,
		usbValid: usb !== undefined,
		temperatureValid: temperature !== undefined,
	};
}

/** What a board can't measure is 0, and an extra member says so (decision 40). */
function writePower(writer: JSONWriter, supply: Supply): void {
	numberMember(writer, "battery_voltage", supply.batteryVoltage);
	numberMember(writer, "usb_voltage", supply.usbVoltage);
	booleanMember(writer, "battery_powered", runsOnBattery(supply.batteryVoltage, supply.usbVoltage));
	numberMember(writer, "battery_status", supply.percent);
	booleanMember(writer, "battery_low", supply.isWeak);
	numberMember(writer, "device_temperature", supply.temperatureC);
	if (!supply.batteryValid) booleanMember(writer, "battery_voltage_valid", false);
	if (!supply.usbValid) booleanMember(writer, "usb_voltage_valid", false);
	if (!supply.temperatureValid) booleanMember(writer, "device_temperature_valid", false);
}

/** Nothing of the owner's is left; the firmware and what the factory gave stay (decision 43). */
export function postFactoryReset(exchange: Exchange): void {
	exchange.services.device.factoryReset();
	exchange.empty();
}

export function postReboot(exchange: Exchange): void {
	exchange.empty();
	exchange.services.device.restartSoon();
}
