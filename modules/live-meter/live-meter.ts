/**
 * Gives live values to batteries and wallboxes, in the dialects that the owner has switched on. While all are off,
 * nothing is parsed and no path is known.
 *
 * Answers go to listed addresses only, and only while the values are fresh: the age limit is that of the dialect or of
 * the owner. Otherwise a live page is answered by 503 without a body, so that a client sees that its meter is away, in
 * place of an old value or 0. All other requests are left to the API, as if no dialect existed.
 */
import type { PlainPages } from "../api/api.js";
import { asciiBytes, upperCase } from "../bytes/ascii.js";
import { encodeHex } from "../bytes/hex.js";
import type { Core, Running } from "../core/core.js";
import type { MDNSService } from "../dns/mdns-records.js";
import type { BodySink } from "../http/handler.js";
import { type HTTPRequest, METHOD_GET } from "../http/request.js";
import { BytesSource, type HTTPResponse } from "../http/response.js";
import type { Readout } from "../readout/readout.js";
import { NETWORK } from "../wifi/part.js";
import { Clients } from "./clients.js";
import type { AnnouncedService, Dialect, Page } from "./dialect.js";
import { DIALECTS } from "./dialects.js";
import {
	LIVE_CLIENTS,
	LIVE_INVERTED,
	LIVE_MAX_AGE_SECS,
	LIVE_OFFSET_W,
	LIVE_PAUSE_MS,
	LIVE_TOTAL_ON,
	TOTAL_ON_ALL,
} from "./fields.js";
import { LIVE_COUNT, LIVE_POWER, takeLiveValues } from "./live-values.js";
import { textOfMessage, writeMessage } from "./message.js";
import { MinuteMean } from "./minute-mean.js";
import { SHOWN_COUNT, showValues } from "./shown-values.js";

/** Bytes of the unit's identifier. */
const ID_LENGTH = 6;
/** Second bit of the first byte: an address that no maker has assigned (IEEE 802). */
const LOCAL_ADDRESS = 2;

export class LiveMeter implements Running, PlainPages {
	readonly #core: Core;
	/** Exists while at least one dialect is on. */
	service: LiveService | undefined;

	constructor(core: Core) {
		this.#core = core;
		this.settingsChanged();
	}

	settingsChanged(): void {
		const core = this.#core;
		const { config, safeMode } = core;
		const isOn = safeMode === "" && DIALECTS.some(({ enabled }) => config.get(enabled));
		if (isOn) {
			this.service ??= new LiveService(core);
			this.service.clients.listed = config.get(LIVE_CLIENTS);
		} else this.service = undefined;
		const networking = core.find(NETWORK);
		const { service } = this;
		if (service === undefined && networking.announced === undefined) return;
		networking.announced = service && ((ip: string) => service.announced(ip));
		networking.updateServices();
	}

	measured(readout: Readout): void {
		this.service?.measured(readout);
	}

	/** Forgets the values, which are of another meter. */
	meterChanged(): void {
		this.service?.forget();
	}

	answer(request: HTTPRequest, response: HTTPResponse): BodySink | boolean {
		return this.service?.answer(request, response) ?? false;
	}
}

export class LiveService {
	readonly clients: Clients;
	/** Identifier of the unit in all dialects, 12 hex digits in capitals. */
	readonly id: string;
	readonly #core: Core;
	readonly #live = new Float64Array(LIVE_COUNT).fill(Number.NaN);
	readonly #shown = new Float64Array(SHOWN_COUNT);
	readonly #mean = new MinuteMean();
	/** Time of the last readout, monotonic ms. */
	#measuredMs = Number.NEGATIVE_INFINITY;

	constructor(core: Core) {
		this.#core = core;
		this.clients = new Clients(core.config.get(LIVE_CLIENTS));
		this.id = idOf(core);
	}

