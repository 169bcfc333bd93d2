/**
 * Shelly Pro 3EM, local RPC (shelly-api-docs.shelly.cloud, Gen2+): `GET /shelly`; `GET` and `POST /rpc/<method>`, which
 * return the result alone; `POST /rpc`, UDP and WebSocket, which return it in a frame (rpc.ts). Powers are in W,
 * positive for import and negative for export; counters are in Wh.
 *
 * All members are always present, because some clients drop datagrams of less than 250 bytes. All measured values have
 * a decimal point, because other clients reject integers.
 */

import { booleanMember, numberMember, textMember } from "../../api/members.js";
import type { JSONWriter } from "../../json/writer.js";
import { LIVE_POWER } from "../../live-meter/live-values.js";
import { decimal, ID_CAPITALS, ID_SMALL, type Message, message, type Piece } from "../../live-meter/message.js";
import {
	FULL_AMPERES,
	FULL_AMPERES_L1,
	FULL_APPARENT,
	FULL_APPARENT_L1,
	FULL_EXPORT,
	FULL_EXPORT_L1,
	FULL_FACTOR_L1,
	FULL_HERTZ,
	FULL_IMPORT,
	FULL_IMPORT_L1,
	FULL_POWER_L1,
	FULL_VOLTS_L1,
} from "../../live-meter/shown-values.js";
import { NETWORK } from "../network/part.js";
import { dialect, type Page, page, service } from "./dialect.js";
import type { LiveValues } from "./dialect-port.js";
import { LIVE_SHELLY } from "./fields.js";

const MODEL = "SPEM-003CEBEU";
const VERSION = "1.7.1";
const FIRMWARE = "20250924-062729/1.7.1-gd336f31";

const NAME = message("shellypro3em-", ID_SMALL);

function phaseStatus(letter: string, index: number): Piece[] {
	return [
		`"${letter}_current":`,
		decimal(FULL_AMPERES_L1 + index, 3),
		`,"${letter}_voltage":`,
		decimal(FULL_VOLTS_L1 + index, 1),
		`,"${letter}_act_power":`,
		decimal(FULL_POWER_L1 + index, 1),
		`,"${letter}_aprt_power":`,
		decimal(FULL_APPARENT_L1 + index, 1),
		`,"${letter}_pf":`,
		decimal(FULL_FACTOR_L1 + index, 2),
		`,"${letter}_freq":`,
		decimal(FULL_HERTZ, 1),
		",",
	];
}

function phaseData(letter: string, index: number): Piece[] {
	return [
		`"${letter}_total_act_energy":`,
		decimal(FULL_IMPORT_L1 + index, 2),
		`,"${letter}_total_act_ret_energy":`,
		decimal(FULL_EXPORT_L1 + index, 2),
		",",
	];
}

const EM_STATUS = message(
	'{"id":0,',
	...phaseStatus("a", 0),
	...phaseStatus("b", 1),
	...phaseStatus("c", 2),
	'"n_current":null,"total_current":',
	decimal(FULL_AMPERES, 3),
	',"total_act_power":',
	decimal(LIVE_POWER, 1),
	',"total_aprt_power":',
	decimal(FULL_APPARENT, 1),
	',"user_calibrated_phase":[]}',
);

const EM_DATA = message(
	'{"id":0,',
	...phaseData("a", 0),
	...phaseData("b", 1),
	...phaseData("c", 2),
	'"total_act":',
	decimal(FULL_IMPORT, 2),
	',"total_act_ret":',
	decimal(FULL_EXPORT, 2),
	"}",
);

const EM_CONFIG = message(
	'{"id":0,"name":null,"blink_mode_selector":"active_energy","phase_selector":"all","monitor_phase_sequence":false,"reverse":{},"ct_type":"120A"}',
);

const DEVICE_INFO = message(
	'{"name":null,"id":"',
	NAME,
	'","mac":"',
	ID_CAPITALS,
	`","slot":1,"model":"${MODEL}","gen":2,"fw_id":"${FIRMWARE}","ver":"${VERSION}","app":"Pro3EM","auth_en":false,"auth_domain":null,"profile":"triphase"}`,
);

const STATUS = message(',"cloud":{"connected":false},"em:0":', EM_STATUS, ',"emdata:0":', EM_DATA, "}");
/** A page without a message is written by its `begin`. */
const NOTHING = message();

