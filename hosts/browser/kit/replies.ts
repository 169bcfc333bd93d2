/**
 * Types of the replies. Made by `npm run api -- --make` from the
 * API's description, modules/api/openapi.json: change that.
 */

export interface Challenge {
	readonly nonce: string;
	readonly salt: string;
	readonly alg: "sha256";
	readonly expires_in_secs: number;
}

export interface Session {
	readonly token: string;
	readonly expires_in_secs: number;
}

export interface Tokens {
	readonly max: number;
	readonly tokens: readonly Token[];
}

export interface Token {
	readonly id: string;
	readonly name: string;
	readonly created: number;
	readonly scope: "full" | "read";
}

export interface NewToken {
	readonly id: string;
	readonly name: string;
	readonly created: number;
	readonly scope: "full" | "read";
	readonly token: string;
}

export interface Sessions {
	readonly sessions: readonly {
		readonly id: string;
		readonly created: number;
		readonly expires_in_secs: number;
		readonly address: string;
		readonly current: boolean;
	}[];
}

export interface Version {
	readonly firmware: {
		readonly version: string;
		readonly date: string;
		readonly time: string;
	};
	readonly frontend: {
		readonly version: string;
		readonly date: string;
		readonly time: string;
	};
	readonly device: {
		readonly product: string;
		readonly maker: string;
		readonly security_contact: string;
		readonly support_end: string;
		readonly manufacturer_id: number;
		readonly device_id: number;
		readonly manufacturer: string;
		readonly model: string;
		readonly serial: string;
	};
	readonly build_number: number;
	readonly upgrade_url: string;
	readonly report_available: boolean;
}

export interface Status {
	readonly battery_voltage: number;
	readonly usb_voltage: number;
	readonly battery_powered: boolean;
	readonly battery_status: number;
	readonly battery_low: boolean;
	readonly device_temperature: number;
	readonly battery_voltage_valid?: false;
	readonly usb_voltage_valid?: false;
	readonly device_temperature_valid?: false;
	readonly power_mode: PowerModeNumber;
	readonly awake_secs?: number;
	readonly timestamp: number;
	readonly localtime: string;
	readonly clock_valid: boolean;
	readonly password_default: boolean;
	readonly storage_state: "ok" | "damaged" | "refused";
	readonly provision_state?: string;
	readonly provision_counter?: number;
	readonly safe_mode?: string;
	readonly low_voltage?: true;
	readonly without?: string;
	readonly meter_state: string;
	readonly meter_trying: string;
	readonly meter_live: string;
	readonly meter_readouts: number;
	readonly schedule_next: number;
	readonly schedule_last: number;
	readonly schedule_error: string;
	readonly schedule_missed: number;
	readonly peak_w?: number;
	readonly peak_mean_w?: number;
	readonly peak_forecast_w?: number;
	readonly zigbee_enabled: boolean;
	readonly zigbee_state:
		| "off"
		| "starting"
		| "silent"
		| "foreign"
		| "not_joined"
		| "joining"
		| "joined"
		| "parent_lost"
		| "leaving"
		| "absent";
	readonly zigbee_sent: number;
	readonly zigbee_channel?: number;
	readonly zigbee_pan_id?: number;
	readonly wifi_enabled: boolean;
	readonly home_hub_enabled: boolean;
	readonly hub_state: string;
	readonly hub_sent: number;
	readonly hub_statistics?: string;
	readonly hub_statistics_upto?: number;
	readonly mqtt_state: string;
	readonly mqtt_sent: number;
	readonly hawkbit_state?: string;
	readonly hawkbit_polled?: number;
	readonly ota_state: "idle" | "receiving" | "verifying" | "restarting" | "trial";
	readonly ota_received: number;
	readonly ota_total: number;
	readonly ota_last_error: string;
	readonly upgrade_version: string;
}

export type PowerModeNumber = number;

export interface PowerMode {
	readonly power_mode: PowerModeNumber;
}

export interface Certificate {
	readonly custom: boolean;
	readonly subject: string;
	readonly issuer: string;
	readonly valid_from: string;
	readonly valid_to: string;
	readonly key_type: "EC" | "RSA" | "";
	readonly key_bits: number;
	readonly fingerprint: string;
	readonly chain_length: number;
	readonly max_size: number;
	readonly upload_allowed: boolean;
	readonly reboot: boolean;
	readonly last_error?: string;
}

