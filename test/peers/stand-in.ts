/** The stand-in for Home Assistant (tools/hub) against the real one: a client can't tell them apart. */
import assert from "node:assert/strict";
import { StandIn } from "../../tools/hub/home-assistant.js";
import type { Home } from "./home.js";

type Who = "owner" | "guest" | "stranger" | "nobody" | "basic";

interface Sent {
	readonly who?: Who | undefined;
	readonly method?: string;
	readonly path: string;
	readonly body?: string | undefined;
}

const ENTITY = "/api/states/sensor.smgw_a1b2c3_1_0_1_8_0";
const ENERGY = {
	state: "1234.567",
	attributes: {
		friendly_name: "Meter, imported energy",
		unit_of_measurement: "kWh",
		device_class: "energy",
		state_class: "total_increasing",
	},
};

const set = (path: string, body: unknown): Sent => ({ method: "POST", path, body: JSON.stringify(body) });
const post = (path: string, body?: string, who?: Who): Sent => ({ method: "POST", path, body, who });

/** Requests, in an order that matters: each depends on the earlier ones. */
const REQUESTS: readonly Sent[] = [
	{ path: "/api/" },
	{ path: "/api/", who: "guest" },
	{ path: "/api/", who: "stranger" },
	{ path: "/api/", who: "nobody" },
	{ path: "/api/", who: "basic" },
	{ path: "/api" },
	{ path: "/api/nothing" },
	{ path: "/api/nothing", who: "stranger" },
	{ path: "/api/", method: "POST" },
	{ path: "/api/", method: "POST", who: "stranger" },
	{ path: "/api/states", method: "POST" },
	// A new state, the same state again, another state, other attributes.
	set(ENTITY, ENERGY),
	set(ENTITY, ENERGY),
	set(ENTITY, { ...ENERGY, state: "1234.568" }),
	{ path: ENTITY },
	{ path: ENTITY, who: "guest" },
	{ path: ENTITY, who: "stranger" },
	set(ENTITY, { state: "1235" }),
	{ path: ENTITY },
	set(ENTITY, { ...ENERGY, force_update: true }),
	post(ENTITY, JSON.stringify(ENERGY), "guest"),
	post(ENTITY, JSON.stringify(ENERGY), "stranger"),
	post(ENTITY, JSON.stringify(ENERGY), "nobody"),
	post(ENTITY, "{", "guest"),
	post(ENTITY, "{", "stranger"),
	post("/api/states/sensor.Bad__Name", "{"),
	post(ENTITY),
	post(ENTITY, ""),
	post(ENTITY, "{"),
	post(ENTITY, '{"state":"1",}'),
	post(ENTITY, '{"state":NaN}'),
	post(ENTITY, "[]"),
	post(ENTITY, "null"),
	post(ENTITY, '"1"'),
	post(ENTITY, "5"),
	set(ENTITY, {}),
	set(ENTITY, { attributes: {} }),
	set(ENTITY, { state: null }),
	set(ENTITY, { state: "" }),
	set(ENTITY, { state: 5 }),
	set(ENTITY, { state: 5.25 }),
	set(ENTITY, { state: true }),
	set(ENTITY, { state: false }),
	set(ENTITY, { state: "a".repeat(255) }),
	set(ENTITY, { state: "a".repeat(256) }),
	set(ENTITY, { state: "ü".repeat(255) }),
	set(ENTITY, { state: "😀".repeat(255) }),
	set(ENTITY, { state: "😀".repeat(256) }),
	set("/api/states/sensor.Bad.Name", { state: "a".repeat(256) }),
	set(ENTITY, { state: "1", attributes: null }),
	set(ENTITY, { state: "1", attributes: [] }),
	set(ENTITY, { state: "1", attributes: "" }),
	set(ENTITY, { state: "1", attributes: 0 }),
	set(ENTITY, { state: "1", attributes: "text" }),
	set(ENTITY, { state: "1", attributes: 5 }),
	set(ENTITY, { state: "1", attributes: ["text"] }),
	set(ENTITY, { state: "1", attributes: { nested: { list: [1, 2] } } }),
	set(ENTITY, { state: "abc", attributes: ENERGY.attributes }),
	set(ENTITY, { state: "1", more: "is ignored" }),
	// Valid and invalid entity ids.
	...[
		...["sensor.a", "sensor.0", "sensor.a_b", "sensor.a__b", "sensor._a", "sensor.a_", "sensor.a-b", "sensor.a b"],
		...["sensor.a.b", "sensor", "sensor.", ".a", "sen_sor.a", "sen__sor.a", "_sensor.a", "sensor_.a", "nosuch.a"],
		...["sensor.ä", "SENSOR.UPPER", "sensor.Upper", `sensor.${"a".repeat(248)}`, `sensor.${"a".repeat(300)}`],
		...["sensor.a%2Fb", "sensor.%61", "sensor.a?x=1"],
	].map((id) => set(`/api/states/${id}`, { state: "1" })),
	{ path: "/api/states/sensor.upper" },
	{ path: "/api/states/sensor.UPPER" },
	{ path: "/api/states/sensor.nosuch" },
	{ path: "/api/states/sensor.a/b" },
	{ path: "/api/states/" },
	{ path: ENTITY, method: "PUT", body: "{}" },
	{ path: ENTITY, method: "PATCH", body: "{}" },
	{ path: ENTITY, method: "DELETE", who: "guest" },
	{ path: ENTITY, method: "DELETE" },
	{ path: ENTITY, method: "DELETE" },
	{ path: ENTITY },
	set(ENTITY, ENERGY),
];

