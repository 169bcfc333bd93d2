/**
 * Permit for an outgoing TLS connection: besides those of its own server, the chip has memory for only one. Permits are
 * granted in the order of the requests. A long-lived connection returns its permit when a short-lived one needs it.
 */
import { takeOut } from "../bytes/list.js";

export interface PermitHolder {
	/**
	 * The permit is granted. Called inside another client's `giveBack`, possibly inside its `ask`: continue in a task of
	 * the driver, because both call chains together do not fit on the chip's stack.
	 */
	permitGiven(): void;
	/**
	 * Another client waits: call `giveBack` within seconds, as soon as no data would be lost. Called inside the other's
	 * `ask`.
	 */
	permitWanted(): void;
}

export class TLSPermit {
	#holder: PermitHolder | undefined;
	/** At most one entry per output. */
	readonly #waiting: PermitHolder[] = [];

	/** Requests the permit. Returns true if it is granted now; otherwise `permitGiven` follows. A second call has no effect. */
	ask(holder: PermitHolder): boolean {
		this.#holder ??= holder;
		if (this.#holder === holder) return true;
		if (!this.#waiting.includes(holder)) this.#waiting.push(holder);
		this.#holder.permitWanted();
		return false;
	}

	isHeldBy(holder: PermitHolder): boolean {
		return this.#holder === holder;
	}

	/** Returns the permit or withdraws the request; does nothing without either. */
	giveBack(holder: PermitHolder): void {
		takeOut(this.#waiting, this.#waiting.indexOf(holder));
		if (this.#holder !== holder) return;
		this.#holder = takeOut(this.#waiting, 0);
		const next = this.#holder;
		next?.permitGiven();
		if (next !== undefined && this.#waiting.length > 0) next.permitWanted();
	}
}
