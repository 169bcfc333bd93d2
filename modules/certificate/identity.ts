/**
 * TLS identity: the user's certificate, or a self-signed one. The self-signed one has a P-256 key. It is valid for ten
 * years, for `hostname`, `hostname.local`, the access point's address and the network address, and for use by servers
 * and clients. It is renewed, with the same key, when the hostname or the network address changes, when it is expired
 * or not yet valid, and by firmware that gives it another form.
 *
 * An installed certificate is on trial until a handshake with the device's own client succeeds. Otherwise it is
 * discarded.
 */
import { ACCESS_POINT_ADDRESS } from "../bytes/ipv4.js";
import type { BlobMemory, NO_MEMORY } from "../config/blob.js";
import type { ConfigStore } from "../config/store.js";
import type { Running } from "../core/core.js";
import type { CertificatePair, Crypto } from "../io/crypto.js";
import { type Clock, type HostInfo, OUT_OF_MEMORY, type Storage } from "../io/host.js";
import { MAKER, PRODUCT } from "../product.js";
import { InstalledCertificate, OwnCertificate } from "./certificates.js";

const DAY_MS = 86_400_000;
/** Ten years with three leap days. The start of validity is calculated from the stored end. */
const VALID_MS = 3653 * DAY_MS;
/**
 * Form of the device's own certificate; increase it when contents other than the names change. Form 0 was not for
 * clients and had no maker. The product's name was added later without a new form, because browsers warn of each new
 * certificate.
 */
const OWN_FORM = 1;

export interface IdentityDeps {
	readonly storage: Storage;
	readonly crypto: Crypto;
	readonly clock: Clock;
	readonly info: HostInfo;
	guard(part: string, run: () => void): void;
	trace(message: string): void;
}

/** TLS port: methods of Listener. */
export interface IdentityTarget {
	setIdentity(pair: CertificatePair): void;
	testIdentity(done: (problem: string) => void): void;
}

export class Identity implements Running {
	readonly installed: InstalledCertificate;
	readonly own: OwnCertificate;
	readonly #deps: IdentityDeps;

	constructor(deps: IdentityDeps, config: ConfigStore) {
		this.#deps = deps;
		this.installed = new InstalledCertificate(config, deps.storage);
		this.own = new OwnCertificate(config, deps.storage);
	}

	erase(): void {
		this.own.blobs.sweep([], true);
		this.installed.blobs.sweep([], true);
	}

	/** Generates a certificate if necessary; `address`: "" for any. */
	ownPair(hostname: string, address = ""): CertificatePair {
		const file = this.own.read();
		if (file === undefined || !this.isFor(hostname, address)) return this.make(hostname, address, file);
		return { certificate: file, key: file };
	}

	/** Returns the file that HTTPS shows (as InstalledCertificate.borrow). */
	borrow(ledger: BlobMemory): Uint8Array | typeof NO_MEMORY | undefined {
		return (this.installed.isThere ? this.installed : this.own).borrow(ledger);
	}

	serveInstalled(target: IdentityTarget, hostname: string): void {
		if (!this.installed.isThere) return;
		try {
			const file = this.installed.read();
			if (file === undefined) throw new Error("the installed certificate is damaged in flash");
			target.setIdentity({ certificate: file, key: file });
		} catch (error) {
			this.giveUp(error instanceof Error ? error.message : String(error));
			// Each call removes an installed certificate, so the recursion ends.
			this.serveInstalled(target, hostname);
			return;
		}
		if (!this.installed.onTrial) return;
		target.testIdentity((problem) => {
			this.#deps.guard("tls", () => {
				if (problem === "") this.installed.keep();
				// Nothing was tested; the next start repeats the trial.
				else if (problem === OUT_OF_MEMORY) this.#deps.trace(`tls: ${problem}`);
				else {
					// This comes first, because flash may refuse to discard the unusable certificate.
					target.setIdentity(this.ownPair(hostname));
					this.giveUp(problem);
					this.serveInstalled(target, hostname);
				}
			});
		});
	}

	announce(): void {
		const file = this.installed.read() ?? this.own.read();
		if (file === undefined) return;
		const { certificates } = this.#deps.crypto.readCertificates(file);
		if (certificates.length > 0) this.#deps.trace(`tls: SHA-256 ${certificates[0].fingerprint}`);
	}

	isOutdated(hostname: string, address: string): boolean {
		return !this.installed.isThere && !this.isFor(hostname, address);
	}

	renew(target: IdentityTarget, hostname: string, address: string): void {
		if (this.isFor(hostname, address)) return;
		const pair = this.ownPair(hostname, address);
		if (this.installed.isThere) return;
		target.setIdentity(pair);
		this.announce();
	}

	private isFor(hostname: string, address: string): boolean {
		const { own } = this;
		if (own.form !== OWN_FORM || own.hostname !== hostname || (address !== "" && own.address !== address)) return false;
		const nowMs = this.#deps.clock.utcMs();
		return nowMs === undefined || (nowMs >= own.untilMs - VALID_MS && nowMs < own.untilMs);
	}

	private giveUp(reason: string): void {
		this.#deps.trace(`tls: ${reason}`);
		this.installed.giveUp(reason);
	}

	/** The key of `file`, the previous certificate, is reused. */
	private make(hostname: string, wanted: string, file: Uint8Array | undefined): CertificatePair {
		const { crypto, clock, info, guard } = this.#deps;
		const nowMs = clock.utcMs();
		// Validity starts a day early, for browsers with a slow clock.
		const validFromMs = nowMs === undefined ? info.builtUtcMs : nowMs - DAY_MS;
		const validToMs = validFromMs + VALID_MS;
		// Without a network, the last address is the most likely next one.
		const address = wanted || this.own.address;
		const names = [hostname, `${hostname}.local`, ACCESS_POINT_ADDRESS];
		if (address !== "") names.push(address);
		const { certificate, key } = crypto.makeCertificate({
			names,
			organization: MAKER,
			unit: PRODUCT,
			validFromMs,
			validToMs,
			key: file,
		});
		const made = new Uint8Array(certificate.length + key.length);
		made.set(certificate);
		made.set(key, certificate.length);
		// The device must stay reachable even if flash is full.
		guard("tls", () => this.own.renew(made, { hostname, address, untilMs: validToMs, form: OWN_FORM }));
		return { certificate: made, key: made };
	}
}
