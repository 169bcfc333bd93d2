/** The worker's commands that open no object. */

import type { CertificateOptions } from "../../modules/io/crypto.js";
import type { Partition } from "../../modules/io/flash.js";
import type { CommandTable } from "./bridge-commands.js";
import type { BridgeDeps } from "./bridge-handles.js";
import { MESSAGE_LIMIT, SLOT_PARTITION } from "./worker/protocol.js";

type Names =
	| ("storageGet" | "storageSet" | "storageDelete" | "resource" | "setUTC" | "trace" | "restart" | "power")
	| ("random" | "sha256" | "hmacSHA256" | "aes128GCM" | "readCertificates" | "makeCertificate")
	| ("hash" | "hashUpdate" | "hashDigest" | "verifyP256" | "agreeP256")
	| ("retained" | "retain" | "sleep")
	| ("flashOpen" | "flashRead" | "flashWrite" | "flashErase");

export function valueCommands({ host, handles }: BridgeDeps): Pick<CommandTable, Names> {
	const { storage, crypto, resources, clock } = host;
	return {
		storageGet: (_id, key) => maybe(storage.get(key)),
		storageSet: (_id, key, value) => storage.set(key, value),
		storageDelete: (_id, key) => storage.delete(key),
		resource: (_id, name) => maybe(resources.get(name)),
		setUTC: (_id, utcMs) => clock.setUTC(utcMs),
		trace: (_id, message) => host.trace(message),
		restart: () => host.restart(),
		power: (_id, which) => {
			const { power } = host;
			return maybe([power?.batteryVoltage(), power?.usbVoltage(), power?.temperatureC(), power?.cells][which]);
		},
		random: (_id, count) => {
			if (count > MESSAGE_LIMIT) throw new RangeError("more than one message carries");
			return [crypto.random(count)];
		},
		sha256: (_id, bytes) => [crypto.sha256(bytes)],
		hmacSHA256: (_id, key, bytes) => [crypto.hmacSHA256(key, bytes)],
		aes128GCM: (_id, key, iv, associated, text) => [crypto.aes128GCM(key, iv, associated, text)],
		hash: (id) => {
			handles.open(id, (handle) => {
				handle.hash = crypto.hash();
			});
		},
		hashUpdate: (id, bytes) => handles.find(id, "hash").update(bytes),
		hashDigest: (id) => {
			const digest = handles.find(id, "hash").digest();
			handles.forget(id);
			return [digest];
		},
		verifyP256: (_id, publicKey, signature, message) => [Number(crypto.verifyP256(publicKey, message, signature))],
		agreeP256: (_id, theirs) => {
			const { publicKey, secret } = crypto.agreeP256(theirs);
			return [publicKey, secret];
		},
		readCertificates: (_id, file) => [crypto.readCertificates(file)],
		makeCertificate: (_id, before, options) => {
			const { certificate, key } = crypto.makeCertificate({ ...(options as CertificateOptions), key: before });
			return [certificate, key];
		},
		retained: () => maybe(host.retained?.read()),
		retain: (_id, bytes) => host.retained?.write(bytes),
		sleep: (_id, ms) => host.sleep?.begin(ms),
		...flashCommands({ host }),
	};
}

function flashCommands({
	host: { flash, update },
}: Pick<BridgeDeps, "host">): Pick<CommandTable, "flashOpen" | "flashRead" | "flashWrite" | "flashErase"> {
	const opened = new Map<string, Partition>();
	const open = (name: string): Partition | undefined => {
		if (name === SLOT_PARTITION) return update?.slot;
		const partition = opened.get(name) ?? flash?.open(name);
		if (partition) opened.set(name, partition);
		return partition;
	};
	return {
		flashOpen: (_id, name) => maybe(open(name)?.size),
		flashRead: (_id, name, offset, length) => {
			const partition = open(name)!;
			if (length > partition.size) throw new RangeError("more than the partition has");
			const bytes = new Uint8Array(length);
			partition.read(offset, bytes);
			return [bytes];
		},
		flashWrite: (_id, name, offset, bytes) => open(name)!.write(offset, bytes),
		flashErase: (_id, name, offset, length) => open(name)!.erase(offset, length),
	};
}

function maybe<T>(value: T | undefined): [T] | undefined {
	return value === undefined ? undefined : [value];
}
