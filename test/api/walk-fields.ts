/**
 * Valid and invalid values for each field of each body, from its schema: below, at and above each
 * bound, each JSON type. Rules that a schema can't express (a code, an address, a name) are in CONTENTS.
 */
import type { Node } from "../../tools/api/files.js";
import { resolve } from "./document.js";
import type { JSONObject } from "./gateway.js";
import { JSON_ROUTES, type WalkRoute } from "./walk.js";

export interface WalkField {
	readonly route: WalkRoute;
	readonly name: string;
	/** Name of the field in errors; `entries[0].code` inside a list. */
	readonly label: string;
	readonly required: boolean;
	readonly good: readonly unknown[];
	readonly bad: readonly unknown[];
	/** A whole body that remains valid with any valid value of this field. */
	readonly base: JSONObject;
	/** The base with `json` as the text of the field's value; undefined: without the field. */
	readonly body: (json: string | undefined) => string;
}

const x = (length: number) => "x".repeat(length);
const ADDRESS = { good: ["192.168.1.77"], bad: ["", "192.168.1", "192.168.1.256", "192.168.1.077", x(16)] };
const NETMASK = {
	good: ["255.0.0.0", "255.255.255.0"],
	bad: ["254.0.0.0", "255.255.255.254", "255.0.255.0", ""],
};
const KEY = { good: ["", "0aF9".repeat(8)], bad: ["0".repeat(31), "0".repeat(33), "g".repeat(32)] };
const OFF = { good: [false], bad: [] };
const MONTHS = {
	enabled: true,
	period_unit: "months",
	period_value: 1,
	trigger_hour: 0,
	trigger_minute: 0,
	trigger_day: 1,
};

