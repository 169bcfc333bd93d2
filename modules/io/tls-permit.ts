/**
 * Permit for an outgoing TLS connection. Besides the connections of its server, the chip has memory for one. The permit
 * is granted in the order of the requests. The client of a long-lived connection returns the permit when another client
 * requests it.
 */
import { removeAt } from "../bytes/list.js";

export interface PermitClient {
	/**
	 * The permit was granted. This is often called inside `release` or `request` of another client, and both call chains
	 * together would exceed the chip's stack. So continue in a task of the driver.
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

	/** Returns the permit, or withdraws the request for it. */
	release(holder: PermitClient): void {
		removeAt(this.#waiting, this.#waiting.indexOf(holder));
		if (this.#holder !== holder) return;
		this.#holder = removeAt(this.#waiting, 0);
		const next = this.#holder;
		next?.permitGranted();
		if (next !== undefined && this.#waiting.length > 0) next.permitRequested();
	}
}
