/**
 * Names of the product, and what its maker promises. To sell it under another name, change this file only: page, mDNS,
 * MQTT, certificate, update tools and the list of parts use it (docs/selling.md).
 */

/** Name of the product: at most 32 characters of A-Z a-z 0-9 `.-_&'()/:` and blanks. */
export const PRODUCT = "Smart-Meter Gateway";
/** Maker of the product: at most 32 such characters. A board has a manufacturer of its own. */
export const MAKER = "Smart-Meter Gateway project";
/**
 * Address for reports of vulnerabilities: `mailto:` or `https:`, at most 100 characters of ASCII without blanks; empty:
 * that of SECURITY.md.
 */
export const SECURITY_CONTACT = "";
/**
 * Day until which the maker promises security corrections, YYYY-MM-DD; empty: no day is promised (SECURITY.md has the
 * rule).
 */
export const SUPPORT_END = "";
/**
 * Initial value of the setting `security_updates`: true if units install security updates automatically unless their
 * owner turns this off.
 */
export const SECURITY_UPDATES: boolean = false;
/** Hours from the discovery of a security update to its automatic installation. */
export const SECURITY_UPDATE_HOURS = 24;