export interface Clock {
	readonly timestamp: number;
	readonly utc: string;
	readonly localtime: string;
	readonly is_valid: boolean;
	readonly timezone: string;
}

export interface Timezone {
	readonly timezone: string;
}

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
	readonly ntp_last_sync: number;
	readonly ntp_last_error:
		| null
		| "time/no-address"
		| "time/no-reply"
		| "time/bad-reply"
		| "time/not-welcome"
		| "time/out-of-range"
		| "time/doubted";
	readonly wifi_enabled: boolean;
	readonly wifi_temporary: boolean;
	readonly wifi_ssid: string;
	readonly wifi_dhcp: boolean;
	readonly ap_ssid: string;
	readonly ap_enabled: boolean;
	readonly ap_clients: number;
	readonly connected: boolean;
	readonly wifi_last_error: null | "wifi/not-found" | "wifi/wrong-password" | "wifi/no-address" | "wifi/lost";
	readonly interface: "none" | "ethernet" | "wifi" | "access_point";
	readonly ethernet: boolean;
	readonly ethernet_enabled: boolean;
	readonly ethernet_speed: number;
	readonly ethernet_mac: string;
	readonly ethernet_last_error: null | "ethernet/lost" | "ethernet/no-address";
}

export interface Scan {
	readonly hostname: string;
	readonly networks: readonly {
		readonly ssid: string;
		readonly bssid: string;
		readonly rssi: number;
		readonly channel: number;
		readonly authmode: number;
	}[];
}

export interface WiFi {
	readonly ssid: string;
	readonly dhcp: boolean;
	readonly hostname: string;
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
}

export interface AccessPoint {
	readonly ap_ssid: string;
	readonly ap_enabled: boolean;
}

export interface FallbackAP {
	readonly fallback_ap_enabled: boolean;
}

export interface WiFiEnabledShown {
	readonly wifi_enabled: boolean;
	readonly tx_power_dbm: number;
	readonly warning?: string;
}

export interface Ethernet {
	readonly ethernet_enabled: boolean;
	readonly dhcp: boolean;
	readonly ip: string;
	readonly netmask: string;
	readonly gateway: string;
	readonly dns: string;
	readonly warning?: string;
}

export interface ProtocolShown {
	readonly protocol: "iec62056" | "dlms" | "sml" | "tic" | "kmp" | "mbus" | "amis";
	readonly rx_inverted: boolean;
	readonly tx_inverted: boolean;
	readonly rx_pin: number;
	readonly tx_pin: number;
}

export interface Probe {
	readonly ok: boolean;
	readonly meter_id: string;
	readonly error: string | null;
	readonly message: string;
	readonly received: number;
	readonly damaged: number;
	readonly text: string;
	readonly hex: string;
	readonly unasked: Unasked;
	readonly settings: Advice;
}

export type Unasked = {
	readonly kind: "ascii" | "sml" | "dlms_hdlc" | "dlms_mbus" | "dlms_wrapper" | "dlms_bare" | "tic" | "noise";
	readonly baudrate: number;
	readonly framing: "7E1" | "8N1" | "8E1" | "";
	readonly supported: boolean;
} | null;

export type Advice = {
	readonly protocol: "iec62056" | "dlms" | "sml" | "tic" | "kmp" | "mbus" | "amis";
	readonly rx_inverted?: boolean;
	readonly mode_d_enabled?: boolean;
	readonly mode_d_baudrate?: 300 | 600 | 1200 | 2400 | 4800 | 9600 | 19200 | 38400 | 57600 | 115200;
	readonly push_baudrate?: 0 | 300 | 600 | 1200 | 2400 | 4800 | 9600 | 19200 | 38400 | 57600 | 115200;
} | null;

export interface History {
	readonly period: "quarters" | "hours" | "days" | "months";
	readonly periods: readonly Period[];
}

export interface Period {
	readonly start: number;
	readonly end: number;
	readonly localtime: string;
	readonly import_wh?: number;
	readonly export_wh?: number;
	readonly gas_l?: number;
	readonly water_l?: number;
	readonly heat_wh?: number;
	readonly import_t2_wh?: number;
	readonly partial?: boolean;
	readonly interpolated?: boolean;
	readonly gap?: boolean;
	readonly meter_changed?: boolean;
	readonly wrapped?: boolean;
	readonly from_meter?: boolean;
}

