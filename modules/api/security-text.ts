/** /.well-known/security.txt (RFC 9116): the maker's address for reports of vulnerabilities. */
import type { TextCodec } from "../io/host.js";
import { longUTCText } from "../time/iso.js";

export const SECURITY_PATH = "/.well-known/security.txt";

const YEAR_MS = 31_536_000_000;

/** Returns the text. It expires a year after the firmware was built. */
export function securityText(contact: string, builtUtcMs: number, text: TextCodec): string {
	return `Contact: ${contact}\nExpires: ${longUTCText(builtUtcMs + YEAR_MS, text)}\nPreferred-Languages: en\n`;
}
