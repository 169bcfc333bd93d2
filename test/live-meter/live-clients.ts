/** Clients of the dialects over real sockets that ask again and again, beside other load. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessGateway } from "../api/process-gateway.js";
import { RPCSocket, readModbus, requestByUDP, requestCT002 } from "./dialect-clients.js";

const UDP_EACH_MS = 300;
const EACH_MS = 1000;
/** Registers of the power, in SunSpec and in EM24. */
const POWER_REGISTERS = { sunspec: 40_097, em24: 0x28 };
const REQUEST = Object.freeze({ id: 1, src: "battery", method: "EM.GetStatus" });

export class LiveClients {
	/** Number of times that each client has received values. */
	readonly counts = { udp: 0, ecotracker: 0, shelly: 0, homewizard: 0, sunspec: 0, em24: 0, websocket: 0 };
	readonly #gateway: ProcessGateway;
	readonly #running: Promise<void>[];
	#socket: RPCSocket | undefined;
	#isPaused = false;
	#isOver = false;

	/** `udpPort` is the port of the Shelly dialect. */
	constructor(gateway: ProcessGateway, udpPort: number) {
		this.#gateway = gateway;
		this.#running = [
			this.ask("udp", UDP_EACH_MS, () => askByUDP(udpPort)),
			this.ask("ecotracker", EACH_MS, () => this.plain("GET", "/v1/json")),
			this.ask("homewizard", EACH_MS, () => this.plain("GET", "/api/v1/data")),
			this.ask("shelly", EACH_MS, () => this.plain("POST", "/rpc", { ...REQUEST, method: "Shelly.GetStatus" })),
			this.ask("sunspec", EACH_MS, () => this.modbus(POWER_REGISTERS.sunspec)),
			this.ask("em24", EACH_MS, () => this.modbus(POWER_REGISTERS.em24)),
			this.ask("websocket", EACH_MS, async () => this.follow()),
		];
	}

	/** Stops asking, and closes the WebSocket. */
	pause(): void {
		this.#isPaused = true;
		this.#socket?.end();
	}

	resume(): void {
		this.#isPaused = false;
	}

	async end(): Promise<void> {
		this.#isOver = true;
		await Promise.all(this.#running);
		this.#socket?.end();
	}

	private async ask(name: keyof LiveClients["counts"], eachMs: number, send: () => Promise<boolean>): Promise<void> {
		while (!this.#isOver) {
			const pause = sleep(eachMs);
			if (!this.#isPaused && (await send().catch(() => false))) this.counts[name]++;
			await pause;
		}
	}

	private async plain(method: string, path: string, body?: object): Promise<boolean> {
		const { status } = await this.#gateway.begin(method, path, { secure: false, token: null, body }).reply();
		return status === 200;
	}

	private async modbus(first: number): Promise<boolean> {
		return (await readModbus(this.modbusPort, first, 2)).length > 9;
	}

	/** True if the WebSocket has brought values since the last call; opens it again if it was closed. */
	private follow(): boolean {
		if (this.#socket?.isClosed !== false) this.#socket = new RPCSocket(this.#gateway.authority(false));
		return this.#socket.messages.splice(0).some(({ method }) => method === "NotifyStatus");
	}

	/** Port that replaces 502. */
	private get modbusPort(): number {
		return Number(/tcp port 502 is localhost:(\d+) here/.exec(this.#gateway.diagnosis)?.[1] ?? 502);
	}
}

/** Asks a Shelly, and a CT002; only one of them has a port. */
async function askByUDP(shellyPort: number): Promise<boolean> {
	const replies = [requestByUDP(REQUEST, shellyPort), requestCT002()];
	const answered = replies.map((reply) => reply.then((value) => value ?? Promise.reject(new Error("no reply"))));
	return Promise.any(answered).then(
		() => true,
		() => false,
	);
}
