/**
 * Parses the URL of the hub, such as `https://homeassistant.local:8123` with an optional base path, and URLs of files
 * (RFC 3986, 3). The URL of a hub has no user name, query or fragment; the URL of a file is HTTPS. Limits: a host name
 * has at most 253 characters. The setting limits the length of the text (parts/hub/fields.ts).
 */
import { hasOnly, lowerCase, wholeNumber } from "../bytes/ascii.js";

export interface FileURL {
	/** Host name or IPv4 address. */
	readonly host: string;
	readonly port: number;
	/** Path and query. */
	readonly target: string;
}

export interface HubURL {
	readonly secure: boolean;
	/** Host name, IPv4 address, or IPv6 address in brackets. */
	readonly host: string;
	readonly port: number;
	/** Base path, which begins with "/" but does not end with it; "" if there is none. */
	readonly path: string;
}

const HOST_LIMIT = 253;
const PORT_LIMIT = 65535;
const SLASH = 0x2f;
const IPV6_LIMIT = 45;

export function parseHubURL(text: string): HubURL | undefined {
	const start = text.indexOf("://") + 3;
	const scheme = lowerCase(text.slice(0, Math.max(0, start - 3)));
	if (scheme !== "http" && scheme !== "https") return undefined;
	const slash = text.indexOf("/", start);
	const authority = text.slice(start, slash < 0 ? text.length : slash);
	const path = slash < 0 ? "" : text.slice(slash);
	const bracket = authority.indexOf("]");
	const colon = authority.indexOf(":", Math.max(0, bracket));
	const host = colon < 0 ? authority : authority.slice(0, colon);
	const secure = scheme === "https";
	let port = secure ? 443 : 80;
	if (colon >= 0) port = wholeNumber(authority.slice(colon + 1), PORT_LIMIT);
	if (!isHost(host) || !(port >= 1) || !isPath(path)) return undefined;
	return { secure, host, port, path: withoutSlashes(path) };
}

export function parseFileURL(text: string): FileURL | undefined {
	const fragment = text.indexOf("#");
	const whole = fragment < 0 ? text : text.slice(0, fragment);
	const question = whole.indexOf("?");
	const url = parseHubURL(question < 0 ? whole : whole.slice(0, question));
	const query = question < 0 ? "" : whole.slice(question);
	// A space or a line end in the URL could inject a second request.
	if (url === undefined || !url.secure || url.host.startsWith("[") || !hasOnly(query, "!~")) return undefined;
	const { host, port, path } = url;
	return { host, port, target: `${path === "" ? "/" : path}${query}` };
}

function isHost(host: string): boolean {
	if (host.startsWith("[")) {
		const inside = host.slice(1, -1);
		return host.endsWith("]") && inside.length >= 2 && inside.length <= IPV6_LIMIT && hasOnly(inside, "0:AFaf..");
	}
	return host !== "" && host.length <= HOST_LIMIT && hasOnly(host, "09AZaz-.__");
}

function isPath(path: string): boolean {
	return hasOnly(path, '!"$>@[]');
}

function withoutSlashes(path: string): string {
	let end = path.length;
	while (path.charCodeAt(end - 1) === SLASH) end--;
	return path.slice(0, end);
}
