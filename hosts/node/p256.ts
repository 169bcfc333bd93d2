/** P-256 of the host's `crypto`. */
import { createECDH, createPublicKey, type KeyObject, verify } from "node:crypto";
import { type KeyAgreement, P256_POINT_LENGTH, P256_SIGNATURE_LENGTH } from "../../modules/io/crypto.js";

const CURVE = "prime256v1";
const COORDINATE_LENGTH = 32;
const UNCOMPRESSED = 4;

export function verifySignature(point: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
	const key = signature.length === P256_SIGNATURE_LENGTH ? publicKeyOf(point) : undefined;
	return key !== undefined && verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, signature);
}

/** `pem`: public or private key. Undefined if the key is not on P-256. */
export function pointOf(pem: string | Buffer): Uint8Array | undefined {
	try {
		return pointOfKey(createPublicKey(pem));
	} catch {
		return undefined;
	}
}

export function pointOfKey(key: KeyObject): Uint8Array | undefined {
	if (key.asymmetricKeyDetails?.namedCurve !== CURVE) return undefined;
	const { x, y } = key.export({ format: "jwk" });
	return Buffer.concat([Buffer.of(UNCOMPRESSED), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")]);
}

export function agree(point: Uint8Array): KeyAgreement {
	if (publicKeyOf(point) === undefined) throw new RangeError("That is not a point of P-256");
	const own = createECDH(CURVE);
	return { publicKey: new Uint8Array(own.generateKeys()), secret: new Uint8Array(own.computeSecret(point)) };
}

/** Undefined for anything but an uncompressed point of the curve. */
function publicKeyOf(point: Uint8Array): KeyObject | undefined {
	if (point.length !== P256_POINT_LENGTH || point[0] !== UNCOMPRESSED) return undefined;
	const coordinate = (start: number) =>
		Buffer.from(point.subarray(start, start + COORDINATE_LENGTH)).toString("base64url");
	try {
		const jwk = { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(1 + COORDINATE_LENGTH) };
		return createPublicKey({ key: jwk, format: "jwk" });
	} catch {
		return undefined;
	}
}
