/** Names of the meter protocols, as the setting `protocol` of the API has them. */

export const PROTOCOL_IEC62056 = "iec62056";
export const PROTOCOL_DLMS = "dlms";
export const PROTOCOL_SML = "sml";
export const PROTOCOL_TIC = "tic";
export const PROTOCOL_KMP = "kmp";
export const PROTOCOL_MBUS = "mbus";
export const PROTOCOL_AMIS = "amis";

export const PROTOCOL_NAMES = Object.freeze([
	PROTOCOL_IEC62056,
	PROTOCOL_DLMS,
	PROTOCOL_SML,
	PROTOCOL_TIC,
	PROTOCOL_KMP,
	PROTOCOL_MBUS,
	PROTOCOL_AMIS,
]);
