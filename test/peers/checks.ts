/** Runs the cases of peers, and reports each. A peer with a case that hangs or fails is tried once more. */
import { childrenOf } from "../second-attempts.js";
import { PeerMissing } from "./peer.js";
import { type PeerProgram, versionsOf } from "./versions.js";

export interface Peer<T> {
	readonly name: string;
	/** Programs of others whose versions are reported. */
	readonly programs?: readonly PeerProgram[];
	readonly prepare: () => Promise<T>;
	readonly cases: readonly { readonly name: string; run(prepared: T): Promise<void> }[];
	readonly end?: (prepared: T) => Promise<void>;
}

/** Limits of a peer's preparation, of each of its cases, and of its end, ms. */
export interface Limits {
	readonly prepare: number;
	readonly run: number;
	readonly end: number;
}

/** The longest case and the longest preparation, which installs Home Assistant, take two minutes here. */
const LIMITS: Limits = { prepare: 600_000, run: 360_000, end: 120_000 };

/** Work that has not ended within its limit, and may never end. */
class Hangs extends Error {
	override readonly name = "Hangs";
}

/** Awaits work, and throws Hangs after its limit. */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Hangs(`not done in ${limitMs / 1000} s`)), limitMs);
	});
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}

export class Checks {
	readonly counts = { passed: 0, failed: 0, skipped: 0 };
	readonly #say: (line: string) => void;
	readonly #limits: Limits;

	constructor(say: (line: string) => void, limits = LIMITS) {
		this.#say = say;
		this.#limits = limits;
	}

	/**
	 * Runs the cases of a peer. If one hangs or fails, prepares the peer once more and runs all its cases again: foreign
	 * programs have time limits of their own, which a busy computer exceeds. The output names the cases.
	 */
	async run<T>(peer: Peer<T>): Promise<void> {
		const reported = new Set<string>();
		try {
			if (await this.#runOnce(peer, reported, "second attempt")) return;
		} catch (error) {
			this.#say(`${(error as Error).message}. It is tried once more. These programs run:`);
			for (const program of childrenOf(process.pid)) this.#say(`\t${program}`);
		}
		await this.#runOnce(peer, reported, "failed").catch((again: Error) => this.#report("failed", again.message));
	}

	#report(outcome: keyof Checks["counts"], text: string, count = 1): void {
		this.counts[outcome] += count;
		this.#say(`${outcome}  ${text}`);
	}

	/**
	 * Reports each case that is not in `reported`, and adds it. A failure is reported as `failed`, or is printed with the words
	 * "second attempt". Returns false if there is such a failure. Throws Hangs.
	 */
	async #runOnce<T>(
		{ name, programs, prepare, cases, end }: Peer<T>,
		reported: Set<string>,
		failure: "second attempt" | "failed",
	): Promise<boolean> {
		let isDone = true;
		const fail = (text: string) => {
			if (failure === "failed") this.#report(failure, text);
			else this.#say(`${failure}: ${text}`);
			isDone &&= failure === "failed";
		};
		let prepared: T;
		try {
			prepared = await within(this.#limits.prepare, prepare());
		} catch (error) {
			if (error instanceof Hangs) throw new Hangs(`${name}, its preparation: ${error.message}`);
			// A peer that has run once is there, so its failures are not taken back.
			if (error instanceof PeerMissing && failure !== "failed")
				this.#report("skipped", `${name}, ${cases.length} cases: ${error.message}`, cases.length);
			else fail(`${name} could not be prepared: ${(error as Error).message}`);
			return isDone;
		}
		if (programs !== undefined && reported.size === 0) this.#say(`runs    ${name}: ${await versionsOf(programs)}`);
		let hanging: Hangs | undefined;
		for (const one of cases) {
			const text = `${name}: ${one.name}`;
			const error = await within(this.#limits.run, one.run(prepared)).then(
				() => undefined,
				(reason: Error) => reason,
			);
			if (error instanceof Hangs) {
				hanging = new Hangs(`${text}: ${error.message}`);
				break;
			}
			if (reported.has(one.name)) continue;
			if (error === undefined) this.#report("passed", text);
			else if (error instanceof PeerMissing) this.#report("skipped", `${text}: ${error.message}`);
			else {
				fail(`${text}\n${error.message}`);
				continue;
			}
			reported.add(one.name);
		}
		try {
			if (end !== undefined) await within(this.#limits.end, end(prepared));
		} catch (error) {
			// After a case that hangs, its programs may not end either.
			if (hanging === undefined) fail(`${name} could not be ended: ${(error as Error).message}`);
		}
		if (hanging !== undefined) throw hanging;
		return isDone;
	}
}
