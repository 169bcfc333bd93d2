/** A part that sends readings to a server of the owner's, such as the hub or MQTT: its certificates, and what sends. */

import type { SettingField } from "../config/schema.js";
import { TrustedCertificates } from "../config/trusted-certificates.js";
import type { Core, Running } from "../core/core.js";
import type { EventKind } from "../diagnostics/events.js";
import { METER } from "../meter/part.js";
import type { Readout } from "../readout/readout.js";
import { NETWORK } from "../wifi/part.js";
import type { OutputFailure } from "./connect-failures.js";
import type { Output, OutputWorld, SendTest } from "./output.js";

/** What sends: a machine with an Output. */
export interface Sending extends Running {
	readonly output: Output;
	/** Sends now; false: a test is going on, or was a moment ago. */
	test(test: SendTest): boolean;
	cancel(test: SendTest): void;
	settingsChanged(): void;
}

export class Outlet<Sender extends Sending> implements Running {
	/** Those that the server is known by. Settings need them in safe mode as well. */
	readonly certificates: TrustedCertificates;
	/** Undefined in safe mode, and where the host makes no connections. */
	readonly sender: Sender | undefined;

	constructor(certificates: TrustedCertificates, sender: Sender | undefined) {
		this.certificates = certificates;
		this.sender = sender;
	}

	get isSending(): boolean {
		return this.sender?.isSending === true;
	}

	measured(readout: Readout): void {
		this.sender?.measured?.(readout);
	}

	meterFailed(): void {
		this.sender?.meterFailed?.();
	}

	networkChanged(isUp: boolean): void {
		this.sender?.networkChanged?.(isUp);
	}

	erase(): void {
		this.certificates.blobs.sweep([], true);
	}

	stop(): void {
		this.sender?.stop?.();
	}
}

export interface OutletOptions<Sender extends Sending> {
	/** Refers to the certificates in use, of at most `limit` bytes; `keys` begins their keys in flash. */
	readonly certificate: SettingField<Uint8Array>;
	readonly limit: number;
	readonly keys: string;
	/** What the event log has of the first failure, and of the way back. */
	readonly failed: EventKind;
	readonly works: EventKind;
	open(world: OutputWorld): Sender;
}

export function openOutlet<Sender extends Sending>(core: Core, options: OutletOptions<Sender>): Outlet<Sender> {
	const { config, storage, ledger } = core;
	const { certificate, keys, limit } = options;
	const place = { store: config, storage, memory: ledger };
	const certificates = new TrustedCertificates(place, certificate, keys, limit);
	const canSend = core.safeMode === "" && core.host.network.tcpClient !== undefined;
	return new Outlet(certificates, canSend ? options.open(worldOf(core, certificates, options)) : undefined);
}

function worldOf(
	core: Core,
	certificates: TrustedCertificates,
	{ failed, works }: Pick<OutletOptions<Sending>, "failed" | "works">,
): OutputWorld {
	const { clock, config, crypto, driver, events, host, info, ledger, live, saving, text, tlsPermit, writer } = core;
	const { manager, settings } = core.find(NETWORK);
	const { names, reader } = core.find(METER);
	return {
		certificates,
		clock,
		config,
		crypto,
		driver,
		info,
		ledger,
		live,
		names,
		networkSettings: settings,
		ports: host.network,
		power: host.power,
		radio: manager,
		reader,
		saving,
		text,
		tlsPermit,
		user: {
			outputChanged: (failure: OutputFailure | undefined) =>
				failure === undefined ? events.note(works) : events.note(failed, failure.code),
		},
		writer,
	};
}
