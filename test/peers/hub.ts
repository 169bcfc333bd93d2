/** What our gateway sends by Home Assistant's REST API, as Home Assistant has it then. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONObject } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import type { Home } from "./home.js";
import type { EntityState, HomeAssistant } from "./home-assistant.js";

/** Between two tests the gateway rests. */
const TEST_LIMIT_MS = 60_000;
/** After a failure it tries again by itself, after 10 and after 30 more seconds. */
const RETURN_LIMIT_MS = 90_000;

/** What `GET hub/send` tells, once the gateway takes it. */
async function send(gateway: ProcessGateway): Promise<JSONObject> {
	const limit = Date.now() + TEST_LIMIT_MS;
	for (;;) {
		const reply = await gateway.get("hub/send");
		if (reply.status !== 503) return JSON.parse(reply.text);
		assert.ok(Date.now() < limit, reply.text);
		await sleep(1000);
	}
}

/** What Home Assistant has of us, by what comes after the host name. */
async function ours({ hass, gateway }: Home): Promise<Map<string, EntityState>> {
	const prefix = new RegExp(`^(binary_)?sensor\\.${gateway.hostname.toLowerCase().replace(/[^a-z0-9]+/g, "_")}_`);
	const states = (await hass.states()).filter(({ entity_id }) => prefix.test(entity_id));
	return new Map(states.map((state) => [state.entity_id.replace(prefix, ""), state]));
}

async function waitFor<T>(what: string, limitMs: number, look: () => Promise<T | undefined>): Promise<T> {
	const limit = Date.now() + limitMs;
	for (;;) {
		const found = await look();
		if (found !== undefined) return found;
		assert.ok(Date.now() < limit, what);
		await sleep(500);
	}
}

const use = (gateway: ProcessGateway, hass: HomeAssistant, token = hass.token) =>
	gateway.write("hub", { enabled: true, url: hass.url, token, lang: "en" });

export const hubCases = [
	{
		name: "takes what the gateway sends by REST",
		async run(home: Home) {
			const { gateway, hass } = home;
			await use(gateway, hass);
			await gateway.read("iec62056/read");
			console.log(await send(gateway));
			console.log(
				JSON.stringify(
					[...(await ours(home)).values()].map((x) => [x.entity_id, x.state, x.attributes]),
					null,
					1,
				),
			);
		},
	},
];
