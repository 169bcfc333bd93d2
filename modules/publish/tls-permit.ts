/**
 * Permit for an outgoing TLS connection: the chip has memory for one, in addition to the server's own. Permits are
 * granted in order of request; a long-lived connection returns its permit for a short-lived one.
 */
import { removeAt } from "../bytes/list.js";

export interface PermitClient {
	/**
	 * Often called inside `release` or `request` of another client. Continue in a task of the driver, because the two
	 * call chains together do not fit on the chip's stack.
	 */
	permitGranted(): void;
	/** Another client requests the permit. Call `release` within seconds, without losing data. */
	permitRequested(): void;
}

export class TLSPermit {
	#holder: PermitClient | undefined;
	readonly #waiting: PermitClient[] = [];

	/** Returns true if the permit is granted. Otherwise `permitGranted` is called later. A second call has no effect. */
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

	/** Returns the permit, or withdraws a request. */
	release(holder: PermitClient): void {
		removeAt(this.#waiting, this.#waiting.indexOf(holder));
		if (this.#holder !== holder) return;
		this.#holder = removeAt(this.#waiting, 0);
		const next = this.#holder;
		next?.permitGranted();
		if (next !== undefined && this.#waiting.length > 0) next.permitRequested();
	}
}
