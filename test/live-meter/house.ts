/**
 * A house with batteries in virtual time. Its meter is a P1 meter of our gateway, which the batteries ask as a Shelly
 * over UDP. Each battery is an integral controller: after a delay it adds the received power to its own, with a limited
 * slope. It ignores values below DEADBAND_W.
 */
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import type { VirtualGateway } from "../api/virtual-gateway.js";

const GATEWAY = { address: "192.0.2.20", port: 1010 };
const ASK = Buffer.from('{"id":1,"src":"b","method":"EM.GetStatus","params":{"id":0}}');
const STEP_MS = 50;
const DEADBAND_W = 20;
const LIMIT_W = 2500;
const BAUD = 115_200;

export interface House {
	readonly gateway: VirtualGateway;
	/** Interval of the telegrams, ms. */
	readonly everyMs: number;
	/** For each battery the time between two requests, ms. */
	readonly askMs: readonly number[];
	/** Time from a reply to the beginning of its effect, ms. */
	readonly delayMs: number;
	/** Slope of a battery's power, W/s. */
	readonly slope: number;
}

/** Address of a battery. */
export const addressOf = (index: number) => `192.0.2.${40 + index}`;

/** Connects the meter and the batteries. Returns a function that lets time pass and returns the power at the meter. */
export function regulate({ gateway, everyMs, askMs, delayMs, slope }: House) {
	const { serial, udp, time } = gateway.world;
	let load = 0;
	const batteries = askMs.map((ms, index) => ({
		ms,
		port: 40_000 + index,
		address: addressOf(index),
		// The first requests are spread.
		nextMs: time.nowMs + (ms * (index + 1)) / (askMs.length + 1),
		target: 0,
		watts: 0,
		/** Targets and the times from which they count. */
		coming: [] as [fromMs: number, watts: number][],
	}));
	for (const battery of batteries) {
		udp.serve(battery.address, battery.port, (bytes) => {
			const { total_act_power: watts } = JSON.parse(Buffer.from(bytes).toString()).result;
			if (Math.abs(watts) < DEADBAND_W) return [];
			battery.target = Math.max(-LIMIT_W, Math.min(LIMIT_W, battery.target + watts));
			battery.coming.push([time.nowMs + delayMs, battery.target]);
			return [];
		});
	}
	const atMeter = () => batteries.reduce((sum, { watts }) => sum - watts, load);
	const telegram = () => {
		const kilowatts = (watts: number) => `${(Math.max(0, watts) / 1000).toFixed(3)}*kW`;
		const lines = ["/TST5HOUSE", "", "1-0:1.8.0(1*kWh)", `1-0:1.7.0(${kilowatts(atMeter())})`];
		return [...lines, `1-0:2.7.0(${kilowatts(-atMeter())})`, "!", ""].join("\r\n");
	};
	const source = () => splitTelegram(Buffer.from(telegram()));
	serial.meter.plugIn();
	serial.meter.connect(new IECMeter({ source, mode: "D", pushBaud: BAUD, pushMs: everyMs }));

	/** Lets `secs` pass while the house takes `watts`. Returns the power at the meter, each STEP_MS. */
	return async (watts: number, secs: number): Promise<number[]> => {
		const powers: number[] = [];
		load = watts;
		for (let ms = 0; ms < secs * 1000; ms += STEP_MS) {
			await gateway.pass(STEP_MS);
			for (const battery of batteries) {
				if (battery.nextMs <= time.nowMs) {
					battery.nextMs += battery.ms;
					udp.send({ from: { address: battery.address, port: battery.port }, to: GATEWAY, bytes: ASK });
				}
				const { coming } = battery;
				while (coming.length > 1 && coming[1][0] <= time.nowMs) coming.shift();
				const target = coming.length > 0 && coming[0][0] <= time.nowMs ? coming[0][1] : battery.watts;
				const change = (slope * STEP_MS) / 1000;
				battery.watts += Math.max(-change, Math.min(change, target - battery.watts));
			}
			powers.push(atMeter());
		}
		return powers;
	};
}
