/** Names in the API of the two protocols that others lead to. Each other protocol has its name in its failures.ts. */

export const PROTOCOL_IEC62056 = "iec62056";
export const PROTOCOL_DLMS = "dlms";
