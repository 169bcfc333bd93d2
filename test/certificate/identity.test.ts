import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { put } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import type { CertificatePair } from "../../modules/io/crypto.js";
import { type HostInfo, OUT_OF_MEMORY } from "../../modules/io/host.js";
import { TLS_OWN_FORM } from "../../modules/parts/certificate/fields.js";
import { Identity } from "../../modules/parts/certificate/identity.js";
import { MAKER, PRODUCT } from "../../modules/product/product.js";
import { MemoryStorage, textCodec } from "../config/memory-storage.js";
import { expectFaults, guard } from "../faults.js";

const BUILT_MS = Date.UTC(2026, 4, 1);
const NOW_MS = Date.UTC(2027, 2, 3, 4, 5, 6);

/** A device with a TLS port that shows a certificate; the test decides how each handshake ends. */
class Device {
	readonly storage: MemoryStorage;
	readonly traced: string[] = [];
	nowMs: number | undefined = NOW_MS;
	identity: Identity;
	shown = "";
	refusals: string[] = [];
	/** Results of the next test handshakes, in order; after them handshakes succeed. */
	problems: string[] = [];
	made = 0;
	#tests: (() => void)[] = [];

	constructor(storage = new MemoryStorage()) {
		this.storage = storage;
		this.identity = this.#open();
	}

