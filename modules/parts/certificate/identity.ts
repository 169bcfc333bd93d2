/**
 * TLS identity: the user's certificate, or a self-signed one. The self-signed one has a P-256 key. It is valid for ten
 * years, for `hostname`, `hostname.local`, the access point's address and the network address, and for use by servers
 * and clients. It is renewed, with the same key, when the hostname or the network address changes, when it has expired
 * or is not yet valid, and when a new firmware has another OWN_FORM.
 *
 * An installed certificate is on trial until the device's own TLS client has completed a handshake with it. If the
 * handshake fails, the certificate is discarded.
 */
import { ACCESS_POINT_ADDRESS } from "../../bytes/ipv4.js";
import type { BlobMemory, NO_MEMORY } from "../../config/blob.js";
import type { ConfigStore } from "../../config/store.js";
import type { Running } from "../../core/core.js";
import type { CertificatePair, Crypto } from "../../io/crypto.js";
import { isMistake } from "../../io/fault.js";
import { type Clock, type HostInfo, OUT_OF_MEMORY, type Storage } from "../../io/host.js";
import { MAKER, PRODUCT } from "../../product/product.js";
import { InstalledCertificate, OwnCertificate } from "./certificates.js";

const DAY_MS = 86_400_000;
/** Ten years with three leap days. Only the end of validity is stored; the start is calculated from it. */
const VALID_MS = 3653 * DAY_MS;
/**
 * Version of the contents of the device's own certificate. Increase it if contents other than the names change.
 * Certificates of version 0 could not be used by clients and did not name the maker. The name of the product was added
 * later without a new version, because browsers warn about each new certificate.
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

/** TLS port, with the methods of Listener that this file uses. */
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

	whenErasing(): void {
		this.own.blobs.sweep([], true);
		this.installed.blobs.sweep([], true);
	}

	/**
	 * Returns the device's own certificate for these names. Generates a new one if necessary. If `address` is "", a
	 * certificate with any address is sufficient.
	 */
	ownPair(hostname: string, address = ""): CertificatePair {
		const file = this.own.read();
		if (file === undefined || !this.isFor(hostname, address)) return this.make(hostname, address, file);
		return { certificate: file, key: file };
	}

	/**
	 * Returns the certificate that the HTTPS port uses, in memory that the ledger lends (see
	 * InstalledCertificate.borrow).
	 */
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
			if (isMistake(error)) {
				this.#deps.guard("tls", () => {
					throw error;
				});
			}
			this.giveUp(error instanceof Error ? error.message : String(error));
			// The recursion ends, because each `giveUp` removes an installed certificate.
			this.serveInstalled(target, hostname);
			return;
		}
		if (!this.installed.onTrial) return;
		target.testIdentity((problem) => {
			this.#deps.guard("tls", () => {
				if (problem === "") this.installed.keep();
				// The certificate was not tested, so the next start repeats the trial.
				else if (problem === OUT_OF_MEMORY) this.#deps.trace(`tls: ${problem}`);
				else {
					// The identity is changed first, because the flash may refuse to discard the unusable certificate.
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

	/** Generates the device's own certificate. Uses the key in `file`, which is the previous certificate. */
	private make(hostname: string, wanted: string, file: Uint8Array | undefined): CertificatePair {
		const { crypto, clock, info, guard } = this.#deps;
		const nowMs = clock.utcMs();
		// Validity starts a day before the present, because the clock of a browser may be slow.
		const validFromMs = nowMs === undefined ? info.builtUtcMs : nowMs - DAY_MS;
		const validToMs = validFromMs + VALID_MS;
		// If the address is not known yet, the last one is used, because it is the most likely one.
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
		// If flash is full, the certificate is used without being stored, so that the device stays reachable.
		guard("tls", () => this.own.renew(made, { hostname, address, untilMs: validToMs, form: OWN_FORM }));
		return { certificate: made, key: made };
	}
}
