/**
 * The turn to have an outgoing TLS connection: the chip has the memory for one beside those of its own server. Who wants
 * one asks first, in the order of asking. A connection that lasts (MQTT) lends its turn to one that is over soon.
 */
import { takeOut } from "../bytes/list.js";

export interface TurnHolder {
	/**
	 * It is this one's turn. Called inside another's `giveBack`, maybe inside its own `ask`: go on in a turn of the driver,
	 * since the two do not fit on the chip's stack together.
	 */
	turnGiven(): void;
	/** Another waits: `giveBack` when that does no harm, within seconds. Called inside the other's `ask`. */
	turnWanted(): void;
}

export class Turn {
	#holder: TurnHolder | undefined;
	/** At most as many as there are outputs. */
	readonly #waiting: TurnHolder[] = [];

	/** True: it is this one's turn now. False: it will be told. Asking twice changes nothing. */
	ask(who: TurnHolder): boolean {
		this.#holder ??= who;
		if (this.#holder === who) return true;
		if (!this.#waiting.includes(who)) this.#waiting.push(who);
		this.#holder.turnWanted();
		return false;
	}

	/** Whether it is this one's turn. */
	isOf(who: TurnHolder): boolean {
		return this.#holder === who;
	}

	/** Also of one that waits, or has no turn at all. */
	giveBack(who: TurnHolder): void {
		takeOut(this.#waiting, this.#waiting.indexOf(who));
		if (this.#holder !== who) return;
		this.#holder = takeOut(this.#waiting, 0);
		const next = this.#holder;
		next?.turnGiven();
		if (next !== undefined && this.#waiting.length > 0) next.turnWanted();
	}
}
