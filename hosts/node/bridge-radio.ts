/** The worker's commands for the radio (worker/protocol.ts). */
import type { AccessPointOptions, StationOptions, WiFi } from "../../modules/io/wifi.js";
import {
	RADIO_CHANNEL,
	RADIO_CONNECT,
	RADIO_DISCONNECT,
	RADIO_SCAN,
	RADIO_SCANNED,
	RADIO_START_ACCESS_POINT,
	RADIO_STATION,
	RADIO_STOP_ACCESS_POINT,
	RADIO_TRANSMIT_POWER,
} from "./worker/protocol.js";

export function operateRadio(wifi: WiFi, operation: number, value: unknown): unknown {
	switch (operation) {
		case RADIO_STATION:
			return wifi.station;
		case RADIO_CHANNEL:
			return wifi.channel;
		case RADIO_CONNECT:
			return wifi.connect(value as StationOptions);
		case RADIO_DISCONNECT:
			return wifi.disconnect();
		case RADIO_START_ACCESS_POINT:
			return wifi.startAccessPoint(value as AccessPointOptions);
		case RADIO_STOP_ACCESS_POINT:
			return wifi.stopAccessPoint();
		case RADIO_SCAN:
			return wifi.scan();
		case RADIO_SCANNED:
			return wifi.scanned(value as number);
		case RADIO_TRANSMIT_POWER:
			return wifi.setTransmitPower(value as number);
		default:
			throw new Error(`radio: operation of unknown kind ${operation}`);
	}
}
