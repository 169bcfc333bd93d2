/**
 * What the device shows of itself by TLS (decision 42): the certificate that its owner has installed, or its own, which
 * it makes by itself: P-256, for `hostname`, `hostname.local`, the access point's address and the one it has in its
 * network, ten years. It is made anew, with the same key, when the hostname or the address changes, when its time is over,
 * and when that has not begun, which is so after the clock was wrong. For gateway.ts.
 *
 * An installed certificate is on trial until a first handshake with it, the device's own client being the other side,
 * has gone well. One that can't be served is given up: a device that nobody can reach helps nobody.
 */
import { ACCESS_POINT_ADDRESS } from "../bytes/ipv4.js";
import type { ConfigStore } from "../config/store.js";
import type { Running } from "../core/core.js";
import type { CertificatePair, Crypto } from "../io/crypto.js";
import { type Clock, type HostInfo, OUT_OF_MEMORY, type Storage } from "../io/host.js";
import { InstalledCertificate, OwnCertificate } from "./certificates.js";

const DAY_MS = 86_400_000;
/** Ten years, three of them leap years: its beginning follows from its end, which is kept. */
const VALID_MS = 3653 * DAY_MS;

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

export class Identity implements Running {
	readonly installed: InstalledCertificate;
	readonly own: OwnCertificate;
	readonly #world: IdentityWorld;

	constructor(world: IdentityWorld, config: ConfigStore) {
		this.#world = world;
		this.installed = new InstalledCertificate(config, world.storage);
		this.own = new OwnCertificate(config, world.storage);
	}

	/** A factory reset. */
	erase(): void {
		this.own.blobs.sweep([], true);
		this.installed.blobs.sweep([], true);
	}

	/** The device's own for this name and address ("": any), made if there is none, or none that is good now. */
	ownPair(hostname: string, address = ""): CertificatePair {
		const file = this.own.read();
		if (file === undefined || !this.isFor(hostname, address)) return this.make(hostname, address, file);
		return { certificate: file, key: file };
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

	/** What is served is the device's own, and not for this name and address, or not good now. */
	isOutdated(hostname: string, address: string): boolean {
		return !this.installed.isThere && !this.isFor(hostname, address);
	}

	/** The hostname, the address or the time may have changed. */
	renew(target: IdentityTarget, hostname: string, address: string): void {
		if (this.isFor(hostname, address)) return;
		const pair = this.ownPair(hostname, address);
		if (!this.installed.isThere) target.setIdentity(pair);
	}

	/** The device's own is for this name and address, and good at this time. */
	private isFor(hostname: string, address: string): boolean {
		const { own } = this;
		if (own.hostname !== hostname || (address !== "" && own.address !== address)) return false;
		const nowMs = this.#world.clock.utcMs();
		return nowMs === undefined || (nowMs >= own.untilMs - VALID_MS && nowMs < own.untilMs);
	}

	private giveUp(reason: string): void {
		this.#world.trace(`tls: ${reason}`);
		this.installed.giveUp(reason);
	}

	/** `file` is the one before, whose key is kept. */
	private make(hostname: string, wanted: string, file: Uint8Array | undefined): CertificatePair {
		const { crypto, clock, info, guard } = this.#world;
		const nowMs = clock.utcMs();
		// A day early, for browsers whose clock is a little behind.
		const validFromMs = nowMs === undefined ? info.builtUtcMs : nowMs - DAY_MS;
		const validToMs = validFromMs + VALID_MS;
		// While it is in no network it will come back to the last one.
		const address = wanted || this.own.address;
		const names = [hostname, `${hostname}.local`, ACCESS_POINT_ADDRESS];
		if (address !== "") names.push(address);
		const { certificate, key } = crypto.makeCertificate({ names, validFromMs, validToMs, key: file });
		const made = new Uint8Array(certificate.length + key.length);
		made.set(certificate);
		made.set(key, certificate.length);
		// Flash that is full must not keep the device from being reached.
		guard("tls", () => this.own.renew(made, { hostname, address, untilMs: validToMs }));
		return { certificate: made, key: made };
	}
}
