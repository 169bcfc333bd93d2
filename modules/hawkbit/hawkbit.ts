/** Running part: it polls while the settings enable it. */
import { TrustedCertificates } from "../config/trusted-certificates.js";
import type { Core, Running } from "../core/core.js";
import { UPDATE } from "../ota/part.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import type { OutputAccess } from "../publish/output.js";
import { PUBLISH } from "../publish/part.js";
import { HAWKBIT_CERTIFICATE, HAWKBIT_CERTIFICATE_LIMIT, HAWKBIT_ENABLED } from "./fields.js";
import { EVENT_HAWKBIT_BACK, EVENT_HAWKBIT_FAILED } from "./log-events.js";
import { ACTION_KEY } from "./record.js";
import { Rollout, SETTLE_MS } from "./rollout.js";

/** First poll after the start, later than a trial's first check (ota/trial.ts). */
const FIRST_MS = 65_000;
/** Largest random addition, so that a site's gateways do not poll at once after a power cut. */
const SPREAD_MS = 60_000;

export class Hawkbit implements OutputAccess, Running {
	readonly #core: Core;
	/** Defined while enabled. */
	#rollout: Rollout | undefined;
	#certificates: TrustedCertificates | undefined;

	constructor(core: Core) {
		this.#core = core;
		this.open(FIRST_MS + (SPREAD_MS * core.crypto.random(1)[0]) / 255);
	}

	/** `off`, `waiting` (no poll yet), `ok`, `unsupported`, or the code of the last failure. */
	get state(): string {
		if (!this.#core.config.get(HAWKBIT_ENABLED)) return "off";
		if (this.#rollout === undefined) return "unsupported";
		return this.#rollout.output.failure?.code ?? (this.polledUtcMs > 0 ? "ok" : "waiting");
	}

	/** Last poll that succeeded, Unix ms; 0 without one, or if the clock was not set. */
	get polledUtcMs(): number {
		return this.#rollout?.output.sentUtcMs ?? 0;
	}

	/** Most units need none. */
	get certificates(): TrustedCertificates {
		const { config, ledger, storage } = this.#core;
		const place = { store: config, storage, memory: ledger };
		this.#certificates ??= new TrustedCertificates(place, HAWKBIT_CERTIFICATE, "hawk_cert", HAWKBIT_CERTIFICATE_LIMIT);
		return this.#certificates;
	}

	/** The owner may also save them again to poll at once. */
	settingsChanged(): void {
		this.stop();
		this.open(SETTLE_MS);
		this.#core.live.changed();
	}

	outputChanged(failure: OutputFailure | undefined): void {
		const { events } = this.#core;
		if (failure === undefined) events.note(EVENT_HAWKBIT_BACK);
		else events.note(EVENT_HAWKBIT_FAILED, failure.code);
	}

	erase(): void {
		this.certificates.blobs.sweep([], true);
		this.#core.storage.delete(ACTION_KEY);
	}

	stop(): void {
		this.#rollout?.stop();
		this.#rollout = undefined;
	}

	private open(leastMs: number): void {
		const core = this.#core;
		const deps = core.find(PUBLISH);
		if (deps === undefined || core.find(UPDATE)?.notice === undefined) return;
		if (core.config.get(HAWKBIT_ENABLED)) this.#rollout = new Rollout(core, deps, this, leastMs);
	}
}