/** Writes the state of the system. The gateway installs only its own updates, so it never reports one. */
function writeSys(writer: JSONWriter, { core, id }: LiveValues): void {
	const { clock } = core;
	writer.beginObject();
	textMember(writer, "mac", id);
	booleanMember(writer, "restart_required", false);
	numberMember(writer, "unixtime", Math.floor((clock.utcMs() ?? Number.NaN) / 1000));
	numberMember(writer, "uptime", Math.floor(clock.monotonicMs() / 1000));
	numberMember(writer, "cfg_rev", 1);
	writer.key("available_updates");
	writer.beginObject();
	writer.endObject();
	writer.endObject();
}

/** Writes the state of the network. On a board that uses the cable, the station is not connected. */
function writeWiFi(writer: JSONWriter, { core }: LiveValues): void {
	const station = core.find(NETWORK).manager?.station;
	writer.beginObject();
	textMember(writer, "status", station === undefined ? "disconnected" : "got ip");
	if (station !== undefined) {
		textMember(writer, "sta_ip", station.ip);
		textMember(writer, "ssid", station.ssid);
		numberMember(writer, "rssi", station.rssi);
	}
	writer.endObject();
}

function beginStatus(writer: JSONWriter, live: LiveValues): void {
	writer.beginObject();
	writer.key("sys");
	writeSys(writer, live);
	writer.key("wifi");
	writeWiFi(writer, live);
}

const SYS_CONFIG = message(
	'{"device":{"name":null,"mac":"',
	ID_CAPITALS,
	`","fw_id":"${FIRMWARE}","discoverable":true,"eco_mode":false,"profile":"triphase"},"location":{"tz":null,"lat":null,"lon":null},"sntp":{"server":null},"cfg_rev":1}`,
);

const CONFIG = message(
	'{"cloud":{"enable":false},"em:0":',
	EM_CONFIG,
	',"emdata:0":{},"sys":',
	SYS_CONFIG,
	',"wifi":{"ap":{"enable":false},"sta":{"enable":true}}}',
);

/** A Shelly's owner can add components, such as sensors. Here there are none. */
const COMPONENTS = message('{"components":[],"cfg_rev":1,"offset":0,"total":0}');

const METHODS = message(
	'{"methods":["Shelly.GetDeviceInfo","Shelly.GetStatus","Shelly.GetConfig","Shelly.GetComponents","Shelly.ListMethods","Shelly.CheckForUpdate","Sys.GetStatus","Sys.GetConfig","Wifi.GetStatus","Cloud.GetStatus","EM.GetStatus","EM.GetConfig","EMData.GetStatus","EMData.GetConfig"]}',
);

function method(name: string, result: Message, room: number, isLive: boolean, begin?: Page["begin"]) {
	return page(`/rpc/${name}`, result, room, isLive, begin && { begin });
}

export const SHELLY = dialect({
	name: LIVE_SHELLY.name,
	enabled: LIVE_SHELLY,
	maxAgeMs: 10_000,
	pages: [
		page("/shelly", DEVICE_INFO, 384, false),
		method("Shelly.GetDeviceInfo", DEVICE_INFO, 384, false),
		method("Shelly.GetStatus", STATUS, 1408, true, beginStatus),
		method("Shelly.GetConfig", CONFIG, 768, false),
		method("Shelly.GetComponents", COMPONENTS, 64, false),
		method("Shelly.ListMethods", METHODS, 384, false),
		method("Shelly.CheckForUpdate", message("{}"), 16, false),
		method("Sys.GetStatus", NOTHING, 192, false, writeSys),
		method("Sys.GetConfig", SYS_CONFIG, 384, false),
		method("Wifi.GetStatus", NOTHING, 256, false, writeWiFi),
		method("Cloud.GetStatus", message('{"connected":false}'), 32, false),
		method("EM.GetStatus", EM_STATUS, 768, true),
		method("EM.GetConfig", EM_CONFIG, 256, false),
		method("EMData.GetStatus", EM_DATA, 512, true),
		method("EMData.GetConfig", message("{}"), 16, false),
	],
	places: ["/rpc", "/shelly"],
	rpcSource: NAME,
	services: [
		service("_shelly._tcp", NAME, [
			message("id=", ...NAME),
			message("mac=", ID_CAPITALS),
			message("gen=2"),
			message("app=Pro3EM"),
			message(`model=${MODEL}`),
			message("arch=esp32"),
			message(`fw_id=${FIRMWARE}`),
			message(`ver=${VERSION}`),
		]),
		// This announcement takes the place of the gateway's own page, because this port now replies as a Shelly.
		service("_http._tcp", NAME, [message("gen=2")]),
	],
});
