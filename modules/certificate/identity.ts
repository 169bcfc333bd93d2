/**
 * TLS identity of the device: the certificate installed by the user, or a self-signed one that the device generates:
 * P-256, for `hostname`, `hostname.local`, the access point's address and the address in its network, valid for ten
 * years. It is renewed, with the same key, when the hostname or the address changes, and when the current time is
 * outside its validity period (before its start if the clock was wrong). For gateway.ts.
 *
 * An installed certificate is on trial until a first handshake with the device's own client has succeeded. A
 * certificate that cannot be served is discarded, because the device would be unreachable.
 */
import { ACCESS_POINT_ADDRESS } from "../bytes/ipv4.js";
import type { ConfigStore } from "../config/store.js";
import type { Running } from "../core/core.js";
import type { CertificatePair, Crypto } from "../io/crypto.js";
import { type Clock, type HostInfo, OUT_OF_MEMORY, type Storage } from "../io/host.js";
import { InstalledCertificate, OwnCertificate } from "./certificates.js";

const DAY_MS = 86_400_000;
/** Ten years, three of them leap years. The start of the validity period is derived from its stored end. */
const VALID_MS = 3653 * DAY_MS;

export interface IdentityWorld {
	readonly storage: Storage;
	readonly crypto: Crypto;
	readonly clock: Clock;
	readonly info: HostInfo;
	guard(part: string, run: () => void): void;
	trace(message: string): void;
}

/** Open TLS port (http/server.ts); the methods are those of Listener. */
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

	/** Deletes all certificates and keys, for a factory reset. */
	erase(): void {
		this.own.blobs.sweep([], true);
		this.installed.blobs.sweep([], true);
	}

	/**
	 * Returns the device's own certificate for this hostname and address ("": any). Generates it if there is none or it
	 * is not valid now.
	 */
	ownPair(hostname: string, address = ""): CertificatePair {
		const file = this.own.read();
		if (file === undefined || !this.isFor(hostname, address)) return this.make(hostname, address, file);
		return { certificate: file, key: file };
	}

	/** Makes `target`, which currently serves the device's own certificate, serve the installed one if there is one. */
	serveInstalled(target: IdentityTarget, hostname: string): void {
		if (!this.installed.isThere) return;
		try {
			const file = this.installed.read();
			if (file === undefined) throw new Error("the installed certificate is damaged in flash");
			target.setIdentity({ certificate: file, key: file });
		} catch (error) {
			this.giveUp(error instanceof Error ? error.message : String(error));
			// The recursion ends: each call removes one installed certificate.
			this.serveInstalled(target, hostname);
			return;
		}
		if (!this.installed.onTrial) return;
		target.testIdentity((problem) => {
			this.#world.guard("tls", () => {
				if (problem === "") this.installed.keep();
				// The trial is repeated at the next start.
				else if (problem === OUT_OF_MEMORY) this.#world.trace(`tls: ${problem}`);
				else {
					// Comes first, because flash may refuse to discard the unusable certificate.
					target.setIdentity(this.ownPair(hostname));
					this.giveUp(problem);
					this.serveInstalled(target, hostname);
				}
			});
		});
	}

	/**
	 * Returns whether the device's own certificate is served and does not match the name, the address or the current
	 * time.
	 */
	isOutdated(hostname: string, address: string): boolean {
		return !this.installed.isThere && !this.isFor(hostname, address);
	}

	/** Renews the own certificate if it does not match the hostname, the address or the current time. */
	renew(target: IdentityTarget, hostname: string, address: string): void {
		if (this.isFor(hostname, address)) return;
		const pair = this.ownPair(hostname, address);
		if (!this.installed.isThere) target.setIdentity(pair);
	}

	/** Returns whether the own certificate matches this name and address and is valid now. */
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

	/** Generates a certificate; `file` is the previous one, whose key is reused. */
	private make(hostname: string, wanted: string, file: Uint8Array | undefined): CertificatePair {
		const { crypto, clock, info, guard } = this.#world;
		const nowMs = clock.utcMs();
		// Starts a day early, for browsers whose clock is slightly slow.
		const validFromMs = nowMs === undefined ? info.builtUtcMs : nowMs - DAY_MS;
		const validToMs = validFromMs + VALID_MS;
		// Outside a network, keeps the last address, which the device is likely to get again.
		const address = wanted || this.own.address;
		const names = [hostname, `${hostname}.local`, ACCESS_POINT_ADDRESS];
		if (address !== "") names.push(address);
		const { certificate, key } = crypto.makeCertificate({ names, validFromMs, validToMs, key: file });
		const made = new Uint8Array(certificate.length + key.length);
		made.set(certificate);
		made.set(key, certificate.length);
		// A failed write is only logged: full flash must not make the device unreachable.
		guard("tls", () => this.own.renew(made, { hostname, address, untilMs: validToMs }));
		return { certificate: made, key: made };
	}
}
