/**
 * Base of the parts that send readouts to a server. It owns the trusted certificates. In safe mode, and on hosts that
 * have no outgoing connections, the part is this base alone: nothing is sent, but the settings need the certificates.
 */

import type { SettingField } from "../../config/schema.js";
import { TrustedCertificates } from "../../config/trusted-certificates.js";
import type { Core, Running } from "../../core/core.js";
import type { EventKind } from "../../diagnostics/events.js";
import type { OutputFailure } from "../../publish/connect-failures.js";
import type { Output, OutputAccess, SendTest } from "../../publish/output.js";

/** Part that can send. */
export interface Sending {
	readonly output: Output;
	test(test: SendTest): boolean;
	cancel(test: SendTest): void;
}

export interface OutputPartTexts {
	readonly enabled: SettingField<boolean>;
	/** Error code of requests to an output that is disabled. */
	readonly disabled: string;
	readonly name: string;
	readonly taken: string;
	readonly hasStatus: boolean;
}

export interface OutputPartOptions {
	readonly texts: OutputPartTexts;
	/**
	 * Setting that refers to the stored certificates. `limit`: their maximum length in bytes; `keys`: prefix of their
	 * keys in flash.
	 */
	readonly certificate: SettingField<Uint8Array>;
	readonly limit: number;
	readonly keys: string;
	/** Key of other data in flash, which a factory reset deletes too. */
	readonly progress?: string;
	readonly failed: EventKind;
	readonly works: EventKind;
}

export class OutputPart<Sender extends Sending> implements OutputAccess, Running {
	readonly certificates: TrustedCertificates;
	protected readonly core: Core;
	readonly #options: OutputPartOptions;

	constructor(core: Core, options: OutputPartOptions) {
		const { config, ledger, storage } = core;
		const { certificate, keys, limit } = options;
		const place = { store: config, storage, memory: ledger };
		this.certificates = new TrustedCertificates(place, certificate, keys, limit);
		this.core = core;
		this.#options = options;
	}

	/** The part itself if it can send; undefined in safe mode, and on hosts that have no outgoing connections. */
	get sender(): Sender | undefined {
		return undefined;
	}

	get texts(): OutputPartTexts {
		return this.#options.texts;
	}

	outputChanged(failure: OutputFailure | undefined): void {
		const { events } = this.core;
		const { failed, works } = this.#options;
		if (failure === undefined) events.note(works);
		else events.note(failed, failure.code);
	}

	whenErasing(): void {
		this.whenStopping();
		this.certificates.blobs.sweep([], true);
		const { progress } = this.#options;
		if (progress !== undefined) this.core.storage.delete(progress);
	}

	whenStopping(): void {}
}
