/** Runs the worker's commands on a Host and sends the host's events (worker/protocol.ts). */
import { WAKE_NONE } from "../../modules/io/flash.js";
import type { Host } from "../../modules/io/host.js";
import { CommandRunner } from "./bridge-commands.js";
import { EventQueue } from "./bridge-events.js";
import { Handles } from "./bridge-handles.js";
import { clientCommands, datagramCommands, deviceCommands, listenerCommands, streamCommands } from "./bridge-io.js";
import { updateCommands } from "./bridge-update.js";
import { valueCommands } from "./bridge-values.js";
import {
	EVENT_START,
	HOST_ENDED_BY_FAULT,
	HOST_HARDWARE_PARITY,
	HOST_HAS_BUTTON,
	HOST_HAS_CONSOLE,
	HOST_HAS_COPROCESSOR,
	HOST_HAS_COPROCESSOR_LINES,
	HOST_HAS_ENDING,
	HOST_HAS_ETHERNET,
	HOST_HAS_FLASH,
	HOST_HAS_HTTPS,
	HOST_HAS_POWER,
	HOST_HAS_RESOLVE,
	HOST_HAS_RETAINED,
	HOST_HAS_SLEEP,
	HOST_HAS_TCP_CLIENT,
	HOST_HAS_TLS_CLIENT,
	HOST_HAS_UDP,
	HOST_HAS_UPDATE,
	HOST_HAS_WIFI,
	HOST_HTTP_SECURE,
	HOST_HTTPS_SECURE,
	INFO_FIELDS,
	INFO_NUMBERS,
} from "./worker/protocol.js";

export class WorkerBridge {
	readonly #host: Host;
	readonly #handles = new Handles();
	readonly #events: EventQueue;
	readonly #commands: CommandRunner;

	constructor(host: Host, deliver: (event: Uint8Array) => Promise<void>) {
		this.#host = host;
		this.#events = new EventQueue({
			clock: host.clock,
			deliver,
			isOpen: (subject) => this.#handles.get(subject.id) === subject,
			ended: ({ id }) => this.#handles.forget(id),
		});
		const world = { host, handles: this.#handles, events: this.#events };
		this.#commands = new CommandRunner({
			...streamCommands(world),
			...listenerCommands(world),
			...clientCommands(world),
			...datagramCommands(world),
			...deviceCommands(world),
			...valueCommands(world),
			...updateCommands(world),
		});
	}

	event(kind: number, number = 0, text = ""): Uint8Array {
		return this.#events.encode(kind, 0, number, text);
	}

	startEvent(): Uint8Array {
		const { info, serial, network, flash, power, button, wifi, ethernet, retained, ending, sleep, update } = this.#host;
		let flags = 0;
		if (serial.meter.hardwareParity) flags |= HOST_HARDWARE_PARITY;
		if (serial.console) flags |= HOST_HAS_CONSOLE;
		if (serial.zigbee) flags |= HOST_HAS_COPROCESSOR;
		if (serial.zigbee?.setLines) flags |= HOST_HAS_COPROCESSOR_LINES;
		if (network.http.secure) flags |= HOST_HTTP_SECURE;
		if (network.https) flags |= HOST_HAS_HTTPS;
		if (network.https?.secure) flags |= HOST_HTTPS_SECURE;
		if (power) flags |= HOST_HAS_POWER;
		if (network.udp) flags |= HOST_HAS_UDP;
		if (network.tcpClient) flags |= HOST_HAS_TCP_CLIENT;
		if (network.tlsClient) flags |= HOST_HAS_TLS_CLIENT;
		if (flash) flags |= HOST_HAS_FLASH;
		if (network.resolve) flags |= HOST_HAS_RESOLVE;
		if (button) flags |= HOST_HAS_BUTTON;
		if (wifi) flags |= HOST_HAS_WIFI;
		if (ethernet) flags |= HOST_HAS_ETHERNET;
		if (retained) flags |= HOST_HAS_RETAINED;
		if (update) flags |= HOST_HAS_UPDATE;
		if (sleep) flags |= HOST_HAS_SLEEP;
		if (ending) flags |= HOST_HAS_ENDING;
		if (ending?.isFault) flags |= HOST_ENDED_BY_FAULT;
		const lines = [...INFO_FIELDS, ...INFO_NUMBERS].map((field) => String(info[field]));
		lines.push(wifi?.accessPointKey ?? "", wifi?.mac ?? "", ending?.cause.replaceAll("\n", " ") ?? "");
		lines.push(String(sleep?.wakeReason ?? WAKE_NONE), ethernet?.mac ?? "");
		return this.event(EVENT_START, flags, lines.join("\n"));
	}

	get settled(): Promise<void> {
		return this.#events.settled;
	}

	close(): void {
		this.#handles.closeAll();
		this.#events.clear();
	}

	command(message: Uint8Array): Uint8Array {
		return this.#commands.run(message);
	}
}
