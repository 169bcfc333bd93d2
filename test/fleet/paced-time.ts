/**
 * Virtual time that follows the computer's clock, several times as fast if wished, so that gateways of the virtual world
 * can use real sockets. It stands still until `pace` is called. If the computer has too much to do, this time falls
 * behind, so that the gateways do not take a slow simulation for a slow server.
 */
import { VirtualTime } from "../../hosts/node/virtual-time.js";

const TICK_MS = 5;
/** Longest step of this time. */
const STEP_LIMIT_MS = 500;

export class PacedTime extends VirtualTime {
	#speed = 0;
	/** The computer's time of the last tick. */
	#tickedMs = 0;
	#ticks: NodeJS.Timeout | undefined;
	#isSoon = false;

	pace(speed: number): void {
		this.#speed = speed;
		this.#tickedMs = performance.now();
		this.#ticks ??= setInterval(() => this.#tick(), TICK_MS);
	}

	override at(timeMs: number, run: () => void): number {
		// What a socket's event has made due does not wait for the next tick.
		if (timeMs <= this.nowMs && this.#ticks !== undefined && !this.#isSoon) {
			this.#isSoon = true;
			setImmediate(() => this.#tick());
		}
		return super.at(timeMs, run);
	}

	#tick(): void {
		this.#isSoon = false;
		const nowMs = performance.now();
		const stepMs = (nowMs - this.#tickedMs) * this.#speed;
		this.#tickedMs = nowMs;
		this.advance(Math.min(stepMs, STEP_LIMIT_MS));
	}
}
