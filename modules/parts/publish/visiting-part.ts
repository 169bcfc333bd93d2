/**
 * Base of the parts that visit a server if their settings require it. It owns the trusted certificates and the visits.
 */
import type { SettingField } from "../../config/schema.js";
import { CERTIFICATE_LIMIT, TrustedCertificates } from "../../config/trusted-certificates.js";
import type { Core, Running } from "../../core/core.js";
import type { OutputFailure } from "../../publish/connect-failures.js";
import type { OutputAccess, OutputDeps } from "../../publish/output.js";
import type { Visits } from "../../publish/visits.js";
import { PUBLISH } from "./part.js";

export abstract class VisitingPart<Kind extends Pick<Visits<never>, "output" | "result" | "stop">>
	implements OutputAccess, Running
{
	protected readonly core: Core;
	/** Undefined as long as there are no visits. */
	protected visits: Kind | undefined;
	readonly #certificate: SettingField<Uint8Array>;
	#certificates: TrustedCertificates | undefined;

	/**
	 * `certificate`: setting that refers to the trusted certificates. The keys of these certificates in flash begin with
	 * the first four letters of the key of the setting's entry.
	 */
	constructor(core: Core, certificate: SettingField<Uint8Array>) {
		this.core = core;
		this.#certificate = certificate;
	}

	abstract outputChanged(failure: OutputFailure | undefined): void;

	/** Creates the visits. Returns undefined if the settings, the firmware or the host do not permit visits. */
	protected abstract open(deps: OutputDeps, isStart: boolean): Kind | undefined;

	/** Time of the last visit that succeeded, Unix ms; 0 if there was none, or if the clock was not set. */
	get visitedUtcMs(): number {
		return this.visits?.output.sentUtcMs ?? 0;
	}

	/** `off`, or `result` of the visits. */
	get result(): string {
		return this.visits?.result ?? "off";
	}

	/** Created when they are first needed, because most gateways need none. */
	get certificates(): TrustedCertificates {
		const { config, ledger, storage } = this.core;
		const field = this.#certificate;
		const name = `${config.entries[field.entry].key.slice(0, 4)}_cert`;
		const place = { store: config, storage, memory: ledger };
		this.#certificates ??= new TrustedCertificates(place, field, name, CERTIFICATE_LIMIT);
		return this.#certificates;
	}

	/** Restarts the visits. The owner may also save unchanged settings, to cause an immediate visit. */
	settingsChanged(): void {
		this.visits?.stop();
		this.start(false);
		this.core.live.changed();
	}

	whenErasing(): void {
		this.whenStopping();
		this.certificates.blobs.sweep([], true);
	}

	whenStopping(): void {
		this.visits?.stop();
	}

	protected start(isStart: boolean): void {
		const deps = this.core.find(PUBLISH);
		this.visits = deps && this.open(deps, isStart);
	}
}
