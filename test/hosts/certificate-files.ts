/**
 * Certificates among the resources of portable/certificate-checks.ts. OpenSSL makes them once for a whole run, because
 * making keys takes a while.
 */
import { AUTHORITY, convertKey, make, missingOpenSSL, openssl, rsa } from "./openssl.js";

/** Validity of each certificate, days. */
const DAYS = 30;

let made: Readonly<Record<string, string | Uint8Array>> | undefined;

/** Files by name; empty without OpenSSL, which the checks then report. */
export function certificateFiles(): Readonly<Record<string, string | Uint8Array>> {
	made ??= missingOpenSSL() === undefined ? makeFiles() : {};
	return made;
}

function makeFiles(): Record<string, string | Uint8Array> {
	const p384 = ["EC", "-pkeyopt", "ec_paramgen_curve:P-384"];
	const root = make({ subject: "/CN=Root", algorithm: p384, extensions: AUTHORITY, days: DAYS });
	const middle = make({ subject: "/C=DE/O=Middle", key: rsa(2048), issuer: root, extensions: AUTHORITY, days: DAYS });
	const subject = '/C=PL/O=Żółw, Söhne \\+ "Co"/OU=#1/serialNumber=7/title=Dr/CN=gateway.lan';
	const server = make({ subject, issuer: middle, days: DAYS });
	const own = make({ subject: "/CN=own", key: rsa(2048), days: DAYS });
	const modern = make({ subject: "/CN=modern", algorithm: ["ED25519"], days: DAYS });
	const withText = openssl(["x509", "-in", "file", "-text"], { file: server.certificate }).toString();
	const chain = `${server.certificate}${middle.certificate}${root.certificate}`;
	const curve = openssl(["ecparam", "-name", "prime256v1"]).toString();
	const withPassword = ["-aes128", "-passout", "pass:secret"];
	return {
		"chain.pem": `${withText}${middle.certificate}${root.certificate}${server.key}`.replaceAll("\n", "\r\n"),
		"reversed.pem": `${server.key}${server.certificate}${root.certificate}${middle.certificate}`,
		"sec1.pem": `${chain}${curve}${convertKey(server.key, ["ec"])}`,
		"pkcs1.pem": `${own.certificate}${convertKey(own.key, ["rsa", "-traditional"])}`,
		"encrypted.pem": `${chain}${convertKey(server.key, ["pkey", ...withPassword])}`,
		"encrypted-line.pem": `${chain}${convertKey(server.key, ["ec", ...withPassword])}`,
		"foreign.pem": `${own.certificate}${server.key}`,
		"modern.pem": `${modern.certificate}${modern.key}`,
		"server.der": openssl(["x509", "-in", "file", "-outform", "DER"], { file: server.certificate }),
	};
}
