/**
 * What the device shows of itself by TLS (decision 42): the certificate that its owner has installed, or its own, which
 * it makes by itself: P-256, for `hostname` and `hostname.local`, ten years, made anew when the hostname changes or its
 * time is over. For gateway.ts.
 *
 * An installed certificate is on trial until a first handshake with it, the device's own client being the other side,
 * has gone well. One that can't be served is given up: a device that nobody can reach helps nobody.
 */
import { InstalledCertificate, OwnCertificate } from "../config/certificates.js";
import type { ConfigStore } from "../config/store.js";
import {
	type CertificatePair,
	type Clock,
	type Crypto,
	type HostInfo,
	OUT_OF_MEMORY,
	type Storage,
} from "../io/host.js";

const VALID_YEARS = 10;
const DAY_MS = 86_400_000;

export interface IdentityWorld {
	readonly storage: Storage;
	readonly crypto: Crypto;
	readonly clock: Clock;
	readonly info: HostInfo;
	guard(part: string, run: () => void): void;
	trace(message: string): void;
}

/** The TLS port that is open (http/server.ts); both as those of Listener. */
export interface IdentityTarget {
	setIdentity(pair: CertificatePair): void;
	testIdentity(done: (problem: string) => void): void;
}

export class Identity {
	readonly installed: InstalledCertificate;
	readonly own: OwnCertificate;
	readonly #world: IdentityWorld;

	constructor(world: IdentityWorld, config: ConfigStore) {
		this.#world = world;
		this.installed = new InstalledCertificate(config, world.storage);
		this.own = new OwnCertificate(config, world.storage);
	}

	/** The device's own for this name, made if there is none or its time is over. */
	ownPair(hostname: string): CertificatePair {
		const file = this.isFor(hostname) ? this.own.read() : undefined;
		return file === undefined ? this.make(hostname) : { certificate: file, key: file };
	}

	/** Gives `target`, which shows the device's own, the installed one if there is one. */
	serveInstalled(target: IdentityTarget, hostname: string): void {
		if (!this.installed.isThere) return;
		try {
			const file = this.installed.read();
			if (file === undefined) throw new Error("the installed certificate is damaged in flash");
			target.setIdentity({ certificate: file, key: file });
		} catch (error) {
			this.giveUp(error instanceof Error ? error.message : String(error));
			// Once: it is another one, or none.
			this.serveInstalled(target, hostname);
			return;
		}
		if (!this.installed.onTrial) return;
		target.testIdentity((problem) => {
			this.#world.guard("tls", () => {
				if (problem === "") this.installed.keep();
				// It is on trial at the next start as well.
				else if (problem === OUT_OF_MEMORY) this.#world.trace(`tls: ${problem}`);
				else {
					// First, since flash may refuse to forget the one that nobody can use.
					target.setIdentity(this.ownPair(hostname));
					this.giveUp(problem);
					this.serveInstalled(target, hostname);
				}
			});
		});
	}

	/** The hostname or the time may have changed. */
	renew(target: IdentityTarget, hostname: string): void {
		if (this.isFor(hostname)) return;
		const pair = this.ownPair(hostname);
		if (!this.installed.isThere) target.setIdentity(pair);
	}

	/** The device's own is for this name, and good at this time. */
	private isFor(hostname: string): boolean {
		const nowMs = this.#world.clock.utcMs();
		return this.own.hostname === hostname && (nowMs === undefined || nowMs < this.own.untilMs);
	}

	private giveUp(reason: string): void {
		this.#world.trace(`tls: ${reason}`);
		this.installed.giveUp(reason);
	}

	private make(hostname: string): CertificatePair {
		const { crypto, clock, info, guard } = this.#world;
		const nowMs = clock.utcMs();
		// A day early, for browsers whose clock is a little behind.
		const from = new Date(nowMs === undefined ? info.builtUtcMs : nowMs - DAY_MS);
		const to = new Date(from.getTime());
		to.setUTCFullYear(to.getUTCFullYear() + VALID_YEARS);
		const names = [hostname, `${hostname}.local`];
		const pair = crypto.makeCertificate({ names, validFromMs: from.getTime(), validToMs: to.getTime() });
		const file = new Uint8Array(pair.certificate.length + pair.key.length);
		file.set(pair.certificate);
		file.set(pair.key, pair.certificate.length);
		// Flash that is full must not keep the device from being reached.
		guard("tls", () => this.own.replace(file, hostname, to.getTime()));
		return { certificate: file, key: file };
	}
}