export interface MeterBackfill {
	readonly enabled?: boolean;
	readonly obis?: string;
}

export interface BackfillStatus {
	readonly state: "off" | "waiting" | "reading" | "ended";
	readonly ended:
		| ""
		| "complete"
		| "full"
		| "meter_changed"
		| "no_profile"
		| "no_counters"
		| "meter_clock"
		| "no_history";
	readonly last_error: string;
	readonly history_days: number;
	readonly rows: number;
	readonly oldest: number;
	readonly minutes_done: number;
	readonly days_done: number;
	readonly days_total: number;
	readonly minutes_left: number | null;
}

export interface Peaks {
	readonly interval_mins?: 0 | 15 | 60;
	readonly count?: 1 | 3;
}

export interface PeaksStatus {
	readonly peak_w: number | null;
	readonly peak_mean_w: number | null;
	readonly peak_forecast_w: number | null;
	readonly highest: readonly {
		readonly start: number;
		readonly localtime: string;
		readonly mean_w: number;
	}[];
}

export interface Prices {
	readonly periods: readonly PricePeriod[];
	readonly currency: string;
}

export interface PricePeriod {
	readonly from: string;
	readonly import_micro: number;
	readonly import_t2_micro?: number;
	readonly export_micro?: number;
	readonly base_micro?: number;
	readonly base_per?: "month" | "year";
}

export interface Readout {
	readonly protocol: "IEC62056-21" | "DLMS/COSEM" | "SML" | "TIC" | "KMP" | "M-Bus" | "AMIS";
	readonly meter_id: string;
	readonly mode: "" | "A" | "B" | "C" | "D" | "E";
	readonly baudrate: number;
	readonly timestamp: number;
	readonly localtime: string;
	readonly status: 0 | 2 | 3 | 4;
	readonly readings: readonly Reading[];
	readonly missing?: readonly Missing[];
}

export interface Reading {
	readonly obis_long: string;
	readonly obis: string;
	readonly value1: string;
	readonly value2: string;
	readonly value1_number: number | null;
	readonly value1_unit: string;
	readonly value2_unit?: string;
	readonly values?: readonly string[];
	readonly values_units?: readonly string[];
	readonly attribute?: number;
	readonly unconfirmed?: boolean;
	readonly medium: number | null;
	readonly channel: number | null;
	readonly billing_period: number | null;
	readonly mapping_id: string;
	readonly en: string | null;
	readonly de?: string | null;
	readonly pl?: string | null;
}

export interface Missing {
	readonly obis: string;
	readonly class_id: number;
	readonly attribute: number;
	readonly reason:
		| "hardware_fault"
		| "temporary_failure"
		| "read_write_denied"
		| "object_undefined"
		| "object_class_inconsistent"
		| "object_unavailable"
		| "type_unmatched"
		| "scope_of_access_violated"
		| "data_block_unavailable"
		| "long_get_aborted"
		| "no_long_get_in_progress"
		| "data_block_number_invalid"
		| "other_reason"
		| "no_value"
		| "unreadable"
		| "too_long"
		| "exception"
		| "no_scaler";
	readonly message: string;
}

export interface LastReadout {
	readonly protocol: "IEC62056-21" | "DLMS/COSEM" | "SML" | "TIC" | "KMP" | "M-Bus" | "AMIS";
	readonly meter_id: string;
	readonly mode: "" | "A" | "B" | "C" | "D" | "E";
	readonly baudrate: number;
	readonly timestamp: number;
	readonly localtime: string;
	readonly live_timestamp?: number;
	readonly status: 0 | 1 | 2 | 4;
	readonly running: boolean;
	readonly last_attempt: number;
	readonly last_error: string | null;
	readonly momentary_valid: boolean;
	readonly readings: readonly Reading[];
	readonly missing?: readonly Missing[];
}

export interface IEC62056 {
	readonly mode_d_enabled: boolean;
	readonly mode_d_baudrate: 300 | 600 | 1200 | 2400 | 4800 | 9600 | 19200 | 38400 | 57600 | 115200;
	readonly baudrate_max: number;
	readonly battery: boolean;
	readonly mode_e_dlms: boolean;
	readonly device_address: string;
	readonly password_set: boolean;
}

