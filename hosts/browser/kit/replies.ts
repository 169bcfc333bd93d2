/** What the gateway answers, as far as several pages look at it (shapes: API text; extra fields: decisions). */

export interface Status {
	readonly battery_voltage: number;
	readonly usb_voltage: number;
	readonly battery_powered: boolean;
	readonly battery_status: number;
	readonly device_temperature: number;
	readonly battery_voltage_valid?: false;
	readonly usb_voltage_valid?: false;
	readonly device_temperature_valid?: false;
	readonly power_mode: number;
	readonly timestamp: number;
	readonly localtime: string;
	readonly clock_valid: boolean;
	readonly password_default: boolean;
	readonly meter_state: string;
	/** Good readouts since the gateway started. */
	readonly meter_readouts: number;
	readonly zigbee_enabled: boolean;
	readonly zigbee_state: string;
	readonly wifi_enabled: boolean;
	readonly home_hub_enabled: boolean;
	readonly hub_state: string;
}

export interface Reading {
	readonly obis_long: string;
	readonly obis: string;
	readonly value1: string;
	readonly value2: string;
	readonly values?: readonly string[];
	readonly value1_number: number | null;
	readonly value1_unit: string;
	readonly value2_unit?: string;
	readonly billing_period: number | null;
	readonly mapping_id: string | null;
	readonly en: string | null;
	readonly de?: string | null;
	readonly pl?: string | null;
}

/** An object of a DLMS/COSEM readout that gave no value (decision 21). */
export interface MissingObject {
	readonly obis: string;
	readonly class_id: number;
	readonly attribute: number;
	/** `read_write_denied`, `object_undefined` … */
	readonly reason: string;
	readonly message: string;
}

export interface Readout {
	readonly protocol: string;
	readonly meter_id: string;
	readonly mode: string;
	readonly baudrate: number;
	readonly timestamp: number;
	readonly localtime: string;
	readonly status: number;
	readonly readings: readonly Reading[];
	readonly missing?: readonly MissingObject[];
	/** In `/last`. */
	readonly running?: boolean;
	readonly last_error?: string;
}

/** `status` of a readout (decision 20). */
export const READOUT_CUT = 2;

export interface NetworkStatus {
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
	readonly hostname: string;
	readonly dhcp: boolean;
	readonly ssid: string;
	readonly rssi: number;
	readonly channel: number;
	readonly authmode: number;
	readonly ap_mode: boolean;
	readonly secure: boolean;
	readonly ntp_server: string;
	readonly wifi_enabled: boolean;
	readonly wifi_temporary: boolean;
	/** The station has its address. */
	readonly connected?: boolean;
	readonly wifi_last_error?: string | null;
	readonly ap_ssid?: string;
	readonly ap_enabled?: boolean;
	readonly ap_clients?: number;
	/** Unix time; 0: never. */
	readonly ntp_last_sync?: number;
	readonly ntp_last_error?: string | null;
}
