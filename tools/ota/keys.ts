/** Keys that sign firmware: ECDSA on P-256 with SHA-256. */
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { fromBER, Integer, Sequence } from "asn1js";
import { pointOfKey } from "../../hosts/node/p256.js";
import { P256_POINT_LENGTH } from "../../modules/io/crypto.js";

export interface Signer {
	/** The public key as a point: 4, x, y. */
	readonly point: Uint8Array;
	/** Returns the ECDSA signature of the message: r and s, 32 bytes each. */
	sign(message: Uint8Array): Uint8Array;
}

/** Throws a RangeError with a message for the user if the key is not on P-256. */
export function keySigner(key: KeyObject): Signer {
	if (key.type !== "private") throw new RangeError("That is not a private key.");
	const point = pointOf(createPublicKey(key));
	return { point, sign: (message) => new Uint8Array(sign("sha256", message, { key, dsaEncoding: "ieee-p1363" })) };
}

export function pointOf(key: KeyObject): Uint8Array {
	const point = pointOfKey(key);
	if (point === undefined) throw new RangeError("Firmware is signed by keys on the curve P-256; that is another kind.");
	return point;
}

export function publicKeyOf(point: Uint8Array): KeyObject {
	if (point.length !== P256_POINT_LENGTH || point[0] !== 4) throw new RangeError("That is not a point: 4, x, y.");
	const coordinate = (start: number) => Buffer.from(point.subarray(start, start + 32)).toString("base64url");
	return createPublicKey({ key: { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) }, format: "jwk" });
}

/** First 8 bytes of the SHA-256 of the point. */
export function keyIdOf(point: Uint8Array): Uint8Array {
	return createHash("sha256").update(point).digest().subarray(0, 8);
}

export function isSignature(point: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
	return verify("sha256", message, { key: publicKeyOf(point), dsaEncoding: "ieee-p1363" }, signature);
}

/** r and s of a DER signature (RFC 3279, 2.2.3). */
export function derSignature(bytes: Uint8Array): Uint8Array | undefined {
	const { offset, result } = fromBER(bytes);
	if (offset !== bytes.length || !(result instanceof Sequence)) return undefined;
	const numbers = result.valueBlock.value;
	if (numbers.length !== 2 || !numbers.every((one) => one instanceof Integer)) return undefined;
	const texts = numbers.map((one) =>
		(one as Integer)
			.toBigInt()
			.toString(16)
			.padStart(2 * 32, "0"),
	);
	return texts.every((one) => one.length === 2 * 32) ? Buffer.from(texts.join(""), "hex") : undefined;
}
