/** A home: our gateway with a meter, Home Assistant, and a broker where there is one. */
import { vectorOf } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { HomeAssistant } from "./home-assistant.js";

/** Of a meter that counts imported and exported energy. */
export const METER = "ziv-5cta3-dsmr5-leading-lf";

export interface Home {
	readonly hass: HomeAssistant;
	/** In XS, as on the device. */
	readonly gateway: ProcessGateway;
}

export async function prepareHome(): Promise<Home> {
	const hass = await HomeAssistant.start();
	try {
		const gateway = await ProcessGateway.start("xs");
		await gateway.login();
		await gateway.connectMeter({ telegram: vectorOf(METER).telegram });
		return { hass, gateway };
	} catch (error) {
		await hass.end();
		throw error;
	}
}

export async function endHome({ hass, gateway }: Home): Promise<void> {
	try {
		await gateway.stop();
	} finally {
		await hass.end();
	}
}
