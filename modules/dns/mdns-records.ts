/**
 * The device's names and records in multicast DNS (RFC 6762) and DNS-SD (RFC 6763), in packed form, for mdns.ts. Each
 * record has an index. A set of records is a bit mask in which bit n is the record with the index n:
 *
 *   0               A      <host>.local                  the address
 *   1               NSEC   <host>.local                  the host has A, and no other type (6.1)
 *   2 + 5 service   PTR    <type>.local                  the instance; other devices have records of this name, too
 *   3 + 5 service   SRV    <instance>.<type>.local       port and host
 *   4 + 5 service   TXT    <instance>.<type>.local
 *   5 + 5 service   PTR    _services._dns-sd._udp.local  the type; other devices have such records, too (RFC 6763, 9)
 *   6 + 5 service   NSEC   <instance>.<type>.local       the instance has TXT and SRV, and no other type
 *
 * Layout of the array:
 *
 *   0           <host>.local, with room for the longest name
 *   META_AT     _services._dns-sd._udp.local, then for each service:
 *               room for the longest instance name, which ends where <type>.local begins; then the TXT
 *   KEYS_AT     LABEL_KEYS bytes; byte n is not 0 if one of the names begins with a label whose `labelKey` is n
 *   TABLE_AT    for each service ROW_TYPE, ROW_TXT, ROW_TXT_END, ROW_INSTANCE (offsets), ROW_PORT, 2 bytes each, high
 *               byte first
 *
 * The host and the instances can be renamed in place. Limits: SERVICE_LIMIT services, NAMES_LIMIT bytes of names and
 * TXT. All records together fit one message, because a message contains each name only once.
 */
import { putUint16BE, uint16BE } from "../bytes/integers.js";
import {
	CLASS_ANY,
	CLASS_IN,
	CLASS_TOP_BIT,
	type DNSReader,
	type DNSWriter,
	LABEL_KEYS,
	LABEL_LIMIT,
	labelKey,
	putLabel,
	putName,
	SECTION_AUTHORITY,
	TYPE_A,
	TYPE_ANY,
	TYPE_NSEC,
	TYPE_PTR,
	TYPE_SRV,
	TYPE_TXT,
} from "./dns.js";

export interface MDNSService {
	/** Service type, for example `_https._tcp`. */
	readonly type: string;
	readonly port: number;
	readonly txt: readonly string[];
	/** Name of the instance in ASCII, if it is not the instance name of the device. */
	readonly instance?: string;
}

/** Maximum number of services. The indexes of all records must fit the 32 bits of a mask. */
export const SERVICE_LIMIT = 6;
/** Maximum length of all names and TXT, bytes. It is limited, because all records must fit one message. */
const NAMES_LIMIT = 1000;
const LABEL_ROOM = 1 + LABEL_LIMIT;
const HOST_AT = 0;
const DOMAIN = ".local";
const META_NAME = "_services._dns-sd._udp.local";
/** Offset after the label of the host, the encoded DOMAIN and the final 0. */
const META_AT = LABEL_ROOM + DOMAIN.length + 1;
/** Offset after META_NAME. An encoded name has two bytes more than its text: the first length and the final 0. */
const SERVICES_AT = META_AT + META_NAME.length + 2;
const KEYS_AT = NAMES_LIMIT;
const TABLE_AT = KEYS_AT + LABEL_KEYS;
const TABLE_ROW = 10;
const ROW_TYPE = 0;
const ROW_TXT = 2;
const ROW_TXT_END = 4;
const ROW_PORT = 6;
const ROW_INSTANCE = 8;
const ADDRESS_LENGTH = 4;
/** Length of priority, weight and port, which precede the host in SRV. */
const SRV_LENGTH = 6;

export const RECORD_COUNT = 2 + SERVICE_LIMIT * 5;
export const BIT_A = 1;
export const BIT_NSEC = 2;
const PER_SERVICE = 5;
const PTR = 0;
const SRV = 1;
const TXT = 2;
const META = 3;
const NSEC = 4;
/**
 * Masks of records: the first record of each service (BITS_FIRST); service types (BITS_META); records whose name other
 * devices may have, too (BITS_SHARED).
 */
