/**
 * Permitted values of the fields of request bodies, by route. Made by `npm run api -- --make` from the
 * API's description, modules/api/openapi.json: change that.
 */

/** POST /api/v1/system/login */
export const SYSTEM_LOGIN = {
	username: { max: 64 },
	nonce: { max: 128 },
	proof: { max: 128 },
	password: { max: 128 },
} as const;

/** POST /api/v1/system/password */
export const SYSTEM_PASSWORD = {
	nonce: { max: 128 },
	proof: { max: 128 },
	new_hash: { min: 64, max: 64, pattern: /^[0-9A-Fa-f]*$/ },
	old_password: { max: 128 },
	new_password: { min: 8, max: 128 },
} as const;

/** POST /api/v1/system/tokens */
export const SYSTEM_TOKENS = {
	name: { min: 1, max: 32, pattern: /^[ -~]*$/ },
	scope: { choices: ["full", "read"] },
} as const;

/** POST /api/v1/system/power_mode */
export const SYSTEM_POWER_MODE = {
	power_mode: { min: 0, max: 2 },
} as const;

/** POST /api/v1/system/clock */
export const SYSTEM_CLOCK = {
	timestamp: { min: 1704067200, max: 4102444799 },
} as const;

/** POST /api/v1/system/timezone */
export const SYSTEM_TIMEZONE = {
	timezone: { max: 64, pattern: /^[A-Za-z0-9_+\-/]*$/ },
} as const;

