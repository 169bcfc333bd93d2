/** Network connections of the device: Wi-Fi and cable, mDNS names, and network time. */
import type { Core, Running } from "../../core/core.js";
import type { DatagramDeps } from "../../io/datagrams.js";
import type { CablePolicy } from "../../network/cable.js";
import { NetworkManager } from "../../network/manager.js";
import type { TimeSync } from "../../sntp/client.js";
import { type Announcer, NetworkServices } from "./services.js";
import { NetworkSettings } from "./settings.js";

export class Networking implements Running {
	readonly settings: NetworkSettings;
	readonly manager: NetworkManager | undefined;
	readonly #core: Core;
	/** Undefined without Wi-Fi or UDP, and in safe mode. */
	readonly #services: NetworkServices | undefined;
	/** Source of further mDNS services. The part that offers them sets it, and then calls `updateServicesSoon` of the core. */
	announcer: Announcer | undefined;

	/** `Cable` is undefined in a firmware without Ethernet, so that the bundle does not contain its code. */
	constructor(core: Core, Cable: typeof CablePolicy | undefined) {
		const { clock, config, crypto, driver, host, info, text, trace } = core;
		const { ethernet, network, wifi } = host;
		this.#core = core;
		const accessPointKey = wifi?.accessPointKey ?? "";
		const isLow = host.ending?.isLowVoltage === true;
		if (isLow) trace("The voltage was too low: Wi-Fi transmits with less power until the next start.");
		const isGentle = isLow || core.safeMode !== "";
		this.settings = new NetworkSettings(config, { hostname: info.hostname, accessPointKey, isGentle });
		if (wifi === undefined) return;
		this.manager = new NetworkManager({ driver, text, trace }, this.settings, core, ethernet && Cable);
		const { udp } = network;
		if (udp === undefined || core.safeMode !== "") return;
		this.#services = new NetworkServices({
			clock,
			clockListener: core,
			crypto,
			driver,
			info,
			network,
			text,
			trace,
			udp,
		});
	}

	/** Undefined if no time server can be queried. */
	get time(): TimeSync | undefined {
		return this.#services?.time;
	}

	get datagrams(): DatagramDeps | undefined {
		return this.#services?.deps;
	}

	whenConnecting(): void {
		const { wifi, ethernet } = this.#core.host;
		if (wifi !== undefined) this.manager?.start(wifi, ethernet);
	}

	updateServices(): void {
		if (this.manager === undefined) return;
		const { httpPort, httpsPort, hostname } = this.#core;
		const { address, isByCable, accessPointOn } = this.manager;
		const { announcer } = this;
		this.#services?.update({ address, isByCable, accessPointOn, hostname, httpPort, httpsPort, announcer });
	}

	whenRestarting(): void {
		this.#services?.stop();
	}

	whenDisconnecting(): void {
		this.#services?.stop();
	}

	whenStopping(): void {
		this.manager?.stop();
	}
}
