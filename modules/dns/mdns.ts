/**
 * Multicast DNS responder for `<hostname>.local` and the device's services (RFC 6762, RFC 6763).
 *
 *                started   port opened   port lost   query      name conflict            due
 *   OFF          WAITING   –             –           –          –                        –
 *   WAITING      WAITING   PROBING       –           –          –                        –
 *   PROBING      PROBING   PROBING       WAITING     compares   PROBING, next name       probes, 3 times; ANNOUNCING
 *   ANNOUNCING   PROBING   PROBING       WAITING     answers    PROBING, same name       announces, 3 times; RUNNING
 *   RUNNING      PROBING   PROBING       WAITING     answers    PROBING, same name       delayed answers
 *
 * `stop` leads to OFF from every state; in ANNOUNCING and RUNNING, a goodbye is sent first. A start on another type of
 * network leads to WAITING, until the port of that network is opened. `update` with other names leads to PROBING (in
 * WAITING, the state remains); `update` with another address only leads to ANNOUNCING. Probes are 250 ms apart. The
 * second and third announcement follow after 1 s and 2 s. If two devices probe for the same name at the same time, the
 * loser (8.2) waits for 1 s.
 *
 * All names are probed together. After a conflict, the host name becomes `name-2`, `name-3` …, and an instance becomes
 * `Instance (2)` …. The settings do not change.
 *
 * Limits: after a truncated question, the responder waits for further known answers of one querier at a time (7.2). A
 * plain DNS query (6.7) with several questions is ignored. A reply overwrites its question in the shared buffer.
 * Memory: 1820 bytes (1250 for names, 432 for the times at which records were sent, 128 for the writer), and a text
 * with which changed services are recognized.
 */

import { isSameNetwork, parseIPv4, prefixOf } from "../bytes/ipv4.js";
import type { Crypto } from "../io/crypto.js";
import type { DatagramMachine, DatagramPort, DatagramSender, DatagramSource } from "../io/datagrams.js";
import type { TextCodec } from "../io/host.js";
import {
	CLASS_TOP_BIT,
	type DNSDeps,
	DNSWriter,
	FLAG_AUTHORITATIVE,
	FLAG_RESPONSE,
	FLAG_TRUNCATED,
	LABEL_LIMIT,
	OPCODE_MASK,
	RESPONSE_CODE_MASK,
	SECTION_ADDITIONAL,
	SECTION_ANSWER,
} from "./dns.js";
import {
	FORM_GOODBYE,
	FORM_LEGACY,
	FORM_PLAIN,
	HOST_CONTRADICTED,
	HOST_TAKEN,
	INSTANCE_CONTRADICTED,
	INSTANCE_TAKEN,
	IS_FOREIGN,
	MDNSRecords,
	type MDNSService,
	RECORD_COUNT,
} from "./mdns-records.js";
import { AGAIN_MS, MDNSSchedule } from "./mdns-schedule.js";

export interface MDNSSettings {
	readonly hostname: string;
	/** Instance name of the device, up to 63 bytes of UTF-8. */
	readonly instance: string;
	readonly services: readonly MDNSService[];
	readonly address: string;
	/** Netmask of the network. Queriers outside of this network get no unicast reply (11). */
	readonly netmask: string;
	readonly accessPoint: boolean;
}

export interface MDNSDeps extends DNSDeps {
	readonly crypto: Crypto;
	readonly text: TextCodec;
	trace(message: string): void;
}

const GROUP = "224.0.0.251";
const MDNS_PORT = 5353;
const PORT: DatagramPort = Object.freeze({ port: MDNS_PORT, group: GROUP });
const ACCESS_POINT_PORT: DatagramPort = Object.freeze({ port: MDNS_PORT, group: GROUP, accessPoint: true });

export const MDNS_OFF = 0;
export const MDNS_WAITING = 1;
export const MDNS_PROBING = 2;
export const MDNS_ANNOUNCING = 3;
export const MDNS_RUNNING = 4;

const PROBES = 3;
const PROBE_MS = 250;
const AFTER_LOSS_MS = 1000;
const ANNOUNCEMENTS = 3;
const ANNOUNCE_MS = 1000;
/** Delay of the next attempt after too many conflicts (8.1). */
const AFTER_CONFLICTS_MS = 5000;

/**
 * Delays of answers that other devices may send, too (SHARED, 6), and of answers for which further known answers may
 * arrive (TRUNCATED, 7.2). A random time up to …_SPREAD_MS is added.
 */
const SHARED_MS = 20;
const SHARED_SPREAD_MS = 100;
const TRUNCATED_MS = 400;
const TRUNCATED_SPREAD_MS = 100;
/** Minimum time between two multicasts of a record, if the second one defends a name against a probe (6). */
const DEFEND_MS = 250;
/**
 * A record may be sent by unicast if its last multicast is not longer ago than this. It is a quarter of the shortest
 * time to live.
 */
