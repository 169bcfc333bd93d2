/**
 * Virtual time that follows the computer's clock, several times as fast if wished, so that gateways of the virtual world
 * can use real sockets. It stands still until `pace` is called.
 */
import { VirtualTime } from "../../hosts/node/virtual-time.js";

const TICK_MS = 5;

export class PacedTime extends VirtualTime {
	/** Longest delay of a tick, in the computer's time: the processes have too much to do. */
	lateMs = 0;
	#speed = 0;
	/** Virtual time and the computer's time at the last change of speed. */
	#baseMs = 0;
	#sinceMs = 0;
	#tickedMs = 0;
	#ticks: NodeJS.Timeout | undefined;
	#isSoon = false;

	pace(speed: number): void {
		if (this.#ticks !== undefined) this.#tick();
		this.#speed = speed;
		this.#baseMs = this.nowMs;
		this.#sinceMs = this.#tickedMs = performance.now();
		this.#ticks ??= setInterval(() => this.#tick(), TICK_MS);
	}

	stop(): void {
		clearInterval(this.#ticks);
		this.#ticks = undefined;
	}

	override at(timeMs: number, run: () => void): number {
		// What a socket's event has made due does not wait for the next tick.
		if (timeMs <= this.nowMs && this.#ticks !== undefined && !this.#isSoon) {
			this.#isSoon = true;
			setImmediate(() => {
				this.#isSoon = false;
				if (this.#ticks !== undefined) this.#tick();
			});
		}
		return super.at(timeMs, run);
	}

	#tick(): void {
		const nowMs = performance.now();
		this.lateMs = Math.max(this.lateMs, nowMs - this.#tickedMs - TICK_MS);
		this.#tickedMs = nowMs;
		this.run(this.#baseMs + (nowMs - this.#sinceMs) * this.#speed);
	}
}
