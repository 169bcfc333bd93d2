/**
 * Names of the product. To sell it under another name, change this file only: page, mDNS, MQTT, certificate, update
 * tools and the list of parts use it (docs/selling.md).
 */

/** Name of the product: printable ASCII without comma, at most 32 characters. */
export const PRODUCT = "Smart-Meter Gateway";
/** Maker of the product, with the same limits. A board has a manufacturer of its own. */
export const MAKER = "Smart-Meter Gateway project";
/** Address for reports of vulnerabilities: `mailto:` or `https:`; empty: that of SECURITY.md. */
export const SECURITY_CONTACT = "";
