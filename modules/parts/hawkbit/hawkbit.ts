/** Running part. It polls the server while the settings enable this. */

import type { Core } from "../../core/core.js";
import { kind } from "../../diagnostics/events.js";
import { ACTION_KEY } from "../../hawkbit/record.js";
import type { OutputFailure } from "../../publish/connect-failures.js";
import type { OutputDeps } from "../../publish/output.js";
import { VisitingPart } from "../publish/visiting-part.js";
import { UPDATE } from "../update/part.js";
import { HAWKBIT_CERTIFICATE, HAWKBIT_ENABLED } from "./fields.js";
import { Rollout } from "./rollout.js";

/** A poll has failed for the first time after a success. Detail: code of the failure. */
export const EVENT_HAWKBIT_FAILED = kind(38, "hawkbit_failed", { isPlain: true });
/** A poll has succeeded for the first time after a failure. */
export const EVENT_HAWKBIT_BACK = kind(39, "hawkbit_back");

export const HAWKBIT_EVENTS = Object.freeze([EVENT_HAWKBIT_FAILED, EVENT_HAWKBIT_BACK]);

export class Hawkbit extends VisitingPart<Rollout> {
	constructor(core: Core) {
		super(core, HAWKBIT_CERTIFICATE);
		this.start(true);
	}

	/** `off`, `waiting` (no poll yet), `ok`, `unsupported`, or the code of the last failure. */
	get state(): string {
		const isMissing = this.visits === undefined && this.core.config.get(HAWKBIT_ENABLED);
		return isMissing ? "unsupported" : this.result;
	}

	outputChanged(failure: OutputFailure | undefined): void {
		const { events } = this.core;
		if (failure === undefined) events.note(EVENT_HAWKBIT_BACK);
		else events.note(EVENT_HAWKBIT_FAILED, failure.code);
	}

	override whenErasing(): void {
		super.whenErasing();
		this.core.storage.delete(ACTION_KEY);
	}

	protected open(deps: OutputDeps, isStart: boolean): Rollout | undefined {
		const { core } = this;
		const canInstall = core.find(UPDATE)?.notice !== undefined;
		return canInstall && core.config.get(HAWKBIT_ENABLED) ? new Rollout(core, deps, this, isStart) : undefined;
	}
}
