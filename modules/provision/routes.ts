/** Routes of the provisioning by signed files (API text): settings, result, and a file. */
import { ClaimedBody } from "../api/claimed-body.js";
import type { Exchange } from "../api/exchange.js";
import { numberMember, textMember } from "../api/members.js";
import { settingsOf, writeSettings } from "../api/settings.js";
import type { BodySink } from "../http/handler.js";
import { PROVISION_OWN, PROVISION_RESULT } from "./fields.js";
import { FILE_LIMIT } from "./file.js";
import { FILE_COST, type Provisioning } from "./provisioning.js";

export const PROVISION_SETTINGS = settingsOf(PROVISION_OWN, [], { show });

function show(exchange: Exchange<Provisioning>): void {
	const { config } = exchange.core;
	const { state } = exchange.part;
	exchange.object((writer) => {
		writeSettings(writer, config, PROVISION_OWN);
		textMember(writer, "state", state);
		writeSettings(writer, config, PROVISION_RESULT);
		numberMember(writer, "max_size", FILE_LIMIT);
	});
}

export function postFile(exchange: Exchange<Provisioning>): BodySink | undefined {
	const sink = ClaimedBody.open(exchange, FILE_COST, () => new FileBody(exchange));
	if (sink === undefined) exchange.busy();
	return sink;
}

class FileBody implements BodySink {
	readonly limit = FILE_LIMIT;
	readonly #exchange: Exchange<Provisioning>;
	readonly #file = new Uint8Array(FILE_LIMIT);
	#length = 0;

	constructor(exchange: Exchange<Provisioning>) {
		this.#exchange = exchange;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#file.set(bytes.subarray(start, end), this.#length);
		this.#length += end - start;
	}

	end(): void {
		const exchange = this.#exchange;
		exchange.part.offer(this.#file.subarray(0, this.#length), "api", exchange);
	}
}