/** Further valid and invalid values, by path and field. */
const CONTENTS: Readonly<Record<string, { good?: readonly unknown[]; bad: readonly unknown[] }>> = {
	// The minimum length applies to the plaintext form only.
	"system/password new_password": { bad: [x(129)] },
	"system/timezone timezone": {
		good: ["", "UTC", "America/Argentina/ComodRivadavia"],
		bad: ["utc", "Europe/Atlantis", x(64), x(65)],
	},
	"network/wifi ssid": { good: ["s", x(31), "\u00e9".repeat(16)], bad: ["", x(32), "\u00e9".repeat(17), "a\tb"] },
	"network/wifi password": { good: ["", x(8), x(63)], bad: [x(7), x(64), "\u00e9".repeat(32)] },
	"network/wifi ip": ADDRESS,
	"network/wifi netmask": NETMASK,
	"network/wifi gateway": ADDRESS,
	"network/wifi hostname": { good: ["h", x(31), "a-9"], bad: ["", x(32), "-a", "a-", "a.b"] },
	// Only values that leave the radio on; network-checks.ts and network.test.ts have the others.
	"network/wifi apply": OFF,
	"network/ap apply": OFF,
	"network/ap ap_enabled": OFF,
	"network/wifi-enabled wifi_enabled": OFF,
	// Values for units without a port; ethernet.test.ts has those for units with one.
	"network/ethernet ethernet_enabled": OFF,
	"network/ethernet ip": ADDRESS,
	"network/ethernet netmask": NETMASK,
	"network/ethernet gateway": ADDRESS,
	"network/ethernet dns": { good: ["", "192.168.1.1"], bad: ["192.168.1", "0.0.0.0", x(16)] },
	"zigbee/config enabled": OFF,
	"network/ap ap_ssid": { good: ["s", x(31)], bad: ["", x(32), "\u00e9".repeat(17)] },
	"network/ap ap_password": { good: [x(8), x(63)], bad: ["", x(7), x(64)] },
	"meter/pin pin": { good: ["0000", "12345678"], bad: ["", "123", "123456789", "12 4", "123a"] },
	"iec62056/schedule period_value": { good: [1, 2, 3, 6], bad: [0, 4, 5, 7, 12] },
	"dlms/config block_cipher_key": KEY,
	"dlms/config auth_key": KEY,
	"dlms/config list_rows": {
		good: ["", "06=1.8.0", `06=1.8.0${" ".repeat(232)}`],
		bad: ["x", "06", `06=1.8.0${" ".repeat(233)}`],
	},
	"mbus/config secondary": {
		good: ["", "1234FFFF", "23456789A7321704 60719283", " ".repeat(272)],
		bad: ["1234567", "1234567A", "23456789,23456789", " ".repeat(273)],
	},
	// Filling the history would read the meter during later checks.
	"meter/backfill enabled": { good: [false], bad: [] },
	"meter/backfill obis": {
		good: ["1-0:99.1.0", "1-0:98.1.0", "1-255:99.255.255*255"],
		bad: ["", "1.8", "1-0:1.8.0", "1-0:99.1.256", x(20), x(21)],
	},
	"zigbee/map obis": {
		good: ["1.8.0", "1-0:1.8.0", "255-255:255.255.255*255"],
		bad: ["", "x", "1.8.256", "1".repeat(28)],
	},
	"zigbee/map mapping_id": { good: ["00000000", "0b040508"], bad: ["0702000", "070200000", "07020002", "zzzzzzzz"] },
	"hub url": {
		good: ["http://h", `https://h/${"path-".repeat(49)}`],
		bad: ["", "h", "ftp://h", `https://h/${"path-".repeat(49)}x`, "http://h /"],
	},
	"hawkbit url": {
		good: ["", "https://h", `https://192.168.1.77:8443/${x(54)}`],
		bad: ["h", "http://h", "https://u@h", "https://h/?x", "https://[::1]", `https://h/${x(71)}`],
	},
	"provision url": {
		good: ["", "https://h", `https://192.168.1.77:8443/f?x=${x(98)}`],
		bad: ["h", "http://h", "https://u@h", "https://[::1]", `https://h/${x(119)}`],
	},
	"provision cert": { good: [""], bad: ["x", x(3072), x(3073)] },
	"hawkbit cert": { good: [""], bad: ["x", x(3072), x(3073)] },
	"mqtt url": {
		good: ["", "mqtt://h", "mqtts://192.168.1.77:8884", "mqtt://broker.example:1884"],
		bad: ["h", "http://h", "mqtt://h/path", "mqtt://u@h", "mqtt://h:0", "mqtt://h:65536", `mqtt://${x(249)}`],
	},
	"mqtt topic": { good: ["t", "a/b", x(64)], bad: ["", "/a", "a/", "a b", "a#", "+", x(65)] },
	"mqtt discovery_prefix": { good: ["p", x(32)], bad: ["", "/a", "a/", "a b", x(33)] },
	"mqtt cert": { good: [""], bad: ["x", x(3072), x(3073)] },
	"system/backup settings": { good: [{}, { "a/newer": { group: [[{}]] } }], bad: [] },
	"system/upgrade upgrade_url": {
		good: ["", "https://h", "https://192.168.1.77:8443/{board}.ota?x=1"],
		bad: ["h", "http://h", "https://[::1]/x", "https://h/x y", "https://u@h/x", `https://h/${x(246)}`],
	},
	"live-meter/clients address": {
		good: ["1.0.0.1", "223.255.255.255"],
		bad: ["", "192.168.1", "0.0.0.1", "224.0.0.1", "256.1.1.1", "192.168.1.400", x(16)],
	},
	"prices currency": { good: ["EUR", "PLN"], bad: ["", "EU", "EURO", "eur"] },
	"prices from": {
		good: ["2000-01-01", "2024-02-29", "2099-12-31"],
		bad: ["", "1999-12-31", "2100-01-01", "2025-02-29", "2025-00-01", "2025-13-01", "2025-1-010", "2025-01-011"],
	},
	// The reply has the stored prices, by the quarter hour.
	"prices/dynamic step_minutes": { good: [60, 15], bad: [0, 14, 30, 61] },
	"prices/dynamic start": { good: [946_684_800, 1_795_129_200], bad: [1, 946_683_900, 1_795_129_201] },
	"hub token": { good: ["t", x(512)], bad: ["", x(513), "t t"] },
	"hub cert": { good: [""], bad: ["x", x(10_239), x(10_240)] },
};

/** Bodies whose fields are all validated, for routes without such an example in the API's description. */
const BASES: Readonly<Record<string, JSONObject>> = {
	"network/ethernet": {
		ethernet_enabled: false,
		dhcp: false,
		ip: "192.168.1.20",
		netmask: "255.255.255.0",
		gateway: "192.168.1.1",
	},
	// A nonce that no unit issues, so that no attempt counts as failed.
	"system/login": { username: "admin", nonce: "0".repeat(64), proof: "0".repeat(64) },
	"system/password": { nonce: "0".repeat(64), proof: "0".repeat(64), new_hash: "a".repeat(64) },
	"iec62056/schedule": MONTHS,
	// An address that is valid for each length.
	"dlms/config": { auth: "low", client_address: 32, server_logical: 1, server_physical: 0 },
	"dlms/obis": { entries: [{ code: [1, 0, 1, 8, 0, 255], class_id: 3, attribute: 2 }] },
	// All shares together are at most 100 per cent, and the longest list has eight copies of this client.
	"live-meter/clients": { clients: [{ address: "192.168.1.40", share_percent: 12 }] },
	// The longest list has the quarter hours of two days.
	"prices/dynamic": { start: 1_795_129_200, step_minutes: 15, prices: [{ import_micro: 1 }] },
	hawkbit: { enabled: false, url: "https://h", token: "t" },
	// While MQTT is off, any address is valid, with or without a certificate. The password belongs to the address.
	mqtt: { enabled: false, url: "mqtt://h", user: "u", password: "p" },
	"meter/backfill": { enabled: false, obis: "1-0:99.1.0" },
	"zigbee/map": { mapping: [{ obis: "1.8.0", mode: 1, mapping_id: "07020000" }] },
};

