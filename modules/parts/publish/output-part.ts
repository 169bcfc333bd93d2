/** Base of the parts that send readouts to a server. It owns the trusted certificates and the sender. */

import type { SettingField } from "../../config/schema.js";
import { TrustedCertificates } from "../../config/trusted-certificates.js";
import type { Core, Running } from "../../core/core.js";
import type { EventKind } from "../../diagnostics/events.js";
import type { OutputFailure } from "../../publish/connect-failures.js";
import type { Output, OutputAccess, OutputDeps, SendTest } from "../../publish/output.js";
import type { Readout } from "../../readout/readout.js";
import { PUBLISH } from "./part.js";

/** Sender of a part. The part passes on what the events of the core say. */
export interface Sending {
	readonly output: Output;
	/** True while data are waiting to be sent. */
	readonly isSending: boolean;
	measured(readout: Readout): void;
	meterFailed(): void;
	updateChanged?(): void;
	networkChanged(isUp: boolean): void;
	stop(): void;
	test(test: SendTest): boolean;
	cancel(test: SendTest): void;
	settingsChanged(): void;
}

export interface OutputPartTexts {
	readonly enabled: SettingField<boolean>;
	/** Error code of requests to an output that is disabled. */
	readonly disabled: string;
	readonly name: string;
	readonly taken: string;
	readonly hasStatus: boolean;
}

export class OutputPart<Sender extends Sending> implements Running {
	/** Trusted certificates of the server. They exist in safe mode too, because the settings need them. */
	readonly certificates: TrustedCertificates;
	/** Undefined in safe mode, and on hosts that have no outgoing connections. */
	readonly sender: Sender | undefined;
	readonly texts: OutputPartTexts;
	readonly #forget: (() => void) | undefined;

	constructor(
		texts: OutputPartTexts,
		certificates: TrustedCertificates,
		sender: Sender | undefined,
		forget: (() => void) | undefined,
	) {
		this.texts = texts;
		this.certificates = certificates;
		this.sender = sender;
		this.#forget = forget;
	}

	get isSending(): boolean {
		return this.sender?.isSending === true;
	}

	whenMeasured(readout: Readout): void {
		this.sender?.measured(readout);
	}

	whenMeterFailed(): void {
		this.sender?.meterFailed();
	}

	whenUpdateChanged(): void {
		this.sender?.updateChanged?.();
	}

	whenNetworkChanged(isUp: boolean): void {
		this.sender?.networkChanged(isUp);
	}

	whenErasing(): void {
		this.sender?.stop();
		this.certificates.blobs.sweep([], true);
		this.#forget?.();
	}

	whenStopping(): void {
		this.sender?.stop();
	}
}

export interface OutputPartOptions<Sender extends Sending> {
	readonly texts: OutputPartTexts;
	/**
	 * Setting that refers to the stored certificates. `limit`: their maximum length in bytes; `keys`: prefix of their
	 * keys in flash.
	 */
	readonly certificate: SettingField<Uint8Array>;
	readonly limit: number;
	readonly keys: string;
	readonly failed: EventKind;
	readonly works: EventKind;
	/** Implementation of `borrowIdentity` in OutputAccess. */
	borrowIdentity?: NonNullable<OutputAccess["borrowIdentity"]>;
	forget?(): void;
	open(deps: OutputDeps, access: OutputAccess): Sender;
}

export function openOutputPart<Sender extends Sending>(
	core: Core,
	options: OutputPartOptions<Sender>,
): OutputPart<Sender> {
	const { config, events, ledger, storage } = core;
	const { borrowIdentity, certificate, failed, forget, keys, limit, texts, works } = options;
	const place = { store: config, storage, memory: ledger };
	const certificates = new TrustedCertificates(place, certificate, keys, limit);
	const deps = core.find(PUBLISH);
	if (deps === undefined) return new OutputPart<Sender>(texts, certificates, undefined, forget);
	const access = {
		certificates,
		...(borrowIdentity && { borrowIdentity }),
		outputChanged: (failure: OutputFailure | undefined) =>
			failure === undefined ? events.note(works) : events.note(failed, failure.code),
	};
	return new OutputPart(texts, certificates, options.open(deps, access), forget);
}