export interface Control {
	readonly simulator_en?: boolean;
	readonly log_en?: boolean;
}

export interface Log {
	readonly log_en: boolean;
	readonly now_ms: number;
	readonly dropped: number;
	readonly entries: readonly {
		readonly ms: number;
		readonly kind: "line" | "sent" | "received";
		readonly baud?: number;
		readonly text?: string;
		readonly hex?: string;
	}[];
}

export interface Schedule {
	readonly enabled: boolean;
	readonly period_unit: "minutes" | "hours" | "days" | "months";
	readonly period_value: number;
	readonly trigger_hour: number;
	readonly trigger_minute: number;
	readonly trigger_day: number;
}

export interface DLMS {
	readonly auth: "none" | "low" | "high_gmac" | "high_sha256";
	readonly use_encryption: boolean;
	readonly client_address: number;
	readonly server_logical: number;
	readonly server_physical: number;
	readonly receive_timeout_ms: number;
	readonly server_address_length: 0 | 1 | 2 | 4;
	readonly opening: "auto" | "mode_e" | "direct";
	readonly baudrate: 300 | 600 | 1200 | 2400 | 4800 | 9600 | 19200;
	readonly push_baudrate: 0 | 300 | 600 | 1200 | 2400 | 4800 | 9600 | 19200 | 38400 | 57600 | 115200;
	readonly security_suite: 0 | 1;
	readonly release: boolean;
	readonly deviation: "standard" | "swapped";
	readonly live_secs: 0 | 1 | 2 | 3 | 4 | 5;
	readonly password_set: boolean;
	readonly block_cipher_key_set: boolean;
	readonly auth_key_set: boolean;
	readonly list_rows: string;
	readonly list_seen: string;
}

export interface MBus {
	readonly address?: number;
	readonly meters?: number;
	readonly baudrate?: 300 | 600 | 1200 | 2400 | 4800 | 9600 | 19200;
	readonly secondary?: string;
}

export interface PollList {
	readonly entries: readonly (PollEntry & {
		readonly obis: string;
	})[];
}

export interface PollEntry {
	readonly code: readonly number[];
	readonly class_id: 1 | 3 | 4 | 5 | 8;
	readonly attribute: number;
}

export interface Zigbee {
	readonly enabled: boolean;
	readonly joined: boolean;
	readonly channel: number;
	readonly short_address: number;
	readonly extended_pan_id: string;
	readonly pan_id: number;
	readonly state:
		| "off"
		| "starting"
		| "silent"
		| "foreign"
		| "not_joined"
		| "joining"
		| "joined"
		| "parent_lost"
		| "leaving"
		| "absent";
	readonly role: "router" | "end_device" | "";
	readonly ieee_address: string;
	readonly coprocessor: string;
	readonly joining_secs: number;
	readonly reported: readonly {
		readonly mapping_id: string;
		readonly value: number;
		readonly timestamp: number;
	}[];
}

export interface Mapping {
	readonly mapping: readonly {
		readonly obis: string;
		readonly mapping_id: "00000000" | "07020000" | "07020001" | "07020400" | "0B040505" | "0B040508";
	}[];
}

export interface Hub {
	readonly enabled: boolean;
	readonly url?: string;
	readonly cert_max_size: number;
	readonly lang: "en" | "de" | "pl";
	readonly statistics: boolean;
	readonly token_set: boolean;
	readonly cert_set: boolean;
}

export interface HubTest {
	readonly retcode: number;
	readonly http_status_code: number;
	readonly code: string;
	readonly message: string;
}

export interface EventLog {
	readonly uptime: number;
	readonly dropped: number;
	readonly events: readonly Event[];
}