/** POST /api/v1/network/wifi */
export const NETWORK_WIFI = {
	ssid: { min: 1, max: 31, pattern: /^[^\u0000-\u001f]*$/ },
	password: { max: 63, pattern: /^([^\u0000-\u001f]{8,})?$/ },
	dhcp: {},
	ip: { max: 15 },
	netmask: { max: 15 },
	gateway: { max: 15 },
	hostname: { min: 1, max: 31, pattern: /^[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?$/ },
	apply: {},
} as const;

/** POST /api/v1/network/ap */
export const NETWORK_AP = {
	ap_ssid: { min: 1, max: 31, pattern: /^[^\u0000-\u001f]*$/ },
	ap_password: { min: 8, max: 63, pattern: /^[^\u0000-\u001f]*$/ },
	ap_enabled: {},
	apply: {},
} as const;

/** POST /api/v1/network/fallback-ap */
export const NETWORK_FALLBACK_AP = {
	fallback_ap_enabled: {},
} as const;

/** POST /api/v1/network/wifi-enabled */
export const NETWORK_WIFI_ENABLED = {
	wifi_enabled: {},
	tx_power_dbm: { choices: [0, 2, 5, 7, 8, 11, 13, 14, 15, 16, 18, 20] },
} as const;

/** POST /api/v1/network/ethernet */
export const NETWORK_ETHERNET = {
	ethernet_enabled: {},
	dhcp: {},
	ip: { max: 15, pattern: /^[.0-9]*$/ },
	netmask: { max: 15, pattern: /^[.0-9]*$/ },
	gateway: { max: 15, pattern: /^[.0-9]*$/ },
	dns: { max: 15, pattern: /^[.0-9]*$/ },
} as const;

/** POST /api/v1/meter/protocol */
export const METER_PROTOCOL = {
	protocol: { choices: ["iec62056", "dlms", "sml", "tic", "kmp", "mbus", "amis"] },
	rx_inverted: {},
	tx_inverted: {},
	rx_pin: { min: -1, max: 48 },
	tx_pin: { min: -1, max: 48 },
} as const;

/** POST /api/v1/meter/pin */
export const METER_PIN = {
	pin: { min: 4, max: 8, pattern: /^[0-9]*$/ },
	flashes: { min: 0, max: 3 },
	inf: { min: 0, max: 15 },
} as const;

/** POST /api/v1/meter/backfill */
export const METER_BACKFILL = {
	enabled: {},
	obis: { min: 4, max: 20, pattern: /^[0-9.:\-*]*$/ },
} as const;

/** POST /api/v1/peaks */
export const PEAKS = {
	interval_mins: { choices: [0, 15, 60] },
	count: { choices: [1, 3] },
} as const;

/** POST /api/v1/prices */
export const PRICES = {
	periods: {
		max: 8,
		items: {
			from: { min: 10, max: 10, pattern: /^[0-9\-]*$/ },
			import_micro: { min: -2000000000, max: 2000000000 },
			import_t2_micro: { min: -2000000000, max: 2000000000 },
			export_micro: { min: -2000000000, max: 2000000000 },
			base_micro: { min: 0, max: 100000000000 },
			base_per: { choices: ["month", "year"] },
		},
	},
	currency: { min: 3, max: 3, pattern: /^[A-Z]*$/ },
} as const;

/** POST /api/v1/iec62056/config */
export const IEC62056_CONFIG = {
	mode_d_enabled: {},
	mode_d_baudrate: { choices: [300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200] },
	baudrate_max: { min: 300, max: 19200 },
	battery: {},
	mode_e_dlms: {},
	device_address: { max: 32, pattern: /^[0-9A-Za-z #/]*$/ },
	password: { max: 32, pattern: /^[ -'*-~]*$/ },
} as const;

/** POST /api/v1/iec62056/control */
export const IEC62056_CONTROL = {
	simulator_en: {},
	log_en: {},
} as const;

/** POST /api/v1/iec62056/schedule */
export const IEC62056_SCHEDULE = {
	enabled: {},
	period_unit: { choices: ["minutes", "hours", "days", "months"] },
	period_value: {
		min: 1,
		max: 30,
		by: { minutes: [1, 5, 10, 15, 30], hours: [1, 2, 4, 8, 12], days: [1, 7, 14, 28], months: [1, 2, 3, 6] },
	},
	trigger_hour: { min: 0, max: 23 },
	trigger_minute: { min: 0, max: 59 },
	trigger_day: { min: 1, max: 28 },
} as const;

/** POST /api/v1/dlms/config */
export const DLMS_CONFIG = {
	auth: { choices: ["none", "low", "high_gmac", "high_sha256"] },
	use_encryption: {},
	client_address: { min: 0, max: 127 },
	server_logical: { min: 0, max: 16383 },
	server_physical: { min: 0, max: 16383 },
	receive_timeout_ms: { min: 100, max: 30000 },
	server_address_length: { choices: [0, 1, 2, 4] },
	opening: { choices: ["auto", "mode_e", "direct"] },
	baudrate: { choices: [300, 600, 1200, 2400, 4800, 9600, 19200] },
	push_baudrate: { choices: [0, 300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200] },
	security_suite: { choices: [0, 1] },
	release: {},
	deviation: { choices: ["standard", "swapped"] },
	live_secs: { choices: [0, 1, 2, 3, 4, 5] },
	password: { max: 64, pattern: /^[ -~]*$/ },
	block_cipher_key: { max: 32, pattern: /^([0-9A-Fa-f]{32})?$/ },
	auth_key: { max: 32, pattern: /^([0-9A-Fa-f]{32})?$/ },
	list_rows: { max: 240, pattern: /^[ -~]*$/ },
} as const;

/** POST /api/v1/mbus/config */
export const MBUS_CONFIG = {
	address: { min: 0, max: 254 },
	meters: { min: 1, max: 16 },
	baudrate: { choices: [300, 600, 1200, 2400, 4800, 9600, 19200] },
	secondary: { max: 272, pattern: /^[ 0-9A-Fa-f]*$/ },
} as const;

/** POST /api/v1/dlms/obis */
export const DLMS_OBIS = {
	entries: {
		max: 32,
		items: {
			code: { max: 6 },
			class_id: { choices: [1, 3, 4, 5, 8] },
			attribute: { min: 1, max: 127 },
		},
	},
} as const;

/** POST /api/v1/zigbee/config */
export const ZIGBEE_CONFIG = {
	enabled: {},
} as const;

/** POST /api/v1/zigbee/map */
export const ZIGBEE_MAP = {
	mapping: {
		max: 16,
		items: {
			obis: { min: 1, max: 27, pattern: /^[ -~]*$/ },
			mode: { min: 0, max: 1 },
			mapping_id: { min: 8, max: 8, pattern: /^(00000000|0702(0000|0001|0400)|0[Bb]04050(5|8))$/ },
		},
	},
} as const;

/** POST /api/v1/hub */
export const HUB = {
	enabled: {},
	url: { max: 255, pattern: /^[!-~]*$/ },
	token: { max: 512, pattern: /^[!-~]*$/ },
	lang: { choices: ["en", "de", "pl"] },
	statistics: {},
	cert: { max: 10239 },
} as const;

/** POST /api/v1/system/backup */
export const SYSTEM_BACKUP = {
	backup: { choices: [1] },
	settings: {},
} as const;

/** POST /api/v1/system/upgrade */
export const SYSTEM_UPGRADE = {
	upgrade_url: { max: 255, pattern: /^[!-~]*$/ },
	upgrade_check_enabled: {},
	security_updates: {},
} as const;

/** POST /api/v1/hawkbit */
export const HAWKBIT = {
	enabled: {},
	url: { max: 80, pattern: /^[!-~]*$/ },
	tenant: { min: 1, max: 20, pattern: /^[0-9A-Za-z\-._~]*$/ },
	controller_id: { max: 32, pattern: /^[0-9A-Za-z\-._~]*$/ },
	token_kind: { choices: ["target", "gateway"] },
	token: { max: 64, pattern: /^[!-~]*$/ },
	cert: { max: 3072 },
} as const;

/** POST /api/v1/provision */
export const PROVISION = {
	group: { max: 32, pattern: /^[!-~]*$/ },
	url: { max: 128, pattern: /^[!-~]*$/ },
	cert: { max: 3072 },
} as const;

/** POST /api/v1/mqtt */
export const MQTT = {
	enabled: {},
	url: { max: 255, pattern: /^[!-~]*$/ },
	user: { max: 64, pattern: /^[^\u0000-\u001f]*$/ },
	password: { max: 128, pattern: /^[^\u0000-\u001f]*$/ },
	topic: { max: 64, pattern: /^[!-"$-*,-~]*$/ },
	topics: { choices: ["json", "values", "both"] },
	discovery: {},
	discovery_prefix: { max: 32, pattern: /^[!-"$-*,-~]*$/ },
	lang: { choices: ["en", "de", "pl"] },
	pause_secs: { min: 1, max: 3600 },
	commands: {},
	client_cert: {},
	cert: { max: 3072 },
} as const;

/** POST /api/v1/live-meter */
export const LIVE_METER = {
	ecotracker: {},
	shelly: {},
	shelly_udp_port: { choices: [0, 1010, 2220] },
	inverted: {},
	offset_w: { min: -10000, max: 10000 },
	total_on: { choices: ["l1", "all"] },
	pause_ms: { min: 0, max: 60000 },
	max_age_secs: { min: 0, max: 3600 },
	homewizard: {},
	sma: {},
	sunspec: {},
} as const;

/** POST /api/v1/live-meter/clients */
export const LIVE_METER_CLIENTS = {
	clients: {
		max: 8,
		items: {
			address: { min: 7, max: 15, pattern: /^[.0-9]*$/ },
			share_percent: { min: 1, max: 100 },
		},
	},
} as const;
