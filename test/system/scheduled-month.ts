/**
 * An unattended gateway on virtual time with scheduled readouts only, while the meter falls silent for hours and is
 * replaced, and the gateway restarts and loses power. Readings are compared with the meter.
 */
import assert from "node:assert/strict";
import type { JSONObject } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { HOUR_MS, HouseMeter } from "./house-meter.js";

export class UnattendedGateway {
	readonly gateway: VirtualGateway;
	readonly #meter: HouseMeter;

	constructor(startMs: number) {
		this.#meter = new HouseMeter(startMs);
		this.gateway = new VirtualGateway("client", { utcMs: startMs });
		this.gateway.onWorld = (world) => this.#meter.connect(world);
	}

	get nowMs(): number {
		return this.gateway.world.time.utcMs() ?? assert.fail("the clock is set");
	}

	/** Unix times of the meter's answers to a sign-on, ms. */
	get signedOn(): readonly number[] {
		return this.#meter.shown.map(({ ms }) => ms);
	}

	async begin(schedule: JSONObject): Promise<void> {
		this.#meter.connect(this.gateway.world);
		await this.gateway.login();
		await this.gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		await this.gateway.write("iec62056/schedule", schedule);
	}

	/** Replaces the meter. */
	exchange(): void {
		this.#meter.exchange();
	}

	silence(isSilent: boolean): void {
		this.#meter.silence(isSilent);
	}

	/** The hours with a readout, between two times. */
	readAt(fromMs: number, toMs: number): Set<number> {
		const hours = this.signedOn.filter((ms) => ms >= fromMs && ms < toMs).map((ms) => Math.floor(ms / HOUR_MS));
		return new Set(hours);
	}

	async history(period: string): Promise<JSONObject[]> {
		await this.gateway.login();
		return (await this.gateway.read(`meter/history?period=${period}`)).periods;
	}

	/** Checks that a period's energy equals the meter's; the boundaries may be off by `offS` seconds. */
	isTrue(period: JSONObject, offS = 0): void {
		this.#meter.isTrue(period, offS);
	}
}