/** Fields that are required with that base, beyond the schema. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
	"system/login": ["nonce", "proof"],
	"system/password": ["nonce", "proof", "new_hash"],
	"network/wifi": ["ip", "netmask", "gateway"],
	"network/ethernet": ["ip", "netmask", "gateway"],
	"iec62056/schedule": Object.keys(MONTHS),
	hub: ["url", "token"],
};

const TYPES: readonly (readonly [string, unknown])[] = [
	["null", null],
	["boolean", true],
	["integer", 1],
	["number", 1.5],
	["string", "1"],
	["array", [1]],
	["object", { "1": 1 }],
];

/** For the objects of a list: a member that must differ between them, and its value for each index. */
const DISTINCT: readonly (readonly [string, (i: number) => JSONObject])[] = [
	["code", (i) => ({ code: [1, 0, 1, 8, i, 255] })],
	["obis", (i) => ({ obis: `${i}.8.0` })],
	["address", (i) => ({ address: `192.168.1.${i + 1}` })],
	["from", (i) => ({ from: `2025-01-${String(i + 1).padStart(2, "0")}` })],
	["import_micro", (i) => ({ import_micro: i })],
];

/** Valid lists, the shortest and the longest, with distinct objects; and invalid lists. */
function lists({ maxItems, minItems = 0, items }: Node, base: readonly unknown[]): [unknown[], unknown[]] {
	const { type, properties } = resolve(items);
	const list = (length: number) =>
		Array.from({ length }, (_, i) => {
			if (type === "integer") return 255 - i;
			const [, vary] = DISTINCT.find(([name]) => name in properties)!;
			return { ...(base[0] as JSONObject), ...vary(i) };
		});
	const bad: unknown[] = [list(maxItems + 1), list(Math.max(1, minItems)).fill(null)];
	if (minItems > 0) bad.push(list(minItems - 1));
	if (type === "integer") for (const odd of [-1, 256, 0.5, "1"]) bad.push([odd, ...list(maxItems - 1)]);
	return [[list(minItems), list(maxItems)], bad];
}

/** Valid and invalid values by the bounds and choices of the schema alone. */
function bySchema(schema: Node, base: unknown): [unknown[], unknown[]] {
	const { type, minimum, maximum, minLength = 0, maxLength, enum: choices } = schema;
	if (choices) {
		const near = choices.flatMap((one: number | string) =>
			typeof one === "number" ? [one - 1, one + 1] : [`${one}x`, one.toUpperCase()],
		);
		return [choices, near.filter((one: number | string) => !choices.includes(one))];
	}
	if (type === "boolean") return [[true, false], []];
	if (type === "array") return lists(schema, base as readonly unknown[]);
	if (type === "integer")
		return [
			[minimum, maximum],
			[minimum - 1, maximum + 1, minimum + 0.5],
		];
	const text = (length: number) => "a".repeat(length);
	const bad = minLength > 0 ? [text(minLength - 1), text(maxLength + 1)] : [text(maxLength + 1)];
	return [[text(minLength), text(maxLength)], bad];
}

function fieldsOf(route: WalkRoute): WalkField[] {
	const base = BASES[route.path] ?? route.example;
	const make = (schema: Node, parents: readonly string[], within: JSONObject): WalkField[] =>
		Object.entries<Node>(schema.properties).flatMap(([name, given]) => {
			const field = resolve(given);
			const [fine, wrong] = bySchema(field, within[name]);
			const { good = fine, bad = wrong } = CONTENTS[`${route.path} ${name}`] ?? {};
			const others = TYPES.filter(([type]) => type !== field.type);
			const [list] = parents;
			const one: WalkField = {
				route,
				name,
				label: list === undefined ? name : `${list}[0].${name}`,
				required: [...(schema.required ?? []), ...(REQUIRED[route.path] ?? [])].includes(name),
				good,
				bad: [...bad, ...others.map(([, value]) => value)],
				base,
				body: (json) => {
					const { [name]: _, ...rest } = within;
					const members = JSON.stringify(rest).slice(1, -1);
					const own = json === undefined ? "" : `"${name}":${json}`;
					const object = `{${[members, own].filter((part) => part !== "").join(",")}}`;
					if (list === undefined) return object;
					const { [list]: __, ...around } = base;
					return JSON.stringify({ ...around, [list]: [] }).replace(/\[\]\}$/, () => `[${object}]}`);
				},
			};
			const item = field.type === "array" ? resolve(field.items) : {};
			return item.properties ? [one, ...make(item, [name], within[name][0])] : [one];
		});
	return make(route.schema, [], base);
}

export const FIELDS: readonly WalkField[] = JSON_ROUTES.flatMap(fieldsOf);
