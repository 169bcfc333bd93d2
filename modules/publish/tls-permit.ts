/**
 * Permit for an outgoing TLS connection: besides those of its own server, the chip has memory for only one. Permits are
 * granted in the order of the requests. A long-lived connection returns its permit when a short-lived one needs it.
 */
import { takeOut } from "../bytes/list.js";

export interface PermitClient {
	/**
	 * The permit is granted. Called inside another client's `release`, possibly inside its `request`: continue in a task of
	 * the driver, because both call chains together do not fit on the chip's stack.
	 */
	permitGranted(): void;
	/**
	 * Another client waits: call `release` within seconds, as soon as no data would be lost. Called inside the other's
	 * `request`.
	 */
	permitRequested(): void;
}

export class TLSPermit {
	#holder: PermitClient | undefined;
	/** At most one entry per output. */
	readonly #waiting: PermitClient[] = [];

	/** Requests the permit. Returns true if it is granted now; otherwise `permitGranted` follows. A second call has no effect. */
	request(holder: PermitClient): boolean {
		this.#holder ??= holder;
		if (this.#holder === holder) return true;
		if (!this.#waiting.includes(holder)) this.#waiting.push(holder);
		this.#holder.permitRequested();
		return false;
	}

	isHeldBy(holder: PermitClient): boolean {
		return this.#holder === holder;
	}

	/** Returns the permit or withdraws the request; does nothing without either. */
	release(holder: PermitClient): void {
		takeOut(this.#waiting, this.#waiting.indexOf(holder));
		if (this.#holder !== holder) return;
		this.#holder = takeOut(this.#waiting, 0);
		const next = this.#holder;
		next?.permitGranted();
		if (next !== undefined && this.#waiting.length > 0) next.permitRequested();
	}
}
