/** Reasons why Wi-Fi is not connected. */
import {
	WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT,
	WIFI_REASON_AUTH_FAIL,
	WIFI_REASON_HANDSHAKE_TIMEOUT,
	WIFI_REASON_NO_AP_FOUND,
	WIFI_REASON_NO_SUITABLE_AP_FIRST,
	WIFI_REASON_NO_SUITABLE_AP_LAST,
} from "../io/wifi.js";

export const WIFI_WELL = 0;
export const WIFI_NOT_FOUND = 1;
export const WIFI_WRONG_PASSWORD = 2;
/** No address was assigned in time, even if the network was joined. */
export const WIFI_NO_ADDRESS = 3;
export const WIFI_LOST = 4;

export function errorOf(reason: number): number {
	switch (reason) {
		case WIFI_REASON_NO_AP_FOUND:
			return WIFI_NOT_FOUND;
		case WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT:
		case WIFI_REASON_AUTH_FAIL:
		case WIFI_REASON_HANDSHAKE_TIMEOUT:
			return WIFI_WRONG_PASSWORD;
		default:
			return reason >= WIFI_REASON_NO_SUITABLE_AP_FIRST && reason <= WIFI_REASON_NO_SUITABLE_AP_LAST
				? WIFI_NOT_FOUND
				: WIFI_LOST;
	}
}
