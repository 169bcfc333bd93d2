/**
 * Result of a Wi-Fi scan in packed form, because an object for each network would take more memory:
 *
 *   offset  bytes  content
 *   0       1      channel
 *   1       1      authmode
 *   2       1      signal strength, -dBm
 *   3       12     BSSID, hex characters
 *   15      1      length of the SSID
 *   16      ...    SSID, UTF-8
 *
 * Limits: at most SCAN_LIMIT networks; a network whose SSID is longer than SSID_PACKED_LIMIT is left out.
 */
import type { TextCodec } from "../io/host.js";
import { SCAN_LIMIT, type ScannedNetwork } from "../io/wifi.js";

const BSSID_LENGTH = 12;
/** Maximum length of an SSID, bytes. 32 bytes that are not UTF-8 take 96 bytes after their replacement. */
const SSID_PACKED_LIMIT = 96;
const NETWORK_LIMIT = 4 + BSSID_LENGTH + SSID_PACKED_LIMIT;

/** Packs networks. `scanned` returns the network at an index; undefined after the last network. */
export function packNetworks(scanned: (index: number) => ScannedNetwork | undefined, text: TextCodec): Uint8Array {
	const packed = new Uint8Array(SCAN_LIMIT * NETWORK_LIMIT);
	let length = 0;
	for (let i = 0; i < SCAN_LIMIT; i++) {
		const network = scanned(i);
		if (network === undefined) break;
		const ssid = text.encode(network.ssid);
		if (ssid.length > SSID_PACKED_LIMIT) continue;
		packed[length++] = network.channel;
		packed[length++] = network.authmode;
		packed[length++] = -network.rssi;
		packed.set(text.encode(network.bssid), length);
		length += BSSID_LENGTH;
		packed[length++] = ssid.length;
		packed.set(ssid, length);
		length += ssid.length;
	}
	return packed.slice(0, length);
}

export class ScanCursor {
	ssid = "";
	bssid = "";
	rssi = 0;
	channel = 0;
	authmode = 0;
	readonly #bytes: Uint8Array;
	readonly #text: TextCodec;
	#at = 0;

	constructor(bytes: Uint8Array, text: TextCodec) {
		this.#bytes = bytes;
		this.#text = text;
	}

	next(): boolean {
		const bytes = this.#bytes;
		if (this.#at >= bytes.length) return false;
		this.channel = bytes[this.#at];
		this.authmode = bytes[this.#at + 1];
		this.rssi = -bytes[this.#at + 2];
		const bssid = this.#at + 3;
		const ssid = bssid + BSSID_LENGTH + 1;
		this.bssid = this.#text.decode(bytes, bssid, ssid - 1);
		this.#at = ssid + bytes[ssid - 1];
		this.ssid = this.#text.decode(bytes, ssid, this.#at);
		return true;
	}
}
