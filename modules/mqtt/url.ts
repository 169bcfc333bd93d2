/**
 * Address of the broker as users enter it, such as `mqtt://broker.lan` or `mqtts://192.168.1.5:8883`. A slash may
 * follow.
 */
import { hasOnly, lowerCase, wholeNumber } from "../bytes/ascii.js";

export interface BrokerURL {
	readonly secure: boolean;
	/** DNS name or IPv4 address. */
	readonly host: string;
	readonly port: number;
}

const PLAIN = "mqtt://";
const SECURE = "mqtts://";
const PLAIN_PORT = 1883;
const SECURE_PORT = 8883;
const HOST_LIMIT = 253;
const PORT_LIMIT = 65535;

/** Returns undefined if the text is not a broker's address. */
export function parseBrokerURL(text: string): BrokerURL | undefined {
	const start = lowerCase(text.slice(0, SECURE.length));
	const secure = start === SECURE;
	if (!secure && !start.startsWith(PLAIN)) return undefined;
	const authority = text.slice(secure ? SECURE.length : PLAIN.length, text.endsWith("/") ? -1 : text.length);
	const colon = authority.indexOf(":");
	const host = colon < 0 ? authority : authority.slice(0, colon);
	if (host === "" || host.length > HOST_LIMIT || !hasOnly(host, "09AZaz-.__")) return undefined;
	if (colon < 0) return { secure, host, port: secure ? SECURE_PORT : PLAIN_PORT };
	const port = wholeNumber(authority.slice(colon + 1), PORT_LIMIT);
	if (!(port >= 1)) return undefined;
	return { secure, host, port };
}
