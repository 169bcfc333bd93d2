/** Certificate routes: details, file, upload of PEM text over HTTPS, reset to the device's own certificate. */

import { ClaimedBody } from "../../api/claimed-body.js";
import { HTTPS_REQUIRED, NOT_FOUND } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { NO_MEMORY } from "../../config/blob.js";
import { keepCertificates, refusalOf, TOO_LARGE } from "../../config/certificate-rules.js";
import { EVENT_CERTIFICATE } from "../../diagnostics/events.js";
import type { BodySink } from "../../http/handler.js";
import { BytesSource } from "../../http/response.js";
import {
	CERTIFICATE_FILE_LIMIT,
	CERTIFICATES_WELL,
	type CertificateDetails,
	type CertificateFile,
	KEY_TYPE_EC,
	KEY_TYPE_RSA,
	PRIVATE_KEY_ABSENT,
} from "../../io/crypto.js";
import type { Cost } from "../../io/memory.js";
import { longUTCText } from "../../time/iso.js";
import type { Identity } from "./identity.js";

export const FILE_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 2048 });

const NO_DETAILS: CertificateDetails = Object.freeze({
	subject: "",
	issuer: "",
	validFromMs: 0,
	validToMs: 0,
	keyType: 0,
	keyBits: 0,
	fingerprint: "",
	issuedByNext: false,
});

const NO_FILE: CertificateFile = Object.freeze({
	certificates: Object.freeze([]),
	problem: CERTIFICATES_WELL,
	key: PRIVATE_KEY_ABSENT,
});

export function getCertificate(exchange: Exchange<Identity>): void {
	const file = exchange.part.installed.isThere ? readInstalled(exchange) : readOwn(exchange);
	if (file === NO_MEMORY) exchange.busy();
	else answer(exchange, file, false);
}

export function getCertificateFile(exchange: Exchange<Identity>): void {
	const { core, part, response } = exchange;
	const file = part.borrow(core.ledger);
	if (file === undefined) {
		exchange.fail(
			404,
			NOT_FOUND,
			"Flash has no readable certificate: restart the gateway, which then makes a new one.",
		);
		return;
	}
	if (file === NO_MEMORY) {
		exchange.busy();
		return;
	}
	const length = keepCertificates(file);
	const certificates = new BytesSource(file, 0, length);
	response.header("Content-Disposition", `attachment; filename="${core.hostname}.pem"`);
	response.lines("Content-Type: application/x-pem-file\r\n");
	const read = (into: Uint8Array, start: number, end: number) => certificates.read(into, start, end);
	response.send(200, { read, close: () => core.ledger.drop(file) }, length);
}

export function postCertificate(exchange: Exchange<Identity>): BodySink | undefined {
	if (exchange.secure) {
		const file = exchange.core.ledger.bytes(CERTIFICATE_FILE_LIMIT);
		const sink = file && ClaimedBody.open(exchange, FILE_COST, () => new Upload(exchange, file));
		if (sink === undefined) {
			if (file !== undefined) exchange.core.ledger.drop(file);
			exchange.busy();
		}
		return sink;
	}
	exchange.fail(403, HTTPS_REQUIRED, "A certificate comes with its private key, which is only accepted over HTTPS.");
	return undefined;
}

export function postCertificateReset(exchange: Exchange<Identity>): void {
	const { core, part } = exchange;
	const wasThere = part.installed.isThere;
	part.installed.remove();
	if (wasThere) core.events.note(EVENT_CERTIFICATE, "own");
	answer(exchange, readOwn(exchange), wasThere);
	if (wasThere) core.restartSoon();
}

class Upload implements BodySink {
	/**
	 * The server must not limit the body. `write` refuses a file that is too large, because this route reports errors
	 * as plain text.
	 */
	readonly limit = Number.POSITIVE_INFINITY;
	readonly #exchange: Exchange<Identity>;
	/** Buffer of CERTIFICATE_FILE_LIMIT bytes, lent by the ledger. */
	readonly #file: Uint8Array;
	#length = 0;

	constructor(exchange: Exchange<Identity>, file: Uint8Array) {
		this.#exchange = exchange;
		this.#file = file;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		if (end - start > this.#file.length - this.#length) {
			this.#exchange.plainText(400, TOO_LARGE);
			this.wipe();
			return;
		}
		for (let i = start; i < end; i++) this.#file[this.#length + i - start] = bytes[i];
		this.#length += end - start;
	}

	end(): void {
		const { core, part } = this.#exchange;
		const { crypto, clock, events } = core;
		try {
			const bytes = this.#file.subarray(0, this.#length);
			const file = crypto.readCertificates(bytes);
			const refusal = refusalOf(bytes, file, clock.utcMs());
			if (refusal === "") {
				part.installed.install(bytes);
				events.note(EVENT_CERTIFICATE, "installed");
				answer(this.#exchange, file, true);
				core.restartSoon();
			} else this.#exchange.plainText(400, refusal);
		} finally {
			this.wipe();
		}
	}

	abort(): void {
		this.wipe();
	}

	private wipe(): void {
		if (this.#file.length === 0) return;
		this.#file.fill(0);
		this.#exchange.core.ledger.drop(this.#file);
	}
}

function readOwn({ core, part }: Exchange<Identity>): CertificateFile {
	const bytes = part.own.read();
	return bytes === undefined ? NO_FILE : core.crypto.readCertificates(bytes);
}

function readInstalled({ core, part }: Exchange<Identity>): CertificateFile | typeof NO_MEMORY {
	const { crypto, ledger } = core;
	const bytes = part.installed.borrow(ledger);
	if (bytes === undefined || bytes === NO_MEMORY) return bytes ?? NO_FILE;
	try {
		return crypto.readCertificates(bytes);
	} finally {
		ledger.drop(bytes);
	}
}

function answer(exchange: Exchange<Identity>, { certificates }: CertificateFile, reboot: boolean): void {
	const { isThere: custom, lastError } = exchange.part.installed;
	const { text } = exchange.core;
	const details = certificates[0] ?? NO_DETAILS;
	const validFrom = longUTCText(details.validFromMs, text);
	const validTo = longUTCText(details.validToMs, text);
	exchange.object((writer) => {
		booleanMember(writer, "custom", custom);
		textMember(writer, "subject", details.subject);
		textMember(writer, "issuer", details.issuer);
		textMember(writer, "valid_from", validFrom);
		textMember(writer, "valid_to", validTo);
		textMember(writer, "key_type", keyTypeText(details.keyType));
		numberMember(writer, "key_bits", details.keyBits);
		textMember(writer, "fingerprint", details.fingerprint);
		numberMember(writer, "chain_length", certificates.length);
		numberMember(writer, "max_size", CERTIFICATE_FILE_LIMIT);
		booleanMember(writer, "upload_allowed", exchange.secure);
		booleanMember(writer, "reboot", reboot);
		if (lastError !== "") textMember(writer, "last_error", lastError);
	});
}

function keyTypeText(keyType: number): string {
	if (keyType === KEY_TYPE_EC) return "EC";
	return keyType === KEY_TYPE_RSA ? "RSA" : "";
}
