/** Opens a diagnostic report (format: modules/parts/system/diagnostic.ts) with its private key. */
import { createPublicKey, type KeyObject, type webcrypto } from "node:crypto";
import { Aes128Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from "@hpke/core";
import { P256_POINT_LENGTH } from "../../modules/io/crypto.js";
import { keyIdOf, pointOf } from "../ota/keys.js";

const MAGIC = "SMGWDIAG";
const FORMAT = 1;
const KEY_ID = 9;
const TIME = 17;
const SERIAL_LENGTH = 21;
const SERIAL = 22;
const BLOCK_HEADER = 3;

export interface ReportHeader {
	/** Id of the key, 16 hex digits. */
	readonly keyId: string;
	/** Time of the report, Unix seconds. 0 if the gateway's clock was not set. */
	readonly timeS: number;
	readonly serial: string;
	/** Bytes of the header that HPKE authenticates. */
	readonly info: Buffer;
	readonly encapsulated: Buffer;
	readonly blocks: Buffer;
}

export interface Report {
	readonly header: ReportHeader;
	readonly text: string;
	/** Reason why `text` is incomplete, or empty if it is complete. */
	readonly problem: string;
}

export function readHeader(file: Buffer): ReportHeader {
	const end = SERIAL + (file[SERIAL_LENGTH] ?? 0) + P256_POINT_LENGTH;
	if (file.toString("latin1", 0, MAGIC.length) !== MAGIC) throw new Error("This is not a diagnostic report.");
	if (file[MAGIC.length] !== FORMAT)
		throw new Error(`The report has format ${file[MAGIC.length]}; this program knows ${FORMAT}.`);
	if (file.length < end) throw new Error("The report is cut off in its header.");
	const info = file.subarray(0, end - P256_POINT_LENGTH);
	return {
		keyId: info.toString("hex", KEY_ID, TIME),
		timeS: info.readUInt32LE(TIME),
		serial: info.toString("latin1", SERIAL),
		info,
		encapsulated: file.subarray(info.length, end),
		blocks: file.subarray(end),
	};
}

/**
 * Opens the report. Throws an Error with a message for the user if the file is not a report, is for another key, or
 * cannot be opened.
 */
export async function openReport(file: Buffer, key: KeyObject): Promise<Report> {
	const header = readHeader(file);
	const ownId = Buffer.from(keyIdOf(pointOf(createPublicKey(key)))).toString("hex");
	if (ownId !== header.keyId)
		throw new Error(`The report was sealed for the key ${header.keyId}; this one is ${ownId}.`);
	const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes128Gcm() });
	const recipient = await suite.createRecipientContext({
		recipientKey: await suite.kem.importKey("jwk", key.export({ format: "jwk" }) as webcrypto.JsonWebKey, false),
		enc: header.encapsulated,
		info: header.info,
	});
	const parts: Buffer[] = [];
	const give = (problem: string): Report => {
		if (parts.length === 0) throw new Error(problem);
		return { header, text: Buffer.concat(parts).toString("utf8"), problem };
	};
	for (let at = 0; ; ) {
		const head = header.blocks.subarray(at, at + BLOCK_HEADER);
		const end = at + BLOCK_HEADER + (head.length === BLOCK_HEADER ? head.readUInt16LE(1) : 0);
		if (head.length < BLOCK_HEADER || end > header.blocks.length)
			return give("The report is cut off: its end is missing.");
		try {
			parts.push(Buffer.from(await recipient.open(header.blocks.subarray(at + BLOCK_HEADER, end), head)));
		} catch {
			return give(`The report is damaged: its block ${parts.length + 1} can't be opened.`);
		}
		at = end;
		if (head[0] === 1)
			return give(at < header.blocks.length ? "Data after the end of the report is not part of it." : "");
	}
}