/** A client's view of a reply: status, body, stored state, location. */
async function viewOfReply(hub: { url: string; token: string; guestToken: string }, sent: Sent): Promise<unknown> {
	const { who = "owner", method = "GET", path, body } = sent;
	const words = {
		owner: `Bearer ${hub.token}`,
		guest: `Bearer ${hub.guestToken}`,
		stranger: "Bearer wrong",
		basic: `Basic ${hub.token}`,
		nobody: undefined,
	};
	const authorization = words[who];
	const reply = await fetch(`${hub.url}${path}`, {
		method,
		redirect: "manual",
		headers: authorization === undefined ? {} : { Authorization: authorization },
		...(body === undefined ? {} : { body }),
	});
	const { status, headers } = reply;
	const type = headers.get("content-type")?.split(";")[0];
	const location = headers.get("location");
	const text = await reply.text();
	if (type !== "application/json") return { status, type, text };
	const { entity_id, state, attributes, message } = JSON.parse(text);
	return { status, type, location, entity_id, state, attributes, message };
}

export const standInCases = [
	{
		name: "the stand-in answers a list of requests as Home Assistant does",
		async run({ hass }: Home) {
			const standIn = await StandIn.start();
			try {
				for (const sent of REQUESTS) {
					const words = `${sent.who ?? "owner"}: ${sent.method ?? "GET"} ${sent.path} ${(sent.body ?? "").slice(0, 80)}`;
					const real = await viewOfReply(hass, sent);
					assert.deepEqual(await viewOfReply(standIn, sent), real, words);
				}
			} finally {
				await standIn.end();
			}
		},
	},
	{
		name: "both have lost all states after a restart",
		async run({ hass }: Home) {
			const standIn = await StandIn.start();
			const create = set(ENTITY, ENERGY);
			try {
				for (const hub of [hass, standIn]) await viewOfReply(hub, create);
				await hass.end();
				await hass.begin();
				await standIn.restart();
				const real = await viewOfReply(hass, create);
				assert.equal((real as { status: number }).status, 201);
				assert.deepEqual(await viewOfReply(standIn, create), real);
			} finally {
				await standIn.end();
			}
		},
	},
];
