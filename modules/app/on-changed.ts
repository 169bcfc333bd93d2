/**
 * Who is told when settings have changed: the one table of that, for gateway.ts. Routes and modules only change
 * settings (config/store.ts, `change`); what follows from it stands here. Settings that stand in no row have their effect
 * when they are next looked at.
 */
import { DLMS, DLMS_OBIS, DLMS_PUSH_BAUDRATE, DLMS_SECRETS } from "../meter/dlms-fields.js";
import { HUB } from "../hub/fields.js";
import { CONTROL, IEC62056, METER, METER_PROTOCOL } from "../meter/fields.js";
import { MQTT } from "../mqtt/fields.js";
import {
	AP_ENABLED,
	AP_PASSWORD,
	AP_SSID,
	ETHERNET,
	FALLBACK_AP_ENABLED,
	STATION_FIELDS,
	WIFI_ENABLED,
	WIFI_HOSTNAME,
} from "../wifi/fields.js";
import { SCHEDULE } from "../meter/schedule-fields.js";
import type { Field } from "../config/schema.js";
import type { ConfigStore } from "../config/store.js";
import { SYSTEM_TIMEZONE } from "../time/fields.js";
import { UPGRADE } from "../ota/fields.js";
import { ZIGBEE, ZIGBEE_MAP } from "../zigbee/fields.js";
import type { TimeZone } from "../time/zone.js";
import { APPLY_ACCESS_POINT, APPLY_FLAGS, APPLY_STATION } from "../wifi/policy.js";

/** What readings leave by; undefined where it can't be reached. */
interface Listeners {
	readonly hub: { settingsChanged(): void } | undefined;
	readonly mqtt: { settingsChanged(): void; forgetMeter(): void } | undefined;
	readonly upgrade: { settingsChanged(): void } | undefined;
}

/** Whom the table knows. */
export interface Concerned {
	readonly config: Pick<ConfigStore, "get">;
	readonly zone: Pick<TimeZone, "select">;
	readonly reader: { forget(): void };
	readonly schedule: { reconfigure(): void };
	/** Undefined where there is no radio. */
	readonly network: { applySoon(what: number): void; applyCableSoon(): void } | undefined;
	/** Undefined in safe mode. */
	readonly outputs: Listeners | undefined;
	/** Undefined where the board has no coprocessor. */
	readonly zigbee: { settingsChanged(): void; mappingChanged(): void } | undefined;
	/** Settings of the meter are other ones: the reader and its log go by them. */
	meterChanged(): void;
	/** The name is in the certificate, and is what the device is found by. */
	hostnameChanged(): void;
}

interface Row {
	/** Any of these. */
	readonly fields: readonly Field[];
	/** Told when somebody wants them to take effect at once, changed or not; else when they have changed. */
	readonly applied: boolean;
	readonly tell: (whom: Concerned) => void;
}

function changed(fields: readonly Field[], tell: Row["tell"]): Row {
	return Object.freeze({ fields: Object.freeze(fields), applied: false, tell });
}

function applied(fields: readonly Field[], tell: Row["tell"]): Row {
	return Object.freeze({ fields: Object.freeze(fields), applied: true, tell });
}

const ON_CHANGED: readonly Row[] = Object.freeze([
	// What was learned of a meter holds for the settings that it was learned with.
	changed([...IEC62056.fields, ...DLMS.fields, ...DLMS_SECRETS.fields], ({ reader }) => reader.forget()),
	// Nor are its values those that were announced.
	changed([METER_PROTOCOL, ...DLMS_OBIS.fields], ({ outputs }) => outputs?.mqtt?.forgetMeter()),
	changed([...METER.fields, ...IEC62056.fields, DLMS_PUSH_BAUDRATE, ...CONTROL.fields], (whom) => whom.meterChanged()),
	changed([SYSTEM_TIMEZONE], ({ zone, config }) => zone.select(config.get(SYSTEM_TIMEZONE))),
	// Its times are the wall clock's; and it leaves a meter alone that has refused the password.
	changed(
		[...SCHEDULE.fields, SYSTEM_TIMEZONE, METER_PROTOCOL, ...DLMS.fields, ...DLMS_SECRETS.fields],
		({ schedule }) => schedule.reconfigure(),
	),
	changed(ZIGBEE.fields, ({ zigbee }) => zigbee?.settingsChanged()),
	changed(ZIGBEE_MAP.fields, ({ zigbee }) => zigbee?.mappingChanged()),
	changed([WIFI_HOSTNAME], (whom) => whom.hostnameChanged()),
	changed(UPGRADE.fields, ({ outputs }) => outputs?.upgrade?.settingsChanged()),
	changed(ETHERNET.fields, ({ network }) => network?.applyCableSoon()),
	applied(MQTT.fields, ({ outputs }) => outputs?.mqtt?.settingsChanged()),
	applied(HUB.fields, ({ outputs }) => outputs?.hub?.settingsChanged()),
	applied(STATION_FIELDS, ({ network }) => network?.applySoon(APPLY_STATION)),
	applied([AP_SSID, AP_PASSWORD, AP_ENABLED], ({ network }) => network?.applySoon(APPLY_ACCESS_POINT)),
	applied([FALLBACK_AP_ENABLED, WIFI_ENABLED], ({ network }) => network?.applySoon(APPLY_FLAGS)),
]);

/** The two lists are those of ConfigListener. Each row is told once, in the order of the table. */
export function tellOfChange(whom: Concerned, changes: readonly Field[], wishes: readonly Field[]): void {
	for (const { fields, applied: isWish, tell } of ON_CHANGED) {
		const told = isWish ? wishes : changes;
		if (told.some((field) => fields.includes(field))) tell(whom);
	}
}