const BITS_FIRST = 0b1000010000100001000010000100;
const BITS_META = BITS_FIRST << META;
const BITS_SHARED = BITS_FIRST | BITS_META;

/**
 * Forms of a record: as usual (PLAIN), with a time to live of 0 (GOODBYE), as a proposal in a probe (PROBE), for a
 * querier that uses plain DNS (LEGACY, 6.7).
 */
export const FORM_PLAIN = 0;
export const FORM_GOODBYE = 1;
export const FORM_PROBE = 2;
export const FORM_LEGACY = 3;

/**
 * Times to live, s: for records that contain the host name (TTL_HOST), for other records (TTL_OTHER; RFC 6762, 10), and
 * in replies to plain DNS (TTL_LEGACY).
 */
const TTL_HOST = 120;
const TTL_OTHER = 4500;
const TTL_LEGACY = 10;

/** Result of `identify`: the record has none of this device's names. */
export const IS_FOREIGN = -1;
/**
 * Results of `identify` if the record has a name that only this device may have. CONTRADICTED: its data differ from
 * those of this device's record. TAKEN: this device has no record of its type.
 */
export const HOST_CONTRADICTED = -2;
export const HOST_TAKEN = -3;
export const INSTANCE_CONTRADICTED = -4;
export const INSTANCE_TAKEN = -5;

export class MDNSRecords {
	readonly names = new Uint8Array(TABLE_AT + SERVICE_LIMIT * TABLE_ROW);
	address = 0;
	#services = 0;
	#signature = "";

	constructor() {
		putName(this.names, META_AT, META_NAME);
	}

	has(services: readonly MDNSService[]): boolean {
		return signatureOf(services) === this.#signature;
	}

	/**
	 * Takes the services. Their instances have no names until `rename` is called. Throws a RangeError if a limit is
	 * exceeded.
	 */
	take(services: readonly MDNSService[]): void {
		const { length } = services;
		if (length > SERVICE_LIMIT) throw new RangeError("too much for mDNS");
		let at = SERVICES_AT;
		for (let service = 0; service < length; service++) at = this.putService(service, services[service], at);
		this.#services = length;
		this.#signature = signatureOf(services);
	}

	/**
	 * Sets the names. `hostname` has up to 63 ASCII characters. `instanceOf` returns the instance name of a service, up
	 * to 63 bytes of UTF-8. Throws a RangeError if a name is longer.
	 */
	rename(hostname: string, instanceOf: (service: number) => Uint8Array): void {
		if (hostname.length > LABEL_LIMIT) throw new RangeError("too much for mDNS");
		const { names } = this;
		putName(names, HOST_AT, hostname + DOMAIN);
		names.fill(0, KEYS_AT, TABLE_AT);
		this.putKey(HOST_AT);
		this.putKey(META_AT);
		for (let service = 0; service < this.#services; service++) {
			const instance = instanceOf(service);
			if (instance.length > LABEL_LIMIT) throw new RangeError("too much for mDNS");
			const at = this.field(service, ROW_TYPE) - instance.length - 1;
			this.setField(service, ROW_INSTANCE, at);
			names[at] = instance.length;
			names.set(instance, at + 1);
			this.putKey(at);
			this.putKey(this.field(service, ROW_TYPE));
		}
	}

