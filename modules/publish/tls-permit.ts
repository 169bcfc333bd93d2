/**
 * Permit for an outgoing TLS connection: besides the server's own, the chip has memory for one. Permits are granted in
 * order of request; a long-lived connection returns its permit for a short-lived one.
 */
import { takeOut } from "../bytes/list.js";

export interface PermitClient {
	/**
	 * Called inside another client's `release` or `request`: continue in a task of the driver, because both call chains
	 * do not fit on the chip's stack.
	 */
	permitGranted(): void;
	/** Another client waits: call `release` within seconds, without losing data. Called inside the other's `request`. */
	permitRequested(): void;
}

export class TLSPermit {
	#holder: PermitClient | undefined;
	readonly #waiting: PermitClient[] = [];

	/** Returns true if the permit is granted now; otherwise `permitGranted` follows. A second call has no effect. */
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

	/** Returns the permit or withdraws the request, if any. */
	release(holder: PermitClient): void {
		takeOut(this.#waiting, this.#waiting.indexOf(holder));
		if (this.#holder !== holder) return;
		this.#holder = takeOut(this.#waiting, 0);
		const next = this.#holder;
		next?.permitGranted();
		if (next !== undefined && this.#waiting.length > 0) next.permitRequested();
	}
}
