/** The Node end's side of the layouts of worker/protocol.ts: replies, and the parts that commands are made of. */
import { type CertificatePair, FORMAT_7E1, FORMAT_8N1, type SerialFormat } from "../../modules/io/host.js";
import type { AccessPointOptions, StationOptions, WiFi } from "../../modules/io/wifi.js";
import * as protocol from "./worker/protocol.js";

export function reply(kind: number, payload: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(1 + payload.length);
	bytes[0] = kind;
	bytes.set(payload, 1);
	return bytes;
}

export function formatOf(byte: number): SerialFormat {
	return byte === FORMAT_7E1 ? FORMAT_7E1 : FORMAT_8N1;
}

/** u32 length of the certificate, certificate, key; copies, since the host may keep them. Undefined: there is none. */
export function pairOf(bytes: Uint8Array): CertificatePair | undefined {
	if (bytes.length === 0) return undefined;
	const middle = 4 + Buffer.from(bytes).readUInt32LE();
	return { certificate: new Uint8Array(bytes.subarray(4, middle)), key: new Uint8Array(bytes.subarray(middle)) };
}

export function uint32(value: number): Uint8Array {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32LE(value);
	return bytes;
}

/** Carries out RADIO_…; what it gives goes back as JSON, undefined as nothing. */
export function operateRadio(wifi: WiFi, operation: number, value: unknown): unknown {
	switch (operation) {
		case protocol.RADIO_STATION:
			return wifi.station;
		case protocol.RADIO_CONNECT:
			return wifi.connect(value as StationOptions);
		case protocol.RADIO_DISCONNECT:
			return wifi.disconnect();
		case protocol.RADIO_START_ACCESS_POINT:
			return wifi.startAccessPoint(value as AccessPointOptions);
		case protocol.RADIO_STOP_ACCESS_POINT:
			return wifi.stopAccessPoint();
		case protocol.RADIO_SCAN:
			return wifi.scan();
		case protocol.RADIO_SCANNED:
			return wifi.scanned(value as number);
		case protocol.RADIO_POWER_SAVE:
			return wifi.setPowerSave(value as boolean);
		default:
			throw new Error(`radio: operation of unknown kind ${operation}`);
	}
}
