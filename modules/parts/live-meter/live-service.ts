/**
 * Replies to batteries and wallboxes with live values, in the dialects that the owner has switched on.
 *
 * Only listed addresses get replies, and only while the values are fresh: not older than PATIENCE intervals of the meter
 * and the limit of the dialect, or than the limit that the owner has set. Otherwise the reply to a request for values is
 * 503 without a body. A client then notices that it has no meter, instead of using an old value or 0. The API handles
 * requests for other paths.
 */
import { ClaimedBody } from "../../api/claimed-body.js";
import { Exchange } from "../../api/exchange.js";
import { numberMember, textMember } from "../../api/members.js";
import { asciiBytes, lowerCase, upperCase } from "../../bytes/ascii.js";
import { encodeHex } from "../../bytes/hex.js";
import type { Core } from "../../core/core.js";
import type { MDNSService } from "../../dns/mdns-records.js";
import type { BodySink } from "../../http/handler.js";
import { type HTTPRequest, METHOD_POST } from "../../http/request.js";
import type { HTTPResponse } from "../../http/response.js";
import { Datagrams } from "../../io/datagrams.js";
import type { Cost } from "../../io/memory.js";
import type { JSONWriter } from "../../json/writer.js";
import { LIVE_COUNT, LIVE_EXPORT, LIVE_IMPORT, LIVE_POWER, takeLiveValues } from "../../live-meter/live-values.js";
import { textOfMessage, writeMessage } from "../../live-meter/message.js";
import { addToMean, MEAN_SIZE, meanOf } from "../../live-meter/minute-mean.js";
import { correctedPower, showValues } from "../../live-meter/shown-values.js";
import type { Readout } from "../../readout/readout.js";
import { NETWORK } from "../network/part.js";
import type { Announcer } from "../network/services.js";
import { Clients } from "./clients.js";
import type { AnnouncedService, Dialect, Page } from "./dialect.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";
import { DIALECTS } from "./dialects.js";
import {
	LIVE_INVERTED,
	LIVE_MAX_AGE_SECS,
	LIVE_OFFSET_W,
	LIVE_PAUSE_MS,
	LIVE_SHELLY_UDP_PORT,
	LIVE_TOTAL_ON,
	TOTAL_ON_ALL,
} from "./fields.js";
import { NAME_LIMIT, NO_CLIENT, REPLY_LIMIT, RequestReader, type RPCAnswers, RPCPort, type RPCRequest } from "./rpc.js";
import { RPCSockets } from "./rpc-sockets.js";

const PART = "live meter";
const RPC_PATH = "/rpc";
/** Memory while a frame arrives: less than for the body of a request to the API, because it has three short fields. */
const FRAME_COST: Cost = Object.freeze({ slots: 100, chunkBytes: 2048 });
const RPC_DIALECT = DIALECTS.findIndex(({ rpcSource }) => rpcSource !== undefined);
/** RPC methods whose results are also sent in notifications. */
const NOTIFIED = "EM.GetStatus";
const NOTIFIED_COUNTERS = "EMData.GetStatus";
/**
 * Number of intervals of the meter, and least time in ms, after which values are too old, if the dialect's limit is not
 * shorter. A battery would otherwise add the last power of a meter that has stopped again and again.
 */
const PATIENCE = 3;
const LEAST_MS = 5000;
const REFUSAL_ROOM = 192;
const ID_LENGTH = 6;
/** Bit 1 of the first byte of a MAC address, which marks an address that no maker has assigned (IEEE 802). */
const LOCAL_ADDRESS = 2;

export class LiveService implements Announcer, LiveValues, RPCAnswers {
	readonly clients: Clients;
	readonly id: string;
	readonly core: Core;
	/**
	 * Live values, then the numbers of minute-mean.ts for the mean power. They share one array, because each array takes
	 * 8 slots.
	 */
	readonly #numbers = new Float64Array(LIVE_COUNT + MEAN_SIZE);
	hasBegun = false;
	#measuredMs = Number.NEGATIVE_INFINITY;
	/** Time between the last two readouts, ms; Infinity before the second one. */
	#everyMs = Number.POSITIVE_INFINITY;
	#datagrams: Datagrams<RPCPort> | undefined;
	readonly #sockets: RPCSockets;
	readonly #ports: (DialectPort | undefined)[] = [];

	constructor(core: Core) {
		this.core = core;
		this.clients = new Clients(core.config);
		this.id = idOf(core);
		this.#sockets = new RPCSockets(this, core.text, core.ledger);
		this.forget();
	}

