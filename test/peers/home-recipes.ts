/** The recipes for Home Assistant, as they are printed, in the real one: what they show in each situation of a meter. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessGateway } from "../api/process-gateway.js";
import { slugOf } from "./home.js";
import { type EntityState, HomeAssistant } from "./home-assistant.js";
import { Mosquitto } from "./mosquitto.js";
import { entitiesIn } from "./mqtt.js";
import { freePort } from "./peer.js";
import { PAGE_HOST } from "./reading-bed.js";
import { casesOf, endPrograms, METERS, type MeterBed, type Recipe, type Shown, startOf } from "./situations.js";
import { template } from "./templates.js";

interface Bed extends MeterBed {
	readonly hass: HomeAssistant;
}

const numberOf = (state: EntityState | undefined) => {
	const number = Number(state?.state);
	return Number.isNaN(number) ? undefined : number;
};

/** Power of the first of these entities that has one. */
const powerOf = (of: (key: string) => EntityState | undefined): Shown => ({
	power: numberOf(of("16_7_0")) ?? numberOf(of("1_0_16_7_0")) ?? numberOf(of("power_net")),
});

const RECIPES: readonly Recipe<Bed>[] = [
	{
		name: "MQTT discovery",
		async start(bed) {
			await bed.hass.addBroker(bed.broker.port);
			const settings = { enabled: true, url: `mqtt://127.0.0.1:${bed.broker.port}`, user: "", password: "" };
			await bed.gateway.write("mqtt", settings);
			return {
				async shown() {
					const { entities } = await entitiesIn(bed);
					return powerOf((key) => entities.get(key));
				},
			};
		},
	},
	{
		name: "home-assistant.yaml",
		start: async ({ hass }) => ({
			shown: async () => ({
				power: numberOf(await hass.state("sensor.power")),
				imported: numberOf(await hass.state("sensor.energy_import")),
			}),
		}),
	},
	{
		name: "home-assistant-hub.yaml",
		async start({ gateway, hass }) {
			await gateway.write("hub", { enabled: true, url: hass.url, token: hass.token, lang: "en" });
			return {
				shown: async () => ({ power: numberOf(await hass.state("sensor.power_now")) }),
				// Home Assistant keeps the states of the last meter's values until it restarts.
				async forget() {
					const ids = (await hass.states()).map(({ entity_id }) => entity_id);
					for (const id of ids.filter((one) => one.startsWith(`sensor.${slugOf(gateway.hostname)}_`)))
						await hass.request("DELETE", `/api/states/${id}`);
				},
			};
		},
	},
];

export async function prepareHomeRecipes(): Promise<Bed> {
	const broker = await Mosquitto.start();
	// Home Assistant polls the gateway at the same port after its restart.
	const gateway = await ProcessGateway.start("node", {
		connections: 1,
		args: ["--https-port", String(await freePort())],
	});
	const folder = mkdtempSync(join(tmpdir(), "home-recipes-"));
	try {
		await gateway.login();
		await gateway.connectProgram([]);
		await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 30 });
		const { token } = await gateway.write("system/tokens", { name: "hass", scope: "read" });
		const polling = template("home-assistant.yaml", {
			...{ [PAGE_HOST]: gateway.authority(true), TOKEN: token },
			"scan_interval: 60": "scan_interval: 5",
		});
		const pushed = template("home-assistant-hub.yaml", { smgw_a1b2c3: slugOf(gateway.hostname), "< 300": "< 30" });
		const hass = await HomeAssistant.start(polling + pushed);
		return { broker, gateway, folder, hass, programs: new Map() };
	} catch (error) {
		rmSync(folder, { recursive: true, force: true });
		await gateway.stop();
		await broker.stop();
		throw error;
	}
}

export async function endHomeRecipes(bed: Bed): Promise<void> {
	await endPrograms(bed);
	rmSync(bed.folder, { recursive: true, force: true });
	await bed.hass.end();
	await bed.gateway.stop();
	await bed.broker.stop();
}

export const homeRecipeCases = [...RECIPES.map(startOf), ...METERS.flatMap(casesOf)];
