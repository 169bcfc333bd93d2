/** A part that sends readings to a server of the owner's: its certificates, and what sends. */

import type { SettingField } from "../config/schema.js";
import { TrustedCertificates } from "../config/trusted-certificates.js";
import type { Core, Running } from "../core/core.js";
import type { EventKind } from "../diagnostics/events.js";
import type { Readout } from "../readout/readout.js";
import type { OutputFailure } from "./connect-failures.js";
import type { Output, OutputAccess, OutputWorld, SendTest } from "./output.js";
import { PUBLISH } from "./part.js";

/** What sends: a machine with an Output. */
export interface Sending extends Running {
	readonly output: Output;
	/** Sends now; false: a test is going on, or was a moment ago. */
	test(test: SendTest): boolean;
	cancel(test: SendTest): void;
	settingsChanged(): void;
}

/** What the API tells of it. */
export interface OutletTexts {
	readonly enabled: SettingField<boolean>;
	/** Error code of an output that is off, and what it is called: "The hub". */
	readonly disabled: string;
	readonly name: string;
	/** All was taken. */
	readonly taken: string;
	/** The server has status codes (HTTP). */
	readonly hasStatus: boolean;
}

export class Outlet<Sender extends Sending> implements Running {
	/** Those that the server is known by. Settings need them in safe mode as well. */
	readonly certificates: TrustedCertificates;
	/** Undefined in safe mode, and where the host makes no connections. */
	readonly sender: Sender | undefined;
	readonly texts: OutletTexts;

	constructor(texts: OutletTexts, certificates: TrustedCertificates, sender: Sender | undefined) {
		this.texts = texts;
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
	readonly texts: OutletTexts;
	/** Refers to the certificates in use, of at most `limit` bytes; `keys` begins their keys in flash. */
	readonly certificate: SettingField<Uint8Array>;
	readonly limit: number;
	readonly keys: string;
	/** What the event log has of the first failure, and of the way back. */
	readonly failed: EventKind;
	readonly works: EventKind;
	open(world: OutputWorld, access: OutputAccess): Sender;
}

export function openOutlet<Sender extends Sending>(core: Core, options: OutletOptions<Sender>): Outlet<Sender> {
	const { config, events, ledger, storage } = core;
	const { certificate, failed, keys, limit, texts, works } = options;
	const place = { store: config, storage, memory: ledger };
	const certificates = new TrustedCertificates(place, certificate, keys, limit);
	const world = core.find(PUBLISH);
	if (world === undefined) return new Outlet<Sender>(texts, certificates, undefined);
	const access = {
		certificates,
		outputChanged: (failure: OutputFailure | undefined) =>
			failure === undefined ? events.note(works) : events.note(failed, failure.code),
	};
	return new Outlet(texts, certificates, options.open(world, access));
}