	get all(): number {
		return -1 >>> (32 - indexOf(this.#services, 0));
	}

	get shared(): number {
		return this.all & BITS_SHARED;
	}

	/**
	 * Mask of the records to withdraw in a goodbye message. They are all records except those of service types, which
	 * other devices may have, too.
	 */
	get parting(): number {
		return this.all & ~BITS_META;
	}

	ttl(index: number): number {
		const kind = kindOf(index);
		return index < 2 || kind === SRV || kind === NSEC ? TTL_HOST : TTL_OTHER;
	}

	answersTo(reader: DNSReader): number {
		const dnsClass = reader.class & ~CLASS_TOP_BIT;
		if (dnsClass !== CLASS_IN && dnsClass !== CLASS_ANY) return 0;
		const { names } = this;
		const { nameAt: at, type } = reader;
		if (names[KEYS_AT + reader.keyOf(at)] === 0) return 0;
		if (reader.isName(at, names, HOST_AT)) return type === TYPE_A || type === TYPE_ANY ? BIT_A : BIT_NSEC;
		const isPTR = type === TYPE_PTR || type === TYPE_ANY;
		const isMeta = isPTR && reader.isName(at, names, META_AT);
		let bits = 0;
		for (let service = 0; service < this.#services; service++) {
			const base = indexOf(service, 0);
			if (isMeta) bits |= 1 << (base + META);
			else if (isPTR && reader.isName(at, names, this.field(service, ROW_TYPE))) return 1 << (base + PTR);
			else if (reader.isName(at, names, this.instanceAt(service))) {
				if (type === TYPE_SRV) return 1 << (base + SRV);
				if (type === TYPE_TXT) return 1 << (base + TXT);
				return type === TYPE_ANY ? 0b110 << base : 1 << (base + NSEC);
			}
		}
		return bits;
	}

	/**
	 * Returns the mask of the records to send in the additional section with these answers (RFC 6762, 6.2; RFC 6763,
	 * 12).
	 */
	additionalTo(answers: number): number {
		let bits = answers & BIT_A ? BIT_NSEC : 0;
		for (let service = 0; service < this.#services; service++) {
			const base = indexOf(service, 0);
			if ((answers >> base) & 1) bits |= (0b110 << base) | BIT_A | BIT_NSEC;
			if ((answers >> (base + SRV)) & 1) bits |= BIT_A | BIT_NSEC;
		}
		return bits & ~answers;
	}

	/**
	 * Compares the last record of the reader with this device's records. Returns the index of the equal one; otherwise
	 * IS_FOREIGN, HOST_… or INSTANCE_….
	 */
	identify(reader: DNSReader): number {
		const { names } = this;
		const { nameAt: at, type } = reader;
		if (names[KEYS_AT + reader.keyOf(at)] === 0) return IS_FOREIGN;
		if ((reader.class & ~CLASS_TOP_BIT) !== CLASS_IN || type === TYPE_NSEC) return IS_FOREIGN;
		if (reader.isName(at, names, HOST_AT)) {
			if (type !== TYPE_A) return HOST_TAKEN;
			return this.hasSameData(reader, 0) ? 0 : HOST_CONTRADICTED;
		}
		const isMeta = type === TYPE_PTR && reader.isName(at, names, META_AT);
		for (let service = 0; service < this.#services; service++) {
			const base = indexOf(service, 0);
			if (isMeta && this.hasSameData(reader, base + META)) return base + META;
			if (type === TYPE_PTR && reader.isName(at, names, this.field(service, ROW_TYPE))) {
				return this.hasSameData(reader, base + PTR) ? base + PTR : IS_FOREIGN;
			}
			if (!reader.isName(at, names, this.instanceAt(service))) continue;
			if (type !== TYPE_SRV && type !== TYPE_TXT) return INSTANCE_TAKEN;
			const index = base + (type === TYPE_SRV ? SRV : TXT);
			return this.hasSameData(reader, index) ? index : INSTANCE_CONTRADICTED;
		}
		return IS_FOREIGN;
	}

	/**
	 * Writes a probe: questions for the names that only this device may have, and the proposed records (8.1). `toAll`
	 * is true if the answers must be multicast.
	 */
	writeProbe(writer: DNSWriter, toAll: boolean): void {
		const dnsClass = toAll ? CLASS_IN : CLASS_IN | CLASS_TOP_BIT;
		writer.question(HOST_AT, TYPE_ANY, dnsClass);
		for (let i = 0; i < this.#services; i++) writer.question(this.instanceAt(i), TYPE_ANY, dnsClass);
		this.write(writer, 0, FORM_PROBE);
		for (let i = 0; i < this.#services; i++) {
			this.write(writer, indexOf(i, SRV), FORM_PROBE);
			this.write(writer, indexOf(i, TXT), FORM_PROBE);
		}
	}

	write(writer: DNSWriter, index: number, form: number, section = SECTION_AUTHORITY): void {
		const isUnique = ((this.shared >> index) & 1) === 0;
		const flush = isUnique && (form === FORM_PLAIN || form === FORM_GOODBYE) ? CLASS_TOP_BIT : 0;
		const ttl = this.ttl(index);
		writer.startRecord(this.ownerOf(index), typeOf(index), CLASS_IN | flush);
		if (form === FORM_GOODBYE) writer.startData(0);
		else writer.startData(form === FORM_LEGACY ? Math.min(ttl, TTL_LEGACY) : ttl);
		this.writeData(writer, index, form);
		writer.endRecord(section);
	}

	/**
	 * Decides between this device and another one that probes for the same name at the same time (8.2); the reader has
	 * just read the other's query. Returns a positive number if this device wins, a negative number if the other one
	 * wins, and 0 if the proposals are equal or absent. `service` is the service whose instance name is probed; -1 for
	 * the host name.
	 *
	 * The records of both sides are sorted and compared in pairs. The first pair that differs decides: the later record
	 * wins. Nothing is sorted here: the other side's record number `k` equals our record `k` if exactly `k` of its
	 * records sort before ours, and one is equal to ours.
	 */
	compareProposals(reader: DNSReader, service: number): number {
		const count = service < 0 ? 1 : 2;
		let total = 0;
		for (let k = 0; k < count; k++) {
			let before = 0;
			let equal = 0;
			total = 0;
			for (reader.rewind(); reader.nextRecord(); ) {
				if (reader.section !== SECTION_AUTHORITY) continue;
				if (!reader.isName(reader.nameAt, this.names, this.ownerOf(indexOf(service, SRV)))) continue;
				const order = this.compareRecord(reader, indexOf(service, k === 0 ? TXT : SRV));
				total++;
				if (order < 0) before++;
				else if (order === 0) equal++;
			}
			if (total === 0) return 0;
			if (before > k) return 1;
			if (equal === 0) return total > k ? -1 : 1;
		}
		return total > count ? -1 : 0;
	}

	get services(): number {
		return this.#services;
	}

	private field(service: number, field: number): number {
		return uint16BE(this.names, TABLE_AT + service * TABLE_ROW + field);
	}

	private instanceAt(service: number): number {
		return this.field(service, ROW_INSTANCE);
	}

	private addressByte(index: number): number {
		return (this.address >> (24 - 8 * index)) & 0xff;
	}

	private ownerOf(index: number): number {
		if (index < 2) return HOST_AT;
		const kind = kindOf(index);
		if (kind === META) return META_AT;
		return kind === PTR ? this.field(serviceOf(index), ROW_TYPE) : this.instanceAt(serviceOf(index));
	}

	private targetOf(index: number): number {
		const service = serviceOf(index);
		return kindOf(index) === PTR ? this.instanceAt(service) : this.field(service, ROW_TYPE);
	}

	private writeData(writer: DNSWriter, index: number, form: number): void {
		const service = serviceOf(index);
		switch (typeOf(index)) {
			case TYPE_A:
				for (let i = 0; i < ADDRESS_LENGTH; i++) writer.put8(this.addressByte(i));
				break;
			case TYPE_PTR:
				writer.name(this.targetOf(index));
				break;
			case TYPE_TXT:
				writer.put(this.names, this.field(service, ROW_TXT), this.field(service, ROW_TXT_END));
				break;
			case TYPE_SRV:
				writer.put16(0);
				writer.put16(0);
				writer.put16(this.field(service, ROW_PORT));
				writer.name(HOST_AT, form !== FORM_LEGACY);
				break;
			default:
				this.writeTypes(writer, index);
		}
	}

	/**
	 * Writes the data of an NSEC record: name, window 0, length of the bitmap, bitmap. Bit 7 of the first byte of the
	 * bitmap is type 0 (RFC 4034, 4.1).
	 */
	private writeTypes(writer: DNSWriter, index: number): void {
		writer.name(this.ownerOf(index));
		if (index > 1) {
			writer.put16(5);
			writer.put16(0);
			writer.put16(0x8000);
		} else writer.put16(1);
		writer.put8(0x40);
	}

	private hasSameData(reader: DNSReader, index: number): boolean {
		const kind = kindOf(index);
		if (index < 2 || kind === SRV || kind === TXT) return this.compareData(reader, index) === 0;
		return reader.isName(reader.dataAt, this.names, this.targetOf(index));
	}

	private compareRecord(reader: DNSReader, index: number): number {
		const dnsClass = reader.class & ~CLASS_TOP_BIT;
		if (dnsClass !== CLASS_IN) return dnsClass - CLASS_IN;
		return reader.type === typeOf(index) ? this.compareData(reader, index) : reader.type - typeOf(index);
	}

	private compareData(reader: DNSReader, index: number): number {
		const { bytes, dataAt, at } = reader;
		const type = typeOf(index);
		if (type === TYPE_SRV) {
			for (let i = 0; i < SRV_LENGTH; i++) {
				if (dataAt + i >= at) return -1;
				const port = i < 4 ? 0 : this.field(serviceOf(index), ROW_PORT);
				const ours = i === 4 ? port >> 8 : port & 0xff;
				if (bytes[dataAt + i] !== ours) return bytes[dataAt + i] - ours;
			}
			return reader.compareName(dataAt + SRV_LENGTH, this.names, HOST_AT);
		}
		const isA = type === TYPE_A;
		const start = isA ? 0 : this.field(serviceOf(index), ROW_TXT);
		const length = isA ? ADDRESS_LENGTH : this.field(serviceOf(index), ROW_TXT_END) - start;
		for (let i = 0; i < length; i++) {
			if (dataAt + i >= at) return -1;
			const ours = isA ? this.addressByte(i) : this.names[start + i];
			if (bytes[dataAt + i] !== ours) return bytes[dataAt + i] - ours;
		}
		return at - dataAt - length;
	}

	private putService(service: number, { type, port, txt }: MDNSService, at: number): number {
		const typeAt = at + LABEL_ROOM;
		const name = type + DOMAIN;
		const txtAt = typeAt + name.length + 2;
		// A TXT record must have at least one string, which may be empty (RFC 6763, 6.1).
		const entries = txt.length === 0 ? [""] : txt;
		let end = txtAt;
		for (const entry of entries) end += 1 + entry.length;
		if (end > NAMES_LIMIT) throw new RangeError("too much for mDNS");
		putName(this.names, typeAt, name);
		let entryAt = txtAt;
		for (const entry of entries) entryAt = putLabel(this.names, entryAt, entry);
		this.setField(service, ROW_TYPE, typeAt);
		this.setField(service, ROW_TXT, txtAt);
		this.setField(service, ROW_TXT_END, end);
		this.setField(service, ROW_PORT, port);
		return end;
	}

	private setField(service: number, field: number, value: number): void {
		putUint16BE(this.names, TABLE_AT + service * TABLE_ROW + field, value);
	}

	private putKey(nameAt: number): void {
		this.names[KEYS_AT + labelKey(this.names, nameAt)] = 1;
	}
}

function signatureOf(services: readonly MDNSService[]): string {
	return services.map(({ type, port, txt, instance }) => [type, port, instance, ...txt].join("\n")).join("\n\n");
}

/** Returns the index of a record. If `service` is -1, this is always 0, the A record of the host. */
function indexOf(service: number, kind: number): number {
	return service < 0 ? 0 : 2 + service * PER_SERVICE + kind;
}

function serviceOf(index: number): number {
	return Math.floor((index - 2) / PER_SERVICE);
}

function kindOf(index: number): number {
	return (index - 2) % PER_SERVICE;
}

function typeOf(index: number): number {
	if (index < 2) return index === 0 ? TYPE_A : TYPE_NSEC;
	const kind = kindOf(index);
	if (kind === SRV) return TYPE_SRV;
	if (kind === TXT) return TYPE_TXT;
	return kind === NSEC ? TYPE_NSEC : TYPE_PTR;
}
