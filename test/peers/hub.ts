/** Our gateway sends states through Home Assistant's REST API, and the test reads them back. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessGateway } from "../api/process-gateway.js";
import { type Home, sendNow, shownBy, slugOf, VALUES, waitFor } from "./home.js";
import type { EntityState, HomeAssistant } from "./home-assistant.js";

/** Limit for a new attempt, ms; retry delays are 10 s, then 30 s more. */
const RETURN_LIMIT_MS = 180_000;
/** Time in which the gateway sends its states before Home Assistant makes statistics. */
const STATISTICS_LEAD_MS = 50_000;
const LOG_MS = 1000;
/** Pause between two sent readouts. */
const PAUSE_MS = 11_000;

/** The gateway's states in Home Assistant, by entity name without the gateway's host name. */
async function sent({ hass, gateway }: Home): Promise<Map<string, EntityState>> {
	const ids = new RegExp(`^(?:binary_)?sensor\\.${slugOf(gateway.hostname)}_`);
	const states = (await hass.states()).filter(({ entity_id }) => ids.test(entity_id));
	return new Map(states.map((state) => [state.entity_id.replace(ids, ""), state]));
}

function use(gateway: ProcessGateway, hass: HomeAssistant, token = hass.token): Promise<unknown> {
	return gateway.write("hub", { enabled: true, url: hass.url, token, lang: "en" });
}

async function checkValues(home: Home): Promise<void> {
	const states = await sent(home);
	for (const [key, expected] of Object.entries(VALUES)) {
		const state = states.get(key);
		assert.ok(state, `${key} is not there: ${[...states.keys()]}`);
		assert.deepEqual(shownBy(state), expected, key);
	}
}

const refusals = (hass: HomeAssistant) => hass.log.split("invalid authentication").length - 1;

export const hubCases = [
	{
		name: "Home Assistant accepts the gateway's states over REST",
		async run(home: Home) {
			const { gateway, hass } = home;
			await use(gateway, hass);
			await gateway.read("iec62056/read");
			const { retcode, http_status_code, code } = await sendNow(gateway, "hub/send");
			assert.equal(retcode, 0);
			assert.ok([200, 201].includes(http_status_code), `${http_status_code}`);
			assert.equal(code, "ok");
			await checkValues(home);
			const states = await sent(home);
			assert.equal(states.get("meter")!.state, "on");
			const ageMs = Date.now() - Date.parse(states.get("last_readout")!.state);
			assert.ok(Math.abs(ageMs) < 120_000, `${ageMs}`);
			// A request removes omitted attributes, so each request sends all of them.
			const { friendly_name, obis } = states.get("1_0_1_8_0")!.attributes;
			assert.equal(friendly_name, `${gateway.hostname} Active energy import total`);
			assert.equal(obis, "1-0:1.8.0");
		},
	},
	{
		name: "Home Assistant gets all states again after a restart, and accepts them for its energy dashboard",
		async run(home: Home) {
			const { gateway, hass } = home;
			await hass.end();
			// This readout can't be sent.
			await gateway.read("iec62056/read");
			await hass.restartBeforeStatistics(STATISTICS_LEAD_MS);
			await waitFor("nothing comes after the restart", RETURN_LIMIT_MS, async () =>
				(await sent(home)).has("1_0_32_7_0") ? true : undefined,
			);
			await checkValues(home);
			const [imported, exported] = ["1_0_1_8_0", "1_0_2_8_0"].map((key) => `sensor.${slugOf(gateway.hostname)}_${key}`);
			assert.deepEqual(await hass.validateEnergy(imported, exported), []);
		},
	},
	{
		name: "the gateway reports the refusal of a wrong token and of one without administrator rights, and sends nothing more",
		async run({ gateway, hass }: Home) {
			for (const token of [hass.guestToken, "wrong"]) {
				await use(gateway, hass, token);
				const { retcode, http_status_code, code, message } = await sendNow(gateway, "hub/send");
				assert.deepEqual([retcode, http_status_code, code], [1, 401, "token_rejected"]);
				assert.match(message, /administrator/);
				// Home Assistant writes its log with a delay.
				await sleep(LOG_MS);
				const before = refusals(hass);
				assert.ok(before > 0);
				for (let readouts = 0; readouts < 2; readouts++) {
					await gateway.read("iec62056/read");
					await sleep(PAUSE_MS / 2);
				}
				assert.equal(refusals(hass), before, hass.log);
			}
			await use(gateway, hass);
			assert.equal((await sendNow(gateway, "hub/send")).retcode, 0);
		},
	},
	{
		name: "the gateway reports a wrong path, and a server that is not Home Assistant",
		async run({ gateway, hass, broker }: Home) {
			const other =
				broker instanceof Error ? [] : [[`http://127.0.0.1:${broker.port}`, /no_http|no_reply|closed|connection_lost/]];
			const cases: [string, RegExp][] = [[`${hass.url}/somewhere`, /not_found/], ...(other as [string, RegExp][])];
			for (const [url, pattern] of cases) {
				await gateway.write("hub", { enabled: true, url, token: hass.token, lang: "en" });
				const { retcode, code, message } = await sendNow(gateway, "hub/send");
				assert.notEqual(retcode, 0, url);
				assert.match(code, pattern, `${url}: ${message}`);
				assert.ok(message.length > 20);
			}
			await use(gateway, hass);
		},
	},
];
