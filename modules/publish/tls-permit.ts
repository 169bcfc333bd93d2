/**
 * The permit for an outgoing TLS connection: the chip has memory for one beside those of its own server. Permits are given
 * in the order of asking. A connection that lasts lends its permit to one that is soon over.
 */
import { takeOut } from "../bytes/list.js";

export interface PermitHolder {
	/**
	 * It has the permit now. Called inside another's `giveBack`, maybe inside its own `ask`: go on in a turn of the driver,
	 * since the two do not fit on the chip's stack together.
	 */
	permitGiven(): void;
	/** Another waits: `giveBack` when that does no harm, within seconds. Called inside the other's `ask`. */
	permitWanted(): void;
}

export class TLSPermit {
	#holder: PermitHolder | undefined;
	/** At most as many as there are outputs. */
	readonly #waiting: PermitHolder[] = [];

	/** True: it has the permit now. False: it will be told. Asking twice changes nothing. */
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

	/** Also for one that still waits, or has never asked. */
	giveBack(holder: PermitHolder): void {
		takeOut(this.#waiting, this.#waiting.indexOf(holder));
		if (this.#holder !== holder) return;
		this.#holder = takeOut(this.#waiting, 0);
		const next = this.#holder;
		next?.permitGiven();
		if (next !== undefined && this.#waiting.length > 0) next.permitWanted();
	}
}
