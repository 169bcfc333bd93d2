/**
 * A coordinator like Zigbee2MQTT, made from its libraries: zigbee-herdsman runs the network, and
 * zigbee-herdsman-converters interprets the devices. The latter has no definition of the gateway, so it generates one
 * from the device's own description.
 */
import { join } from "node:path";
import { Controller, setLogger } from "zigbee-herdsman";
import type { MessagePayload } from "zigbee-herdsman/dist/controller/events.js";
import type { Device } from "zigbee-herdsman/dist/controller/model/index.js";
import {
	type Definition,
	findByDevice,
	postProcessConvertedFromZigbeeMessage,
	setLogger as setConverterLogger,
} from "zigbee-herdsman-converters";
import { NETWORK } from "./coordinator-network.js";
import type { CoordinatorNetwork } from "./nvram.js";

/** An event to show. `device` is an IEEE address, `0x` and 16 hex digits. */
export type CoordinatorEvent =
	| { readonly event: "started"; readonly network: string }
	| { readonly event: "disconnected" }
	| { readonly event: "permit_join"; readonly seconds: number }
	| { readonly event: "joined"; readonly device: string }
	| { readonly event: "announced"; readonly device: string }
	| { readonly event: "left"; readonly device: string }
	| { readonly event: "interview"; readonly device: string; readonly status: string }
	| {
			readonly event: "definition";
			readonly device: string;
			readonly vendor: string;
			readonly model: string;
			readonly type: string;
			/** Names of the generated properties: `energy`, `power`, … */
			readonly exposes: readonly string[];
	  }
	| { readonly event: "configured"; readonly device: string; readonly problem: string }
	| { readonly event: "loading"; readonly device: string; readonly percent: number }
	/** `versions` has the firmware versions before and after. `problem` has the reason of a failure. */
	| { readonly event: "updated"; readonly device: string; readonly versions: string; readonly problem: string }
	| { readonly event: "values"; readonly device: string; readonly values: Readonly<Record<string, unknown>> };

export interface CoordinatorOptions {
	/** `tcp://HOST:PORT`, or a serial port. */
	readonly port: string;
	/** Folder for the coordinator's database and its backup of the network. */
	readonly folder: string;
	readonly network?: CoordinatorNetwork;
	/**
	 * True if duplicates are accepted. By default a message is dropped if one of the last five in 10 s had the same
	 * number.
	 */
	readonly takesDuplicates?: boolean;
	onEvent(event: CoordinatorEvent): void;
	onLog?(line: string): void;
}

/** Properties that every definition exposes. They are left out of the events. */
const COMMON_EXPOSES = ["linkquality"];
/** Block size of Zigbee2MQTT. */
const BLOCK_BYTES = 50;
const BLOCK_LIMIT_MS = 150_000;

export class Coordinator {
	readonly controller: Controller;
	readonly values = new Map<string, Record<string, unknown>>();
	readonly #options: CoordinatorOptions;
	readonly #definitions = new Map<string, Promise<Definition | undefined>>();
	readonly #configured = new Set<string>();

	constructor(options: CoordinatorOptions) {
		this.#options = options;
		const { port, folder, network = NETWORK, onLog = () => {} } = options;
		const write = (message: string | (() => string)) => onLog(typeof message === "string" ? message : message());
		const logger = { debug: () => {}, info: write, warning: write, error: write };
		setLogger(logger);
		setConverterLogger(logger);
		this.controller = new Controller({
			network: {
				panID: network.panId,
				extendedPanID: [...network.extendedPanId],
				networkKey: [...network.networkKey],
				channelList: [network.channel],
			},
			serialPort: { path: port, adapter: "zstack" },
			databasePath: join(folder, "database.db"),
			databaseBackupPath: join(folder, "database.db.backup"),
			backupPath: join(folder, "coordinator_backup.json"),
			adapter: { disableLED: true },
			acceptJoiningDeviceHandler: async () => true,
		});
		this.#listen();
	}

	/** Starts the network. Rejects with herdsman's error if the coprocessor does not answer. */
	async start(): Promise<void> {
		const network = await this.controller.start();
		this.#options.onEvent({ event: "started", network });
		for (const device of this.devices) void this.#define(device, false);
	}

	async stop(): Promise<void> {
		await this.controller.stop();
	}

	get devices(): Device[] {
		return this.controller.getDevices().filter(({ type }) => type !== "Coordinator");
	}

	async permitJoin(seconds: number): Promise<void> {
		await this.controller.permitJoin(seconds);
		this.#options.onEvent({ event: "permit_join", seconds });
	}

