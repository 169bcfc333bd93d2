/**
 * Names of the product, and what its maker promises. To sell it under another name, change only this file; the page,
 * mDNS, MQTT, the certificate, the update tools and the list of parts use it (docs/selling.md).
 */

/** Name of the product: at most 32 of the characters A-Z a-z 0-9 `.-_&'()/:` and blank. */
export const PRODUCT = "Smart-Meter Gateway";
/** Maker of the product, in the same characters and length. The manufacturer of a board is separate. */
export const MAKER = "Smart-Meter Gateway project";
/**
 * Address for reports of vulnerabilities: `mailto:` or `https:`, at most 100 characters of ASCII without blanks. If
 * empty, the address in SECURITY.md is used.
 */
export const SECURITY_CONTACT = "";
/**
 * Day until which the maker promises security corrections, YYYY-MM-DD. Empty if no day is promised; SECURITY.md has the
 * rule.
 */
export const SUPPORT_END = "";
/**
 * Initial value of the setting `security_updates`: true if units install security updates automatically unless their
 * owner turns this off.
 */
export const SECURITY_UPDATES: boolean = false;
/** Hours from the discovery of a security update to its automatic installation. */
export const SECURITY_UPDATE_HOURS = 24;
