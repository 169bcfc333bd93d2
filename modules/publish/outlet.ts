/** What readings leave by, such as the hub or MQTT, with the certificates that its server is known by. */
import type { TrustedCertificates } from "../config/trusted-certificates.js";
import type { Running } from "../core/core.js";
import type { Readout } from "../readout/readout.js";

export class Outlet<Output extends Running> implements Running {
	/** Settings need them in safe mode as well. */
	readonly certificates: TrustedCertificates;
	/** Undefined in safe mode, and where the host makes no connections. */
	readonly output: Output | undefined;

	constructor(certificates: TrustedCertificates, output: Output | undefined) {
		this.certificates = certificates;
		this.output = output;
	}

	get isSending(): boolean {
		return this.output?.isSending === true;
	}

	measured(readout: Readout): void {
		this.output?.measured?.(readout);
	}

	meterFailed(): void {
		this.output?.meterFailed?.();
	}

	networkChanged(isUp: boolean): void {
		this.output?.networkChanged?.(isUp);
	}

	erase(): void {
		this.certificates.blobs.sweep([], true);
	}

	stop(): void {
		this.output?.stop?.();
	}
}