	/**
	 * Offers the firmware file to one device after the other, without pauses between blocks. Returns the number of
	 * devices that accepted the file.
	 */
	async update(path: string): Promise<number> {
		let count = 0;
		const settings = { requestTimeout: BLOCK_LIMIT_MS, responseDelay: 0, baseSize: BLOCK_BYTES };
		for (const device of this.devices) {
			const common = { event: "updated", device: device.ieeeAddr } as const;
			const onProgress = (percent: number) =>
				this.#options.onEvent({ event: "loading", device: device.ieeeAddr, percent });
			try {
				const [from, to] = await device.updateOta({ url: path }, undefined, undefined, {}, onProgress, settings);
				if (to === undefined) throw new Error("the file is for another device, or not newer");
				this.#options.onEvent({ ...common, versions: `${from.fileVersion} to ${to.fileVersion}`, problem: "" });
				count++;
			} catch (error) {
				this.#options.onEvent({ ...common, versions: "", problem: (error as Error).message });
			}
		}
		return count;
	}

	/** Changes the channel as herdsman does at a start with changed settings, but without its wait of 12 seconds. */
	async changeChannel(channel: number): Promise<void> {
		const { channel: before, nwkUpdateID } = await this.controller.getNetworkParameters();
		const herdsman = this.controller as unknown as { changeChannel(...of: readonly number[]): Promise<void> };
		void herdsman.changeChannel(before, channel, nwkUpdateID);
	}

	/** Tells all devices to leave, and forgets them. */
	async removeAll(): Promise<void> {
		for (const device of this.devices) {
			await device.removeFromNetwork(true);
			this.#forget(device.ieeeAddr);
		}
	}

	#listen(): void {
		const { controller } = this;
		const { onEvent } = this.#options;
		controller.on("deviceJoined", ({ device }) => onEvent({ event: "joined", device: device.ieeeAddr }));
		controller.on("deviceAnnounce", ({ device }) => onEvent({ event: "announced", device: device.ieeeAddr }));
		controller.on("deviceLeave", ({ ieeeAddr }) => this.#forget(ieeeAddr));
		controller.on("deviceInterview", ({ device, status }) => {
			onEvent({ event: "interview", device: device.ieeeAddr, status });
			if (status === "successful") void this.#define(device, true);
		});
		controller.on("message", (message) => void this.#take(message));
		controller.on("adapterDisconnected", () => onEvent({ event: "disconnected" }));
	}

	#forget(device: string): void {
		this.#definitions.delete(device);
		this.#configured.delete(device);
		this.values.delete(device);
		this.#options.onEvent({ event: "left", device });
	}

	/**
	 * Makes the device's definition. With `configures`, also binds the device and configures its reports, as Zigbee2MQTT
	 * does once.
	 */
	async #define(device: Device, configures: boolean): Promise<void> {
		const found = findByDevice(device, true);
		this.#definitions.set(device.ieeeAddr, found);
		const definition = await found;
		if (definition === undefined) return;
		if (this.#options.takesDuplicates) definition.meta = { ...definition.meta, publishDuplicateTransaction: true };
		const { vendor, model, exposes } = definition;
		const all = typeof exposes === "function" ? exposes(device, {}) : exposes;
		this.#options.onEvent({
			event: "definition",
			device: device.ieeeAddr,
			...{ vendor, model, type: device.type ?? "Unknown" },
			exposes: all.map(({ name }) => name).filter((name) => !COMMON_EXPOSES.includes(name)),
		});
		if (!configures || this.#configured.has(device.ieeeAddr)) return;
		this.#configured.add(device.ieeeAddr);
		let problem = "";
		try {
			const coordinator = this.controller.getDevicesByType("Coordinator")[0].endpoints[0];
			await definition.configure?.(device, coordinator, definition);
		} catch (error) {
			problem = (error as Error).message;
		}
		this.#options.onEvent({ event: "configured", device: device.ieeeAddr, problem });
	}

	async #take(message: MessagePayload): Promise<void> {
		const { device, cluster, type } = message;
		const definition = await this.#definitions.get(device.ieeeAddr);
		if (definition === undefined) return;
		const published: Record<string, unknown> = {};
		const meta = { state: {}, device, deviceExposesChanged: () => {} };
		for (const converter of definition.fromZigbee) {
			const types: readonly string[] = typeof converter.type === "string" ? [converter.type] : converter.type;
			if (converter.cluster !== cluster || !types.includes(type)) continue;
			const options = {};
			const given = await converter.convert(
				definition,
				message as never,
				(later) => this.#publish(device, later),
				options,
				meta,
			);
			if (given) Object.assign(published, given);
		}
		postProcessConvertedFromZigbeeMessage(definition, published, {}, device);
		this.#publish(device, published);
	}

	#publish({ ieeeAddr }: Device, values: Record<string, unknown>): void {
		if (Object.keys(values).length === 0) return;
		this.values.set(ieeeAddr, { ...this.values.get(ieeeAddr), ...values });
		this.#options.onEvent({ event: "values", device: ieeeAddr, values });
	}
}