	measured(readout: Readout): void {
		const { clock, text } = this.core;
		takeLiveValues(readout, text, this.#numbers);
		this.#everyMs = Math.max(1, this.ageMs);
		this.#measuredMs = clock.monotonicMs();
		this.hasBegun = true;
		if (this.hasPower) addToMean(this.#numbers, LIVE_COUNT, this.#numbers[LIVE_POWER], this.#measuredMs);
		for (const port of this.#ports) port?.measured?.();
		this.#sockets.measured();
	}

	forget(): void {
		this.#numbers.fill(Number.NaN, 0, LIVE_COUNT);
		this.#numbers.fill(0, LIVE_COUNT);
		this.#measuredMs = Number.NEGATIVE_INFINITY;
	}

	get hasPower(): boolean {
		return !Number.isNaN(this.#numbers[LIVE_POWER]);
	}

	/** Age of the values, ms; Infinity before the first readout. */
	get ageMs(): number {
		return this.core.clock.monotonicMs() - this.#measuredMs;
	}

	get countedWh(): number {
		return (this.#numbers[LIVE_IMPORT] || 0) + (this.#numbers[LIVE_EXPORT] || 0);
	}

	/** The momentary values are too old for all outputs. */
	expire(): void {
		this.forget();
		this.#sockets.check(false);
	}

	maxAgeMs(dialect: Pick<Dialect, "maxAgeMs">): number {
		const hasOwn = this.core.config.get(LIVE_MAX_AGE_SECS) > 0;
		const intervalsMs = hasOwn ? Number.POSITIVE_INFINITY : Math.max(LEAST_MS, PATIENCE * this.#everyMs);
		return Math.min(this.limitMs(dialect), intervalsMs);
	}

	/** Returns the limit of the dialect, or the limit that the owner has set, ms. */
	private limitMs({ maxAgeMs }: Pick<Dialect, "maxAgeMs">): number {
		const secs = this.core.config.get(LIVE_MAX_AGE_SECS);
		return secs === 0 ? maxAgeMs : secs * 1000;
	}

	isFresh(dialect: Pick<Dialect, "maxAgeMs">): boolean {
		return this.hasPower && this.ageMs <= this.maxAgeMs(dialect);
	}

	want(dialect: Pick<Dialect, "maxAgeMs"> = DIALECTS[RPC_DIALECT]): boolean {
		const { clock, live } = this.core;
		live.wantedToMs = Math.max(live.wantedToMs, clock.monotonicMs() + this.limitMs(dialect));
		return this.isFresh(dialect);
	}

	show(row = -1): Float64Array {
		const { clock, config } = this.core;
		const nowMs = clock.monotonicMs();
		const numbers = this.#numbers;
		const corrections = {
			isInverted: config.get(LIVE_INVERTED),
			offsetW: config.get(LIVE_OFFSET_W),
			isOnAll: config.get(LIVE_TOTAL_ON) === TOTAL_ON_ALL,
		};
		const averageW = meanOf(numbers, LIVE_COUNT, nowMs);
		const moment = { ageMs: nowMs - this.#measuredMs, everyMs: this.#everyMs };
		const part = row < 0 ? 1 : this.clients.takePart(row, correctedPower(numbers, corrections), moment, nowMs);
		return showValues(numbers, corrections, moment.ageMs, averageW, part);
	}

	/**
	 * Returns true if the reply was sent, the receiver of the request's body, or false if the request is not for a
	 * dialect. A browser gets no answer, because any web page could make it ask.
	 */
	answer(request: HTTPRequest, response: HTTPResponse): BodySink | boolean {
		const { config } = this.core;
		const { method, path, remoteAddress } = request;
		if (isFromBrowser(request)) return false;
		for (let i = 0; i < DIALECTS.length; i++) {
			const { enabled, pages, places, rpcSource } = DIALECTS[i];
			if (!config.get(enabled)) continue;
			const isRPC = rpcSource !== undefined;
			const isFrame = isRPC && method === METHOD_POST && path === RPC_PATH;
			const isCall = isRPC && method === METHOD_POST && path.startsWith(RPC_PATH);
			const found = pages.find((one) => isAt(path, one) && (one.method === method || isCall));
			if (isRPC && path === RPC_PATH && this.#sockets.answer(request, response)) return true;
			const isOwn = isFrame || found !== undefined || places?.some((place) => path.startsWith(place));
			if (!isOwn) continue;
			const row =
				isFrame || found !== undefined
					? this.clients.recordRequest(remoteAddress, i, this.core.clock.monotonicMs())
					: this.clients.rowOfListed(remoteAddress, i);
			// The API refuses these itself, with the status of a HomeWizard meter whose API is off.
			if (row < 0 && path.startsWith("/api")) return false;
			response.lines("Cache-Control: no-store\r\n");
			if (row >= 0 && isFrame) return this.readFrame(row, request, response);
			if (row < 0 || found === undefined) this.refuse(response, path);
			else {
				found.act?.(this.core);
				this.send(response, this.pageOf(i, row, found));
			}
			return true;
		}
		return false;
	}

	servicesAt(ip: string): MDNSService[] {
		const { config, httpPort } = this.core;
		const services: MDNSService[] = [];
		for (const { enabled, services: own } of DIALECTS) {
			if (config.get(enabled)) for (const one of own) services.push(this.serviceOf(one, ip, httpPort));
		}
		return services;
	}

	openPorts(isUp: boolean): void {
		const { config } = this.core;
		let hasUDP = isUp;
		for (let i = 0; i < DIALECTS.length; i++) {
			const { also, enabled, isUDP, open } = DIALECTS[i];
			if (open === undefined) continue;
			const isOn = isUp && (config.get(enabled) || (also !== undefined && config.get(also)));
			const isWanted = isOn && (isUDP !== true || hasUDP);
			if (isUDP && isWanted) hasUDP = false;
			if (isWanted === (this.#ports[i] !== undefined)) continue;
			this.#ports[i]?.stop();
			this.#ports[i] = isWanted ? open(this, i, DIALECTS) : undefined;
		}
		const isRPCOn = isUp && config.get(DIALECTS[RPC_DIALECT].enabled);
		this.#sockets.check(isRPCOn);
		this.openRPCPort(isRPCOn && hasUDP ? config.get(LIVE_SHELLY_UDP_PORT) : 0);
	}

	private openRPCPort(port: number): void {
		const { text } = this.core;
		const deps = this.core.find(NETWORK).datagrams;
		if (port === (this.#datagrams?.machine.port?.port ?? 0)) return;
		if (port === 0 || deps === undefined) {
			this.#datagrams?.stop();
			this.#datagrams = undefined;
			return;
		}
		if (this.#datagrams === undefined) {
			this.#datagrams = new Datagrams(deps, PART, new RPCPort(this, deps.buffer, text));
		}
		const { machine, task } = this.#datagrams;
		task.update(() => {
			machine.port = { port };
		});
	}

	admits(address: string): boolean {
		return this.clients.admits(address, RPC_DIALECT, this.core.clock.monotonicMs());
	}

	answerDatagram(request: RPCRequest, address: string, into: Uint8Array): number {
		if (!this.clients.mayReceive(address, RPC_DIALECT, this.core.clock.monotonicMs())) return 0;
		const length = this.answerMessage(request, address, into);
		return pageOfMethod(request.method) === undefined ? 0 : Math.max(0, length);
	}

	answerMessage(request: RPCRequest, address: string, into: Uint8Array): number {
		const row = this.clients.recordRequest(address, RPC_DIALECT, this.core.clock.monotonicMs());
		return row < 0 ? NO_CLIENT : this.writeFrame(row, pageOfMethod(request.method), request, into);
	}

	notify(receiver: string, address: string, hasCounters: boolean, into: Uint8Array): number {
		const { clock, writer } = this.core;
		const row = this.clients.rowOfListed(address, RPC_DIALECT);
		const found = pageOfMethod(NOTIFIED);
		const counters = pageOfMethod(NOTIFIED_COUNTERS);
		if (row < 0 || found === undefined) return NO_CLIENT;
		if (!this.mayAnswer(RPC_DIALECT, row, found)) return 0;
		this.beginFrame(into, receiver);
		textMember(writer, "method", "NotifyStatus");
		writer.key("params");
		writer.beginObject();
		numberMember(writer, "ts", (clock.utcMs() ?? Number.NaN) / 1000);
		writer.key("em:0");
		this.write(row, found);
		if (hasCounters && counters !== undefined) {
			writer.key("emdata:0");
			writeMessage(writer, counters.message, this.show(), this.id);
		}
		writer.endObject();
		writer.endObject();
		return writer.produced;
	}

	private serviceOf({ type, instance, txt, hasAddress }: AnnouncedService, ip: string, port: number): MDNSService {
		const texts: string[] = [];
		for (let i = 0; i < txt.length; i++) texts.push(textOfMessage(txt[i], this.id));
		if (hasAddress) texts.push(`ip=${ip}`);
		return { type, instance: textOfMessage(instance, this.id), port, txt: texts };
	}

	private readFrame(row: number, request: HTTPRequest, response: HTTPResponse): BodySink | true {
		const core = this.core;
		const exchange = new Exchange(core, request, response, { part: this, token: "", parameter: "" });
		const open = () =>
			new RequestReader(core.text, (rpcRequest) => {
				if (rpcRequest === undefined) {
					response.send(400);
					return;
				}
				const bytes = new Uint8Array(REPLY_LIMIT);
				const length = this.writeFrame(row, pageOfMethod(rpcRequest.method), rpcRequest, bytes);
				this.send(response, length === 0 ? undefined : bytes.subarray(0, length));
			});
		const body = ClaimedBody.open(exchange, FRAME_COST, open);
		if (body === undefined) response.send(503);
		return body ?? true;
	}

	/** Returns the text of a page; undefined if there is no fresh value. */
	private pageOf(index: number, row: number, found: Page): Uint8Array | undefined {
		const { writer } = this.core;
		if (!this.mayAnswer(index, row, found)) return undefined;
		const bytes = new Uint8Array(found.room);
		writer.begin(bytes, 0, found.room);
		this.write(row, found);
		return bytes.subarray(0, writer.produced);
	}

	/**
	 * Writes the reply to an RPC request, or an error if there is no page for it. Returns its length; 0 if there is no
	 * fresh value.
	 */
	private writeFrame(
		row: number,
		found: Page | undefined,
		{ id, method, source }: RPCRequest,
		into: Uint8Array,
	): number {
		const { writer } = this.core;
		if (found !== undefined && !this.mayAnswer(RPC_DIALECT, row, found)) return 0;
		this.beginFrame(into, source, id);
		writer.key(found === undefined ? "error" : "result");
		if (found !== undefined) this.write(row, found);
		else {
			writeRefusal(writer, method);
		}
		writer.endObject();
		return writer.produced;
	}

	private beginFrame(into: Uint8Array, receiver: string, id?: RPCRequest["id"]): void {
		const { writer } = this.core;
		const { rpcSource } = DIALECTS[RPC_DIALECT];
		writer.begin(into, 0, into.length);
		writer.beginObject();
		if (id !== undefined) {
			writer.key("id");
			if (id === null) writer.null();
			else if (typeof id === "string") writer.string(id);
			else writer.number(id);
		}
		textMember(writer, "src", rpcSource === undefined ? "" : textOfMessage(rpcSource, this.id));
		textMember(writer, "dst", receiver);
	}

	private mayAnswer(index: number, row: number, { isLive }: Page): boolean {
		const { clock, config } = this.core;
		if (!isLive) return true;
		return this.want(DIALECTS[index]) && this.clients.mayAnswer(row, config.get(LIVE_PAUSE_MS), clock.monotonicMs());
	}

	private write(row: number, { begin, message, isLive }: Page): void {
		const { clock, writer } = this.core;
		const values = this.show(isLive ? row : -1);
		begin?.(writer, this);
		writeMessage(writer, message, values, this.id);
		if (isLive) this.clients.answered(row, values[LIVE_POWER], clock.monotonicMs());
	}

	/** Replies 404, as a Shelly does for an unknown method and for each page that it does not have. */
	private refuse(response: HTTPResponse, path: string): void {
		const { writer } = this.core;
		const bytes = new Uint8Array(REFUSAL_ROOM);
		const from = path.startsWith(`${RPC_PATH}/`) ? RPC_PATH.length + 1 : 1;
		const method = path.slice(from, from + NAME_LIMIT);
		writer.begin(bytes, 0, bytes.length);
		writeRefusal(writer, method);
		response.lines("Content-Type: application/json\r\n");
		response.sendBytes(404, bytes.subarray(0, writer.produced));
	}

	private send(response: HTTPResponse, bytes: Uint8Array | undefined): void {
		if (bytes === undefined) response.send(503);
		else {
			response.lines("Content-Type: application/json\r\n");
			response.sendBytes(200, bytes);
		}
	}
}

/** Writes the error for an unknown method, in the words of a Shelly. */
function writeRefusal(writer: JSONWriter, method: string): void {
	writer.beginObject();
	numberMember(writer, "code", 404);
	textMember(writer, "message", `No handler for ${method}`);
	writer.endObject();
}

/** True for a request that a browser sends for a page, for a script, or for its user. */
function isFromBrowser(request: HTTPRequest): boolean {
	return request.header("origin") !== undefined || request.header("accept-language") !== undefined;
}

/** Names of RPC methods have no case: aioshelly calls `WiFi.SetConfig`, which is `Wifi.SetConfig` in Shelly's documents. */
function isAt(path: string, page: Page): boolean {
	if (page.path === path) return true;
	// Equal lengths are rare, and the change of case takes long.
	const mayDiffer = page.path.startsWith(RPC_PATH) && page.path.length === path.length;
	return mayDiffer && lowerCase(page.path) === lowerCase(path);
}

function pageOfMethod(method: string): Page | undefined {
	const path = `${RPC_PATH}/${method}`;
	return DIALECTS[RPC_DIALECT].pages.find((page) => isAt(path, page));
}

/** Derives the identifier from the serial number. It has the form of a MAC address that no maker has assigned. */
function idOf({ crypto, info, text }: Core): string {
	const bytes = crypto.sha256(asciiBytes(info.serial)).slice(0, ID_LENGTH);
	// The lowest bit would mark a group address.
	bytes[0] = (bytes[0] & 0xfc) | LOCAL_ADDRESS;
	const hex = encodeHex(bytes);
	return upperCase(text.decode(hex, 0, hex.length));
}