export interface Event {
	readonly time: number;
	readonly uptime: number;
	readonly event:
		| "started"
		| "safe_mode"
		| "restart"
		| "clock_set"
		| "login"
		| "login_refused"
		| "password_changed"
		| "token_made"
		| "token_revoked"
		| "settings_changed"
		| "certificate_changed"
		| "meter_failed"
		| "meter_read"
		| "network_up"
		| "network_down"
		| "readouts_missed"
		| "storage_refused"
		| "hub_failed"
		| "hub_back"
		| "hawkbit_failed"
		| "hawkbit_back"
		| "provision_applied"
		| "provision_refused"
		| "mqtt_failed"
		| "mqtt_sent"
		| "mqtt_command"
		| "mqtt_command_ignored"
		| "battery_empty"
		| "update_installed"
		| "update_refused"
		| "update_confirmed"
		| "update_failed"
		| "update_rolled_back"
		| "update_found"
		| "zigbee_joined"
		| "zigbee_left"
		| "zigbee_silent"
		| "zigbee_back"
		| "zigbee_foreign"
		| "unknown";
	readonly detail: string;
	readonly count: number;
}

export interface Backup {
	readonly product: string;
	readonly version: string;
	readonly build_number: number;
	readonly board: string;
	readonly created: string;
}

export interface BackupFile {
	readonly backup: 1;
	readonly settings: undefined;
}

export interface Restored {
	readonly restored: number;
	readonly enter_again: readonly string[];
	readonly ignored: readonly string[];
	readonly restart: boolean;
}

export interface UpgradeSettings {
	readonly upgrade_url?: string;
	readonly upgrade_check_enabled?: boolean;
	readonly security_updates?: boolean;
}

export interface Profile {
	readonly protocol: "IEC62056-21" | "DLMS/COSEM";
	readonly meter_id: string;
	readonly obis: string;
	readonly status: 0 | 2;
	readonly period_secs: number;
	readonly columns: readonly {
		readonly obis: string;
		readonly unit: string;
		readonly en: string | null;
		readonly de?: string | null;
		readonly pl?: string | null;
	}[];
	readonly rows: readonly {
		readonly timestamp: number;
		readonly localtime: string;
		readonly status: string | null;
		readonly values: readonly (string | null)[];
	}[];
}

export interface Hawkbit {
	readonly enabled: boolean;
	readonly url: string;
	readonly tenant: string;
	readonly controller_id: string;
	readonly token_kind: "target" | "gateway";
	readonly token_set: boolean;
	readonly cert_max_size: number;
	readonly cert_set: boolean;
}

export interface Provision {
	readonly group: string;
	readonly url: string;
	readonly cert_max_size: number;
	readonly cert_set: boolean;
	readonly url_state: string;
	readonly url_asked: number;
	readonly state: string;
	readonly counter: number;
	readonly applied: number;
	readonly max_size: number;
}

export interface MQTT {
	readonly enabled: boolean;
	readonly url: string;
	readonly user: string;
	readonly password_set: boolean;
	readonly topic: string;
	readonly topics: "json" | "values" | "both";
	readonly discovery: boolean;
	readonly discovery_prefix: string;
	readonly lang: "en" | "de" | "pl";
	readonly pause_secs: number;
	readonly commands: boolean;
	readonly client_cert: boolean;
	readonly cert_set: boolean;
	readonly cert_max_size: number;
	readonly base_topic: string;
}

export interface MQTTTest {
	readonly retcode: number;
	readonly code: string;
	readonly message: string;
}

export interface LiveMeter {
	readonly ecotracker?: boolean;
	readonly shelly?: boolean;
	readonly shelly_udp_port?: 0 | 1010 | 2220;
	readonly inverted?: boolean;
	readonly offset_w?: number;
	readonly total_on?: "l1" | "all";
	readonly pause_ms?: number;
	readonly max_age_secs?: number;
	readonly homewizard?: boolean;
	readonly sma?: boolean;
	readonly sunspec?: boolean;
}

export interface LiveClients {
	readonly clients: readonly {
		readonly address: string;
		readonly share_percent?: number;
	}[];
}

export interface LiveStatus {
	readonly id: string;
	readonly power: number | null;
	readonly age_ms: number | null;
	readonly dialects: readonly {
		readonly name: string;
		readonly enabled: boolean;
		readonly fresh: boolean;
		readonly max_age_secs: number;
	}[];
	readonly clients: readonly {
		readonly address: string;
		readonly dialect: string;
		readonly requests: number;
		readonly every_ms: number;
		readonly asked_secs: number;
		readonly answered_secs: number | null;
		readonly power: number | null;
		readonly share_percent?: number;
	}[];
	readonly refused: {
		readonly address: string;
		readonly dialect: string;
		readonly asked_secs: number;
	} | null;
}
