/** Live values for batteries and wallboxes. While all dialects are off, there is no service and no open port. */
import type { PlainPages } from "../../api/api.js";
import type { Core, Running } from "../../core/core.js";
import type { BodySink } from "../../http/handler.js";
import type { HTTPRequest } from "../../http/request.js";
import type { HTTPResponse } from "../../http/response.js";
import type { Readout } from "../../readout/readout.js";
import { NETWORK } from "../network/part.js";
import { DIALECTS } from "./dialects.js";
import { LiveService } from "./live-service.js";

export class LiveMeter implements Running, PlainPages {
	readonly #core: Core;
	service: LiveService | undefined;
	#isUp = false;

	constructor(core: Core) {
		this.#core = core;
		this.settingsChanged();
	}

	whenNetworkChanged(isUp: boolean): void {
		this.#isUp = isUp;
		// The network may have changed; a multicast port belongs to the old network.
		this.service?.openPorts(false);
		this.service?.openPorts(isUp);
	}

	settingsChanged(): void {
		const core = this.#core;
		const { config, safeMode } = core;
		const isOn = safeMode === "" && DIALECTS.some(({ enabled }) => config.get(enabled));
		if (isOn) {
			this.service ??= new LiveService(core);
			this.service.clients.listChanged();
			this.service.openPorts(this.#isUp);
		} else this.whenStopping();
		const networking = core.find(NETWORK);
		if (this.service === undefined && networking.announcer === undefined) return;
		networking.announcer = this.service;
		core.updateServicesSoon();
	}

	whenMeasured(readout: Readout): void {
		this.service?.measured(readout);
	}

	whenMeterFailed(isOld: boolean): void {
		if (isOld) this.service?.expire();
	}

	meterChanged(): void {
		this.service?.forget();
	}

	answer(request: HTTPRequest, response: HTTPResponse): BodySink | boolean {
		return this.service?.answer(request, response) ?? false;
	}

	whenStopping(): void {
		this.service?.openPorts(false);
		this.service = undefined;
	}
}