	#open(): Identity {
		const crypto = new NodeCrypto();
		const makeCertificate = crypto.makeCertificate.bind(crypto);
		crypto.makeCertificate = (options) => {
			this.made++;
			return makeCertificate(options);
		};
		const world = {
			storage: this.storage,
			crypto,
			clock: { utcMs: () => this.nowMs, monotonicMs: () => 0, setUTC: () => {} },
			info: { builtUtcMs: BUILT_MS } as HostInfo,
			guard,
			trace: (message: string) => this.traced.push(message),
		};
		return new Identity(world, new ConfigStore(this.storage, textCodec, ENTRIES));
	}

	/** Restarts, and returns the certificate that is shown once all test handshakes have ended. */
	start(hostname = "gateway", address = ""): string {
		this.identity = this.#open();
		this.shown = textOf(this.identity.ownPair(hostname, address));
		this.identity.serveInstalled(this.#target, hostname);
		for (let test = this.#tests.shift(); test !== undefined; test = this.#tests.shift()) test();
		return this.shown;
	}

	renew(hostname = "gateway", address = ""): string {
		this.identity.renew(this.#target, hostname, address);
		return this.shown;
	}

	readonly #target = {
		setIdentity: (pair: CertificatePair) => {
			const text = textOf(pair);
			if (this.refusals.some((part) => text.includes(part))) throw new Error("the certificate can't be read");
			this.shown = text;
		},
		testIdentity: (done: (problem: string) => void) => {
			this.#tests.push(() => done(this.problems.shift() ?? ""));
		},
	};
}

const namesOf = (text: string) => new X509Certificate(text).subjectAltName;
const keyOf = (text: string) =>
	new X509Certificate(text).publicKey.export({ type: "spki", format: "der" }).toString("hex");
const fromOf = (text: string) => Date.parse(new X509Certificate(text).validFrom);
const textOf = ({ certificate }: CertificatePair) => Buffer.from(certificate).toString();
const file = (text: string) => Buffer.from(text);

describe("certificate/identity: the device's own certificate", () => {
	it("is for the hostname and hostname.local, for ten years, and stays the same", () => {
		const device = new Device();
		const shown = device.start();
		const certificate = new X509Certificate(shown);
		assert.equal(certificate.subject, `O=${MAKER}\nOU=${PRODUCT}\nCN=gateway`);
		assert.equal(certificate.subjectAltName, "DNS:gateway, DNS:gateway.local, IP Address:192.168.4.1");
		assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
		assert.equal(Date.parse(certificate.validFrom), NOW_MS - 86_400_000);
		assert.equal(Date.parse(certificate.validTo), Date.UTC(2037, 2, 2, 4, 5, 6));
		assert.match(shown, /PRIVATE KEY/);
		assert.equal(device.start(), shown);
		assert.equal(device.made, 1);
	});
	it("can be shown to servers, and one of earlier firmware that can't is replaced, with the same key", () => {
		const device = new Device();
		const shown = device.start();
		assert.deepEqual(new X509Certificate(shown).keyUsage, ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
		new ConfigStore(device.storage, textCodec, ENTRIES).change([put(TLS_OWN_FORM, 0)]);
		const again = device.start();
		assert.notEqual(again, shown);
		assert.equal(keyOf(again), keyOf(shown));
		assert.equal(device.start(), again);
	});
	it("is valid from the firmware's build on while the clock is not set", () => {
		const device = new Device();
		device.nowMs = undefined;
		const shown = device.start();
		assert.equal(Date.parse(new X509Certificate(shown).validFrom), BUILT_MS);
		device.nowMs = NOW_MS;
		assert.equal(device.start(), shown);
	});
	it("is replaced for another hostname, at once or at the next start", () => {
		const device = new Device();
		const first = device.start();
		assert.equal(device.renew("gateway"), first);
		const second = device.renew("cellar");
		assert.equal(new X509Certificate(second).subject, `O=${MAKER}\nOU=${PRODUCT}\nCN=cellar`);
		assert.equal(keyOf(second), keyOf(first));
		assert.equal(device.start("cellar"), second);
		assert.equal(new X509Certificate(device.start("attic")).subject, `O=${MAKER}\nOU=${PRODUCT}\nCN=attic`);
	});
	it("is replaced when it has expired", () => {
		const device = new Device();
		const first = device.start();
		const endMs = Date.parse(new X509Certificate(first).validTo);
		device.nowMs = endMs - 1;
		assert.equal(device.start(), first);
		assert.equal(device.renew("gateway"), first);
		device.nowMs = endMs;
		const second = device.renew("gateway");
		assert.notEqual(second, first);
		assert.equal(keyOf(second), keyOf(first));
		assert.equal(device.start(), second);
	});
	it("is replaced when it is not yet valid, because the clock was far ahead when it was made", () => {
		const device = new Device();
		device.nowMs = Date.UTC(2099, 6, 1);
		const late = device.start();
		assert.ok(fromOf(late) > Date.UTC(2099, 5, 1));
		device.nowMs = undefined;
		assert.equal(device.renew(), late);
		device.nowMs = fromOf(late);
		assert.equal(device.renew(), late);
		device.nowMs = NOW_MS;
		const mended = device.renew();
		assert.equal(fromOf(mended), NOW_MS - 86_400_000);
		assert.equal(keyOf(mended), keyOf(late));
		assert.equal(device.start(), mended);
		assert.equal(device.made, 2);
	});
	it("contains the address in the network as soon as that is known, and no earlier one", () => {
		const device = new Device();
		const first = device.start();
		const names = (address: string) => `DNS:gateway, DNS:gateway.local, IP Address:192.168.4.1, IP Address:${address}`;
		const second = device.renew("gateway", "192.0.2.20");
		assert.equal(namesOf(second), names("192.0.2.20"));
		assert.equal(keyOf(second), keyOf(first));
		// At a start, and without a network, the last address is used.
		assert.equal(device.start(), second);
		assert.equal(device.renew("gateway", ""), second);
		assert.equal(namesOf(device.renew("cellar")), names("192.0.2.20").replaceAll("gateway", "cellar"));
		assert.equal(namesOf(device.start("gateway", "198.51.100.7")), names("198.51.100.7"));
		assert.equal(device.made, 4);
	});
	it("has its fingerprint logged in the browsers' form, at a start and when it is replaced", () => {
		const device = new Device();
		const newLines = () => device.traced.splice(0);
		const first = device.start();
		device.identity.announce();
		assert.deepEqual(newLines(), [`tls: SHA-256 ${new X509Certificate(first).fingerprint256}`]);
		const second = device.renew("cellar");
		assert.deepEqual(newLines(), [`tls: SHA-256 ${new X509Certificate(second).fingerprint256}`]);
	});
	it("is outdated when it is for another address, unless another certificate is installed", () => {
		const device = new Device();
		device.start("gateway", "192.0.2.20");
		const { identity } = device;
		assert.equal(identity.isOutdated("gateway", "192.0.2.20"), false);
		assert.equal(identity.isOutdated("gateway", ""), false);
		assert.equal(identity.isOutdated("gateway", "192.0.2.21"), true);
		identity.installed.install(file("first"));
		assert.equal(identity.isOutdated("gateway", "192.0.2.21"), false);
	});
	it("is replaced when it is damaged, and served from memory when flash is full", () => {
		const device = new Device();
		const first = device.start();
		device.storage.values.set("own_0_0", Uint8Array.of(1, 2, 3));
		const second = device.start();
		assert.notEqual(keyOf(second), keyOf(first));
		const faults = expectFaults(/^fault: tls: Error: power cut/);
		const full = new Device();
		full.storage.stepsLeft = 0;
		assert.match(full.start(), /BEGIN CERTIFICATE/);
		assert.equal(faults.length, 1);
	});
	it("is in flash exactly once, whenever the power is cut while it is replaced", () => {
		expectFaults(/^fault: tls: Error: power cut/);
		for (let cut = 0; cut < 4; cut++) {
			const device = new Device();
			device.start();
			device.storage.stepsLeft = cut;
			device.start("cellar");
			device.storage.stepsLeft = Number.POSITIVE_INFINITY;
			const after = new Device(device.storage);
			assert.equal(new X509Certificate(after.start("cellar")).subject, `O=${MAKER}\nOU=${PRODUCT}\nCN=cellar`);
			assert.equal([...device.storage.values.keys()].filter((key) => key.startsWith("own_")).length, 1);
		}
	});
});

describe("certificate/identity: an installed certificate", () => {
	it("is served from the next start on, and kept once a handshake with it has succeeded", () => {
		const device = new Device();
		const own = device.start();
		device.identity.installed.install(file("first"));
		assert.equal(device.shown, own);
		assert.equal(device.start(), "first");
		const { installed } = device.identity;
		assert.deepEqual([installed.isThere, installed.onTrial, installed.lastError], [true, false, ""]);
		device.problems = ["not checked again"];
		assert.equal(device.start(), "first");
	});
	it("gives way to the previous certificate if no handshake with it is possible", () => {
		const device = new Device();
		device.start();
		device.identity.installed.install(file("first"));
		device.start();
		device.identity.installed.install(file("second"));
		device.problems = ["no shared cipher"];
		assert.equal(device.start(), "first");
		assert.equal(device.identity.installed.lastError, "no shared cipher");
		assert.equal(device.start(), "first");
		assert.equal(device.identity.installed.lastError, "no shared cipher");
		assert.deepEqual(device.traced, ["tls: no shared cipher"]);
	});
	it("gives way to the device's own certificate if there was no previous one", () => {
		for (const way of ["problems", "refusals"] as const) {
			const device = new Device();
			const own = device.start();
			device.identity.installed.install(file("first"));
			device[way] = ["first"];
			assert.equal(device.start(), own);
			assert.equal(device.identity.installed.isThere, false);
			assert.notEqual(device.identity.installed.lastError, "");
			device[way] = [];
			assert.equal(device.start(), own);
		}
	});
	it("stays on trial while memory is too short for the handshake", () => {
		const device = new Device();
		device.start();
		device.identity.installed.install(file("first"));
		device.problems = [OUT_OF_MEMORY, "bad"];
		assert.equal(device.start(), "first");
		assert.equal(device.identity.installed.onTrial, true);
		assert.match(device.start(), /BEGIN CERTIFICATE/);
		assert.equal(device.identity.installed.lastError, "bad");
	});
	it("is given up when it is damaged, even after its trial", () => {
		const device = new Device();
		const own = device.start();
		device.identity.installed.install(file("first"));
		device.start();
		device.storage.values.set("tls_0_0", Uint8Array.of(1));
		assert.equal(device.start(), own);
		assert.match(device.identity.installed.lastError, /damaged/);
	});
	it("gives way to the last one that was served, not to one that was only installed", () => {
		const device = new Device();
		device.start();
		device.identity.installed.install(file("first"));
		device.start();
		device.identity.installed.install(file("never served"));
		device.identity.installed.install(file("third"));
		device.problems = ["bad"];
		assert.equal(device.start(), "first");
		assert.equal([...device.storage.values.keys()].filter((key) => key.startsWith("tls_")).length, 1);
	});
	it("stays in use when the hostname changes", () => {
		const device = new Device();
		device.start();
		device.identity.installed.install(file("first"));
		device.start();
		assert.equal(device.renew("cellar"), "first");
		assert.equal(device.identity.own.hostname, "cellar");
		device.identity.installed.remove();
		assert.equal(new X509Certificate(device.start("cellar")).subject, `O=${MAKER}\nOU=${PRODUCT}\nCN=cellar`);
	});
});
