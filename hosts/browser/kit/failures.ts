/** Texts for failed readouts, by the gateway's failure code (`meter_state`). */
import type { TextKey } from "../text/all.js";
import { isText, t } from "./text.js";

/**
 * Texts with their failure codes. Codes with the same causes share a text. `{what}` is the
 * part of the code after the last "-".
 */
const GROUPS: readonly (readonly [text: TextKey, codes: string])[] = [
	["failure.silence", "iec62056-21/silence kmp/silence mbus/silence"],
	["failure.addressed", "iec62056-21/silence-addressed"],
	[
		"failure.unheard",
		"iec62056-21/no-telegram sml/no-telegram sml/silence dlms-push/silence dlms-push/unknown amis/silence",
	],
	["failure.stopped", "meter/silent"],
	["failure.echo", "iec62056-21/echo-only hdlc/echo-only"],
	[
		"failure.noise",
		"iec62056-21/no-ident iec62056-21/check hdlc/garbage hdlc/damaged sml/no-start sml/check kmp/check mbus/check amis/no-frame",
	],
	[
		"failure.broken",
		"iec62056-21/no-block iec62056-21/mode-e-alone iec62056-21/cut hdlc/lost hdlc/late dlms/lost kmp/cut mbus/cut",
	],
	["finding.later", "mbus/unreadable amis/structure"],
	["failure.direct", "hdlc/silence dlms/no-sign-on"],
	["failure.address", "hdlc/no-address hdlc/other-address"],
	["failure.protocol", "iec62056-21/no-mode-e hdlc/bad-answer"],
	["finding.noise", "unasked/noise"],
	["failure.refused", "hdlc/refused hdlc/disconnected hdlc/frame-rejected hdlc/not-ready"],
	["failure.level", "dlms/context dlms/mechanism dlms/authentication-required dlms/initiate dlms/hls-sha256"],
	["failure.password", "dlms/authentication dlms/rejected dlms/title"],
	["failure.keys", "dlms/deciphering dlms/unanswered dlms/hls-refused dlms/tag dlms/unprotected dlms/key-missing"],
	["failure.push.no-key", "dlms-push/no-key amis/no-key"],
	["failure.push.key", "dlms-push/key amis/key"],
	["failure.push.broadcast", "dlms-push/broadcast-key"],
	["failure.push.no-tag", "dlms-push/no-tag"],
	["failure.push.open", "dlms-push/open"],
	["failure.mechanism", "dlms/hls-2 dlms/hls-md5 dlms/hls-sha1 dlms/hls-ecdsa"],
	["failure.suite", "dlms/security-suite-2"],
	["failure.short", "dlms/short-names"],
	["failure.counter", "dlms/counter dlms/counter-exhausted"],
	["failure.untrusted", "dlms/meter-unverified dlms/replay dlms/meter-title"],
	["failure.push.again", "dlms-push/replay dlms-push/other-meter"],
	["failure.port", "port"],
	["failure.absent", "protocol/absent"],
];

/** Texts that tell the user to check the optical head. */
const AT_HEAD: readonly TextKey[] = [
	"failure.silence",
	"failure.addressed",
	"failure.unheard",
	"failure.stopped",
	"failure.echo",
	"failure.noise",
	"failure.broken",
	"finding.noise",
];

function keyFor(code = ""): TextKey | undefined {
	const own = `found.${code.split("/")[0]}.not`;
	return (
		GROUPS.find(([, codes]) => codes.split(" ").includes(code))?.[0] ??
		(isText(own) ? own : code.startsWith("unasked") ? "failure.unasked" : undefined)
	);
}

/** Returns true if a wrong position of the optical head may be the cause. */
export function isAtHead(code: string | undefined): boolean {
	return AT_HEAD.includes(keyFor(code) as TextKey);
}

/** Returns undefined if there is no code, or no text for the code. */
export function failureText(code = ""): string | undefined {
	const key = keyFor(code);
	return key && t(key, { what: code.slice(code.lastIndexOf("-") + 1).toUpperCase() });
}
