/**
 * Certificates for portable/client-checks.ts and tls-client-checks.ts. OpenSSL makes them once for a whole run.
 * Clients' certificates are resources; servers' certificates are passed to the peers.
 */
import { AUTHORITY, type Made, make, missingOpenSSL } from "./openssl.js";

/** Validity in days; the checks use it too. */
const DAYS = 30;
/** Number of authorities in the chain that is too long: about 150 KB. */
const HUGE_COUNT = 300;

interface Identities {
	/** Files for clients, by the name of the resource. */
	readonly files: Readonly<Record<string, string>>;
	/** Certificates for servers, by the name in the request; "" is the default. */
	readonly servers: Readonly<Record<string, Made>>;
	/** Certificate of the authority that signs the servers' certificates. */
	readonly authority: string;
}

let made: Identities | undefined;

/** All are empty without OpenSSL, which the checks then report. */
export function clientIdentities(): Identities {
	made ??= missingOpenSSL() === undefined ? makeIdentities() : { files: {}, servers: {}, authority: "" };
	return made;
}

function named(...names: string[]): string[] {
	return ["basicConstraints=CA:FALSE", `subjectAltName=${names.join(",")}`];
}

function chained(leaf: Made, ...issuers: Made[]): Made {
	return { certificate: leaf.certificate + issuers.map(({ certificate }) => certificate).join(""), key: leaf.key };
}

function makeIdentities(): Identities {
	const extensions = AUTHORITY;
	const root = make({ subject: "/CN=Root", extensions, days: DAYS });
	const other = make({ subject: "/CN=Other root", extensions, days: DAYS });
	const middle = make({ subject: "/CN=Middle", issuer: root, extensions, days: DAYS });
	const local = named("DNS:localhost", "IP:127.0.0.1");
	const signed = (subject: string, issuer: Made, names: string[], days = DAYS) =>
		make({ subject, issuer, extensions: names, days });
	const server = signed("/CN=localhost", middle, local);
	const expired = signed("/CN=localhost", middle, local, -1);
	const wildcard = signed("/CN=home", middle, named("DNS:*.home.example"));
	const usurped = signed("/CN=localhost", server, local);
	// False certificates with the names of the trusted ones.
	const falseRoot = make({ subject: "/CN=Root", extensions, days: DAYS });
	const impostor = signed("/CN=localhost", falseRoot, local);
	const own = make({ subject: "/CN=a server of its own", days: DAYS });
	const ownOther = make({ subject: "/CN=a server of its own", days: DAYS });
	const client = make({ subject: "/CN=a client", issuer: root, days: DAYS });
	return {
		files: {
			"authority.pem": root.certificate,
			"other-authority.pem": other.certificate,
			"middle-authority.pem": middle.certificate,
			"self-signed.pem": own.certificate,
			"client.pem": client.certificate,
			"client-key.pem": client.key,
		},
		servers: {
			"": chained(server, middle),
			asks: chained(server, middle),
			expired: chained(expired, middle),
			wildcard: chained(wildcard, middle),
			"self-signed": own,
			"self-signed-other": ownOther,
			"without-middle": server,
			"by-end-entity": chained(usurped, server, middle),
			impostor: chained(impostor, falseRoot),
			huge: chained(server, middle, ...Array.from({ length: HUGE_COUNT }, () => root)),
		},
		authority: root.certificate,
	};
}
