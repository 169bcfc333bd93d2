/** The device in its networks: Wi-Fi and cable, its names there, and the time from there. */
import type { Core, Running } from "../core/core.js";
import type { TimeSync } from "../sntp/client.js";
import type { CablePolicy } from "./cable.js";
import { NetworkManager } from "./manager.js";
import { NetworkServices } from "./services.js";
import { NetworkSettings } from "./settings.js";

export class Networking implements Running {
	readonly settings: NetworkSettings;
	/** Undefined where there is no Wi-Fi. */
	readonly manager: NetworkManager | undefined;
	readonly #core: Core;
	/** Undefined where there is no Wi-Fi or no UDP, and in safe mode. */
	readonly #services: NetworkServices | undefined;

	/** A firmware without Ethernet has no `Cable`, and nothing of it in its flash. */
	constructor(core: Core, Cable: typeof CablePolicy | undefined) {
		const { clock, config, crypto, driver, host, info, text, trace } = core;
		const { ethernet, network, wifi } = host;
		this.#core = core;
		const accessPointKey = wifi?.accessPointKey ?? "";
		this.settings = new NetworkSettings(config, { hostname: info.hostname, accessPointKey });
		if (wifi === undefined) return;
		this.manager = new NetworkManager({ driver, text, trace }, this.settings, core, ethernet && Cable);
		const { udp } = network;
		if (udp === undefined || core.safeMode !== "") return;
		this.#services = new NetworkServices({ clock, clockUser: core, crypto, driver, info, network, text, trace, udp });
	}

	/** Undefined where no time server can be asked. */
	get time(): TimeSync | undefined {
		return this.#services?.time;
	}

	connect(): void {
		const { wifi, ethernet } = this.#core.host;
		if (wifi !== undefined) this.manager?.start(wifi, ethernet);
	}

	/** Names in the network are to be those of now. */
	updateServices(): void {
		if (this.manager === undefined) return;
		const { httpPort, httpsPort, hostname } = this.#core;
		const { address, isByCable, accessPointOn } = this.manager;
		this.#services?.update({ address, isByCable, accessPointOn, hostname, httpPort, httpsPort });
	}

	/** Others should know that the name answers nobody for a while. */
	restarting(): void {
		this.#services?.stop();
	}

	disconnecting(): void {
		this.#services?.stop();
	}

	stop(): void {
		this.manager?.stop();
	}
}