const LATELY_MS = 30_000;

const NO_INSTANCES: readonly undefined[] = Object.freeze([]);

export class MDNSResponder implements DatagramMachine {
	readonly #deps: MDNSDeps;
	readonly #records = new MDNSRecords();
	readonly #writer: DNSWriter;
	readonly #schedule = new MDNSSchedule();
	/** Names in the settings. #hostNumber and #instanceNumber are appended to them if they are not unique. */
	#hostname = "";
	#instance = "";
	#instances: readonly (string | undefined)[] = NO_INSTANCES;
	#hostNumber = 1;
	#instanceNumber = 1;
	#prefix = -1;
	#accessPoint = false;
	#announcedName = "";
	#state = MDNS_OFF;
	#count = 0;
	#stepMs = Infinity;
	#sender: DatagramSender | undefined;

	constructor(deps: MDNSDeps) {
		this.#deps = deps;
		this.#writer = new DNSWriter(deps.buffer, this.#records.names);
	}

	get state(): number {
		return this.#state;
	}

	/** Host name without `.local`; "" until probing has shown that it is unique. */
	get hostname(): string {
		return this.#state >= MDNS_ANNOUNCING ? this.wantedName : "";
	}

	get port(): DatagramPort | undefined {
		if (this.#state === MDNS_OFF) return undefined;
		return this.#accessPoint ? ACCESS_POINT_PORT : PORT;
	}

	get deadlineMs(): number {
		return Math.min(this.#stepMs, this.#schedule.deadlineMs);
	}

	/**
	 * Starts the responder. Call it when the network has an address. If names are too long, throws a RangeError and
	 * stays off.
	 */
	start(settings: MDNSSettings, nowMs: number): void {
		const hasPort = this.#state >= MDNS_PROBING && this.#accessPoint === settings.accessPoint;
		this.stop();
		this.rename(settings);
		this.setNetwork(settings);
		this.#accessPoint = settings.accessPoint;
		this.#state = MDNS_WAITING;
		if (hasPort) this.probe(nowMs, this.random(PROBE_MS));
	}

	update(settings: MDNSSettings, nowMs: number): void {
		if (this.#state === MDNS_OFF || this.#accessPoint !== settings.accessPoint) {
			this.start(settings, nowMs);
			return;
		}
		if (!this.hasSameNames(settings)) {
			this.sayGoodbye();
			this.rename(settings);
			this.setNetwork(settings);
			if (this.#state !== MDNS_WAITING) this.probe(nowMs, this.random(PROBE_MS));
		} else if (this.setNetwork(settings) && this.#state >= MDNS_ANNOUNCING) this.announce(nowMs);
	}

	stop(): void {
		this.sayGoodbye();
		this.rest(MDNS_OFF);
	}

	opened(sender: DatagramSender, nowMs: number): void {
		this.#sender = sender;
		if (this.#state !== MDNS_OFF) this.probe(nowMs, this.random(PROBE_MS));
	}

	lost(): void {
		if (this.#state !== MDNS_OFF) this.rest(MDNS_WAITING);
	}

	received(length: number, source: DatagramSource, nowMs: number): void {
		if (this.#state < MDNS_PROBING) return;
		const { reader, buffer } = this.#deps;
		if (!reader.open(buffer, length)) return;
		if (reader.flags & (OPCODE_MASK | RESPONSE_CODE_MASK)) return;
		if ((reader.flags & FLAG_RESPONSE) === 0) this.processQuery(source, nowMs);
		else if (source.remotePort === MDNS_PORT) this.checkConflict(nowMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#stepMs) this.step(nowMs);
		this.multicast(this.#schedule.due(nowMs), nowMs);
	}

	private rest(state: number): void {
		this.#state = state;
		this.#stepMs = Infinity;
		this.#schedule.clear();
	}

	/** Returns a random number from 0 to `limit`, which is at most 65535. */
	private random(limit: number): number {
		const [high, low] = this.#deps.crypto.random(2);
		return ((high << 8) | low) % (limit + 1);
	}

	private hasSameNames({ hostname, instance, services }: MDNSSettings): boolean {
		return hostname === this.#hostname && instance === this.#instance && this.#records.has(services);
	}

	private rename({ hostname, instance, services }: MDNSSettings): void {
		this.#records.take(services);
		this.#hostname = hostname;
		this.#instance = instance;
		const isNamed = services.some((service) => service.instance !== undefined);
		this.#instances = isNamed ? services.map((service) => service.instance) : NO_INSTANCES;
		this.#hostNumber = 1;
		this.#instanceNumber = 1;
		this.takeNames();
	}

	private takeNames(): void {
		this.#records.rename(this.wantedName, (service) => this.labelOf(this.#instances[service] ?? this.#instance));
	}

	private labelOf(name: string): Uint8Array {
		const { text } = this.#deps;
		const end = this.#instanceNumber > 1 ? ` (${this.#instanceNumber})` : "";
		let instance = name;
		let label = text.encode(instance + end);
		while (label.length > LABEL_LIMIT) {
			instance = instance.slice(0, -1);
			label = text.encode(instance + end);
		}
		return label;
	}

	/** Host name with its number, even before it is known to be unique. */
	private get wantedName(): string {
		const end = this.#hostNumber > 1 ? `-${this.#hostNumber}` : "";
		return this.#hostname.slice(0, LABEL_LIMIT - end.length) + end;
	}

	private setNetwork({ address, netmask }: MDNSSettings): boolean {
		const number = parseIPv4(address);
		const prefix = prefixOf(parseIPv4(netmask));
		if (number === this.#records.address && prefix === this.#prefix) return false;
		this.#records.address = number;
		this.#prefix = prefix;
		return true;
	}

	private probe(nowMs: number, delayMs: number): void {
		this.#schedule.clear();
		this.#state = MDNS_PROBING;
		this.#count = 0;
		this.#stepMs = nowMs + delayMs;
	}

	private announce(nowMs: number): void {
		this.#state = MDNS_ANNOUNCING;
		this.#count = 0;
		this.#stepMs = nowMs;
		this.#schedule.forget();
		const { hostname } = this;
		if (this.#announcedName === hostname) return;
		this.#announcedName = hostname;
		this.#deps.trace(`mdns: found as ${hostname}.local`);
	}

	private sayGoodbye(): void {
		if (this.#state < MDNS_ANNOUNCING) return;
		this.begin(0);
		this.send(this.#records.parting, 0, FORM_GOODBYE);
	}

	private step(nowMs: number): void {
		if (this.#state === MDNS_PROBING) {
			if (this.#count++ < PROBES) {
				this.#stepMs = nowMs + PROBE_MS;
				this.#writer.begin(0, 0);
				// The last probe requests multicast replies, because on a port that several programs share (15.1)
				// another program may receive a unicast reply.
				this.#records.writeProbe(this.#writer, this.#count === PROBES);
				this.#sender?.send(this.#writer.length, GROUP, MDNS_PORT);
				return;
			}
			this.announce(nowMs);
		}
		this.#stepMs = nowMs + ANNOUNCE_MS * 2 ** this.#count++;
		if (this.#count >= ANNOUNCEMENTS) {
			this.#state = MDNS_RUNNING;
			this.#stepMs = Infinity;
		}
		this.multicast(this.#schedule.take(this.#records.all, nowMs), nowMs);
	}

	private checkConflict(nowMs: number): void {
		const { reader } = this.#deps;
		const isProbing = this.#state === MDNS_PROBING;
		let isHost = false;
		let isInstance = false;
		while (reader.nextRecord()) {
			const found = this.#records.identify(reader);
			if (found >= IS_FOREIGN || reader.ttl === 0) continue;
			if (found === HOST_CONTRADICTED || (isProbing && found === HOST_TAKEN)) isHost = true;
			if (found === INSTANCE_CONTRADICTED || (isProbing && found === INSTANCE_TAKEN)) isInstance = true;
		}
		if (!isHost && !isInstance) return;
		if (isProbing && isHost) this.#hostNumber++;
		if (isProbing && isInstance) this.#instanceNumber++;
		this.contest(nowMs);
	}

	private contest(nowMs: number): void {
		this.takeNames();
		this.#deps.trace(`mdns: another has a name of ours, trying ${this.wantedName}`);
		this.probe(nowMs, this.#schedule.mayTryAgain(nowMs) ? this.random(PROBE_MS) : AFTER_CONFLICTS_MS);
	}

	private processQuery(source: DatagramSource, nowMs: number): void {
		const { reader } = this.#deps;
		const records = this.#records;
		let bits = 0;
		let unicast = 0;
		while (reader.nextQuestion()) {
			const answers = records.answersTo(reader);
			if (reader.class & CLASS_TOP_BIT) unicast |= answers & ~bits;
			else unicast &= ~answers;
			bits |= answers;
		}
		if (this.#state === MDNS_PROBING) {
			if (reader.authorities > 0 && bits & ~records.shared) this.compareProposals(nowMs);
		} else if (reader.questions === 0) this.takeKnownAnswers(source, nowMs);
		else if (bits !== 0) {
			bits &= ~this.knownAnswers();
			this.answer(source, bits, bits & unicast, nowMs);
		}
	}

	private answer(source: DatagramSource, answers: number, unicast: number, nowMs: number): void {
		const { reader } = this.#deps;
		// Flags and counts are read now, because the reply may overwrite the question.
		const isTruncated = (reader.flags & FLAG_TRUNCATED) !== 0;
		const isProbe = reader.authorities > 0;
		if (source.remotePort !== MDNS_PORT) {
			if (answers !== 0) this.replyLegacy(source, answers);
			return;
		}
		const bits = answers & ~this.replyUnicast(source, unicast, nowMs);
		if (bits === 0) return;
		if (isTruncated) this.wait(source, bits, nowMs);
		else if (bits & this.#records.shared) this.#schedule.later(bits, nowMs + SHARED_MS + this.random(SHARED_SPREAD_MS));
		else this.multicast(this.#schedule.take(bits, nowMs, isProbe ? DEFEND_MS : AGAIN_MS), nowMs);
	}

	/** Handles a probe of another device for one of our names during our own probing (8.2). */
	private compareProposals(nowMs: number): void {
		for (let service = -1; service < this.#records.services; service++) {
			if (this.#records.compareProposals(this.#deps.reader, service) >= 0) continue;
			this.probe(nowMs, AFTER_LOSS_MS);
			return;
		}
	}

	/** Returns the records that the querier already knows, for at least another half of their time to live (7.1). */
	private knownAnswers(): number {
		const { reader } = this.#deps;
		let bits = 0;
		while (reader.nextRecord() && reader.section === SECTION_ANSWER) {
			const index = this.#records.identify(reader);
			if (index >= 0 && reader.ttl * 2 >= this.#records.ttl(index)) bits |= 1 << index;
		}
		return bits;
	}

	private takeKnownAnswers(source: DatagramSource, nowMs: number): void {
		if (!this.#schedule.isWaitingFor(source.remoteAddress)) return;
		this.#schedule.drop(this.knownAnswers());
		if (this.#deps.reader.flags & FLAG_TRUNCATED) this.wait(source, 0, nowMs);
	}

	private wait({ remoteAddress }: DatagramSource, bits: number, nowMs: number): void {
		const delayMs = TRUNCATED_MS + this.random(TRUNCATED_SPREAD_MS);
		this.#schedule.wait(bits, remoteAddress, nowMs + delayMs);
	}

	private multicast(answers: number, nowMs: number): void {
		if (answers === 0) return;
		const extra = this.#records.additionalTo(answers) & ~this.#schedule.sentWithin(AGAIN_MS, nowMs);
		this.begin(0);
		this.send(answers, extra, FORM_PLAIN);
		this.#schedule.sent(answers | extra, nowMs);
	}

	/** Sends those of the records by unicast that were multicast recently (5.4), and returns them. */
	private replyUnicast(source: DatagramSource, bits: number, nowMs: number): number {
		const answers = bits & this.#schedule.sentWithin(LATELY_MS, nowMs);
		if (answers === 0 || !this.isNear(source.remoteAddress)) return 0;
		this.begin(0);
		this.send(answers, this.#records.additionalTo(answers), FORM_PLAIN, source);
		return answers;
	}

	private replyLegacy(source: DatagramSource, bits: number): void {
		const { reader } = this.#deps;
		if (reader.questions !== 1 || !this.isNear(source.remoteAddress)) return;
		reader.rewind();
		reader.nextQuestion();
		this.begin(reader.id);
		this.#writer.copyQuestion(reader);
		this.send(bits, this.#records.additionalTo(bits), FORM_LEGACY, source);
	}

	private isNear(address: string): boolean {
		// The port of the access point receives datagrams only from devices in its network.
		if (this.#accessPoint || this.#prefix < 0) return true;
		return isSameNetwork(parseIPv4(address), this.#records.address, this.#prefix);
	}

	private begin(id: number): void {
		this.#writer.begin(id, FLAG_RESPONSE | FLAG_AUTHORITATIVE);
	}

	/**
	 * Sends the message to `asker` or, if it is undefined, to the multicast group. All records fit one message
	 * (mdns-records.ts).
	 */
	private send(answers: number, extra: number, form: number, asker?: DatagramSource): void {
		for (let i = 0; i < RECORD_COUNT; i++) {
			if ((answers >> i) & 1) this.#records.write(this.#writer, i, form, SECTION_ANSWER);
		}
		for (let i = 0; i < RECORD_COUNT; i++) {
			if ((extra >> i) & 1) this.#records.write(this.#writer, i, form, SECTION_ADDITIONAL);
		}
		this.#sender?.send(this.#writer.length, asker?.remoteAddress ?? GROUP, asker?.remotePort ?? MDNS_PORT);
	}
}
