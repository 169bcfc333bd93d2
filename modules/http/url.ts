/**
 * The hub's address as its user writes it (RFC 3986, 3): `https://homeassistant.local:8123`, maybe with a path below
 * which its API stands. No user name, query or fragment: they would go to whoever answers there, or mean nothing.
 * Limits: a name of 253 characters, the whole text as the setting has it (config/hub-fields.ts).
 */

export interface HubURL {
	readonly secure: boolean;
	/** A name, an IPv4 address, or an IPv6 address in brackets. */
	readonly host: string;
	readonly port: number;
	/** Begins with "/"; without one at its end, so "" for none. */
	readonly path: string;
}

const HOST_LIMIT = 253;
const PORT_LIMIT = 65535;

/** What the text says, or undefined if it is no address of a hub. */
export function parseHubURL(text: string): HubURL | undefined {
	const match = /^(https?):\/\/(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]+)(:\d{1,5})?((?:\/[^?#\\\s]*)?)$/i.exec(text);
	if (match === null) return undefined;
	const secure = match[1].length === 5;
	const host = match[2];
	const port = match[3] === undefined ? (secure ? 443 : 80) : Number(match[3].slice(1));
	if (host.length > HOST_LIMIT || port < 1 || port > PORT_LIMIT) return undefined;
	return { secure, host, port, path: match[4].replace(/\/+$/, "") };
}