	measured(readout: Readout): void {
		const { clock, text } = this.#core;
		takeLiveValues(readout, text, this.#live);
		this.#measuredMs = clock.monotonicMs();
		const power = this.#live[LIVE_POWER];
		if (!Number.isNaN(power)) this.#mean.add(power, this.#measuredMs);
	}

	forget(): void {
		this.#live.fill(Number.NaN);
		this.#measuredMs = Number.NEGATIVE_INFINITY;
	}

	/** False if the last readout has no power. */
	get hasPower(): boolean {
		return !Number.isNaN(this.#live[LIVE_POWER]);
	}

	/** Age of the values, ms; Infinity without a readout. */
	get ageMs(): number {
		return this.#core.clock.monotonicMs() - this.#measuredMs;
	}

	/** Returns the maximum age of the values in a dialect, ms. */
	maxAgeMs({ maxAgeMs }: Dialect): number {
		const secs = this.#core.config.get(LIVE_MAX_AGE_SECS);
		return secs === 0 ? maxAgeMs : secs * 1000;
	}

	isFresh(dialect: Dialect): boolean {
		return this.hasPower && this.ageMs <= this.maxAgeMs(dialect);
	}

	/** Returns the shown values (shown-values.ts), valid until the next call. */
	show(): Float64Array {
		const { clock, config } = this.#core;
		const nowMs = clock.monotonicMs();
		const corrections = {
			isInverted: config.get(LIVE_INVERTED),
			offsetW: config.get(LIVE_OFFSET_W),
			isOnAll: config.get(LIVE_TOTAL_ON) === TOTAL_ON_ALL,
		};
		showValues(this.#live, corrections, [nowMs - this.#measuredMs, this.#mean.at(nowMs)], this.#shown);
		return this.#shown;
	}

	answer(request: HTTPRequest, response: HTTPResponse): boolean {
		const { config } = this.#core;
		if (request.method !== METHOD_GET) return false;
		for (let i = 0; i < DIALECTS.length; i++) {
			const { enabled, pages } = DIALECTS[i];
			if (!config.get(enabled)) continue;
			const found = pages.find(({ path }) => path === request.path);
			if (found !== undefined) return this.answerPage(i, found, request.remoteAddress, response);
		}
		return false;
	}

	/** Services of the dialects that are on, for multicast DNS. */
	announced(ip: string): MDNSService[] {
		const { config, httpPort } = this.#core;
		const services: MDNSService[] = [];
		for (const { enabled, services: own } of DIALECTS) {
			if (config.get(enabled)) for (const one of own) services.push(this.serviceOf(one, ip, httpPort));
		}
		return services;
	}

	private serviceOf({ type, instance, txt, hasAddress }: AnnouncedService, ip: string, port: number): MDNSService {
		const texts = txt.map((one) => textOfMessage(one, this.id));
		if (hasAddress) texts.push(`ip=${ip}`);
		return { type, instance: textOfMessage(instance, this.id), port, txt: texts };
	}

	/** Returns false without an answer if the address is not listed. */
	private answerPage(index: number, { message, room, isLive }: Page, address: string, response: HTTPResponse): boolean {
		const { clock, config, writer } = this.#core;
		const nowMs = clock.monotonicMs();
		const row = this.clients.asked(address, index, nowMs);
		if (row < 0) return false;
		response.lines("Cache-Control: no-store\r\n");
		if (isLive && !(this.isFresh(DIALECTS[index]) && this.clients.mayAnswer(row, config.get(LIVE_PAUSE_MS), nowMs))) {
			response.send(503);
			return true;
		}
		const values = this.show();
		const bytes = new Uint8Array(room);
		writer.begin(bytes, 0, room);
		writeMessage(writer, message, values, this.id);
		if (isLive) this.clients.answered(row, values[LIVE_POWER], nowMs);
		response.lines("Content-Type: application/json\r\n");
		response.send(200, new BytesSource(bytes, 0, writer.produced), writer.produced);
		return true;
	}
}

/** Makes the identifier from the serial number, in the form of a MAC address that no maker has assigned. */
function idOf({ crypto, info, text }: Core): string {
	const bytes = crypto.sha256(asciiBytes(info.serial)).slice(0, ID_LENGTH);
	// The lowest bit would be a group.
	bytes[0] = (bytes[0] & 0xfc) | LOCAL_ADDRESS;
	const hex = encodeHex(bytes);
	return upperCase(text.decode(hex, 0, hex.length));
}
