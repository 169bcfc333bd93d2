/** The worker's commands on opened objects: ports, listeners, sockets, clients, UDP, timers, button, radio. */
import type { ClientOptions, ClientPort } from "../../modules/io/client.js";
import type { CertificatePair } from "../../modules/io/crypto.js";
import {
	DATAGRAM_LIMIT,
	FORMAT_7E1,
	FORMAT_8E1,
	FORMAT_8N1,
	FORMAT_8N2,
	type Serial,
	type SerialFormat,
	type Socket,
} from "../../modules/io/host.js";
import type { CommandTable } from "./bridge-commands.js";
import { operateEthernet } from "./bridge-ethernet.js";
import type { BridgeDeps, Handle } from "./bridge-handles.js";
import { operateRadio } from "./bridge-radio.js";
import {
	EVENT_ANSWER,
	EVENT_CLIENTS,
	EVENT_CONNECTED,
	EVENT_DISCONNECTED,
	EVENT_DRAINED,
	EVENT_ERROR,
	EVENT_LET_GO,
	EVENT_PRESSED,
	EVENT_READABLE,
	EVENT_SCANNED,
	EVENT_TIMER,
	EVENT_WRITABLE,
	LISTEN_HTTP,
	LISTEN_HTTPS,
	PORT_CONSOLE,
	PORT_COPROCESSOR,
	PORT_METER,
	READ_LIMIT,
} from "./worker/protocol.js";

function streamEvents({ events }: BridgeDeps, handle: Handle) {
	return {
		onReadable: (count: number) => events.queue(handle, EVENT_READABLE, count),
		onWritable: (count: number) => events.queue(handle, EVENT_WRITABLE, count),
		onError: (code = 0) => events.queue(handle, EVENT_ERROR, code),
	};
}

type StreamNames = "serial" | "coprocessorLines" | "configure" | "read" | "write" | "close";

export function streamCommands(deps: BridgeDeps): Pick<CommandTable, StreamNames> {
	const { host, handles, events } = deps;
	return {
		serial: (id, which, format, baud) => {
			const { meter, console, zigbee } = host.serial;
			const port = { [PORT_METER]: meter, [PORT_CONSOLE]: console, [PORT_COPROCESSOR]: zigbee }[which];
			if (!port) throw new Error("this host has no such port");
			handles.open(id, (handle) => {
				const serial = new port.io(
					{
						format: formatOf(format),
						baud,
						...streamEvents(deps, handle),
						onDrained: () => events.queue(handle, EVENT_DRAINED),
					},
					port.pins,
				);
				handle.stream = serial;
				handle.close = () => serial.close();
			});
		},
		coprocessorLines: (_id, reset, bootLoader) => host.serial.zigbee?.setLines?.(reset === 1, bootLoader === 1),
		configure: (id, format, baud) =>
			(handles.find(id, "stream") as Serial).configure({ format: formatOf(format), baud }),
		read: (id, wanted) => {
			const into = new Uint8Array(Math.min(wanted, READ_LIMIT));
			const count = handles.find(id, "stream").read(into);
			if (count === undefined) return undefined;
			const handle = handles.get(id)!;
			handle.readable = Math.max(0, handle.readable - count);
			return [into.subarray(0, count)];
		},
		write: (id, bytes) => {
			const writable = handles.find(id, "stream").write(bytes);
			const handle = handles.get(id)!;
			// The line has become busy again, so EVENT_DRAINED must not be sent.
			events.withdraw(handle, EVENT_DRAINED);
			handle.writable = writable;
			return [writable];
		},
		close: (id) => handles.close(id),
	};
}

type ListenerNames = "listen" | "accept" | "socket" | "trust" | "forget" | "setIdentity" | "testIdentity";

export function listenerCommands(deps: BridgeDeps): Pick<CommandTable, ListenerNames> {
	const { host, handles, events } = deps;
	return {
		listen: (id, which, certificate, key) => {
			const { http, https, tcpListener } = host.network;
			const port = which === LISTEN_HTTP ? http : which === LISTEN_HTTPS ? https : tcpListener?.(which);
			if (!port) throw new Error("this host has no such listener");
			return handles.open(id, (handle) => {
				const listener = new port.io({
					...port.pins,
					...(certificate.length === 0 && key.length === 0 ? {} : { identity: pairOf(certificate, key) }),
					onReadable: (count) => events.queue(handle, EVENT_READABLE, count),
					onError: (message) => {
						handle.message = message;
						events.queue(handle, EVENT_ERROR);
					},
				});
				handle.listener = listener;
				handle.close = () => listener.close();
				return [listener.port];
			});
		},
		accept: (id, newId) => {
			const listening = handles.get(id);
			const pending = listening?.listener?.read();
			if (!listening || !pending) return undefined;
			listening.readable = Math.max(0, listening.readable - 1);
			handles.open(newId, (handle) => {
				handle.pending = pending;
				handle.close = () => pending.close();
			});
			return [newId];
		},
		socket: (id) => {
			const from = handles.find(id, "pending");
			const handle = handles.get(id)!;
			const socket = new host.network.http.socket({ from, ...streamEvents(deps, handle) });
			delete handle.pending;
			handle.stream = socket;
			handle.close = () => socket.close();
			return [socket.viaAccessPoint ? 1 : 0, socket.remoteAddress];
		},
		trust: (id) => (handles.get(id)?.stream as Socket | undefined)?.trust?.(),
		forget: (id) => handles.get(id)?.listener?.forget?.(),
		setIdentity: (id, certificate, key) => handles.find(id, "listener").setIdentity(pairOf(certificate, key)),
		testIdentity: (id, listenerId) => {
			const listener = handles.find(listenerId, "listener");
			handles.open(id, (handle) => listener.testIdentity((problem) => answer(deps, handle, problem)));
		},
	};
}

type ClientNames = "tcpClient" | "tlsClient" | "clientState" | "clientSession";

export function clientCommands(deps: BridgeDeps): Pick<CommandTable, ClientNames> {
	const { host, handles } = deps;
	const open = (id: number, port: ClientPort | undefined, options: ClientOptions) => {
		if (!port) throw new Error("this host has no such clients");
		handles.open(id, (handle) => {
			const client = new port.io({ ...port.pins, ...options, ...streamEvents(deps, handle) });
			handle.stream = client;
			handle.client = client;
			handle.close = () => client.close();
		});
	};
	return {
		tcpClient: (id, name, port, timeoutMs) => open(id, host.network.tcpClient, { host: name, port, timeoutMs }),
		tlsClient: (id, peer, port, timeoutMs, trusted, name, utcMs, hasIdentity, certificate, key, session) => {
			const tls = {
				trusted: trusted.slice(),
				name,
				utcMs: Number.isNaN(utcMs) ? undefined : utcMs,
				...(hasIdentity === 1 ? { identity: pairOf(certificate, key) } : {}),
				session: session.length === 0 ? undefined : session.slice(),
			};
			open(id, host.network.tlsClient, { host: peer, port, timeoutMs, tls });
		},
		clientState: (id) => {
			const client = handles.find(id, "client");
			return [client.remoteAddress, client.resumed ? 1 : 0];
		},
		clientSession: (id) => {
			const { session } = handles.find(id, "client");
			return session === undefined ? undefined : [session];
		},
	};
}

type DatagramNames = "udp" | "receive" | "send" | "resolve";

export function datagramCommands(deps: BridgeDeps): Pick<CommandTable, DatagramNames> {
	const { host, handles, events } = deps;
	return {
		udp: (id, port, accessPoint, group) => {
			const { udp: udpPort } = host.network;
			if (!udpPort) throw new Error("this host has no UDP");
			return handles.open(id, (handle) => {
				const udp = new udpPort.io({
					...udpPort.pins,
					port,
					accessPoint: accessPoint === 1,
					...(group === "" ? {} : { group }),
					onReadable: () => events.queue(handle, EVENT_READABLE, 1),
					onError: () => events.queue(handle, EVENT_ERROR),
				});
				handle.udp = udp;
				handle.close = () => udp.close();
				return [udp.port];
			});
		},
		receive: (id) => {
			const handle = handles.get(id);
			const bytes = Buffer.alloc(DATAGRAM_LIMIT);
			const count = handle?.udp?.read(bytes);
			if (handle?.udp && count !== undefined) {
				return [handle.udp.remotePort, handle.udp.remoteAddress, bytes.subarray(0, count)];
			}
			if (handle) handle.readable = 0;
			return undefined;
		},
		send: (id, port, address, bytes) => handles.find(id, "udp").write(bytes, address, port),
		resolve: (id, name) =>
			handles.open(id, (handle) => host.network.resolve?.(name, (address) => answer(deps, handle, address ?? ""))),
	};
}

type DeviceNames = "timer" | "button" | "wifi" | "radio" | "ethernet" | "ethernetPort";

export function deviceCommands(deps: BridgeDeps): Pick<CommandTable, DeviceNames> {
	const { host, handles, events } = deps;
	return {
		timer: (id, delayMs) =>
			handles.open(id, (handle) => {
				const timer = host.timers.set(() => events.queue(handle, EVENT_TIMER), delayMs);
				handle.close = () => host.timers.clear(timer);
			}),
		button: (id) => {
			const { button } = host;
			if (!button) throw new Error("this host has no button");
			handles.open(id, (handle) => {
				const onChanged = (pressed: boolean) => events.queue(handle, pressed ? EVENT_PRESSED : EVENT_LET_GO);
				const opened = new button.io({ ...button.pins, onChanged });
				handle.close = () => opened.close();
			});
		},
		wifi: (id) => openWiFi(deps, id),
		radio: (id, operation, value) => {
			const result = operateRadio(handles.find(id, "wifi"), operation, value);
			return result === undefined ? undefined : [result];
		},
		ethernet: (id) => openEthernet(deps, id),
		ethernetPort: (id, operation, value) => {
			const result = operateEthernet(handles.find(id, "ethernet"), operation, value);
			return result === undefined ? undefined : [result];
		},
	};
}

function openWiFi({ host, handles, events }: BridgeDeps, id: number): void {
	const { wifi } = host;
	if (!wifi) throw new Error("this host has no radio");
	handles.open(id, (handle) => {
		const queue = (kind: number, number: number) => {
			handle.numbers[kind] = number;
			events.queue(handle, kind);
		};
		const radio = new wifi.io({
			...wifi.pins,
			onConnected: () => queue(EVENT_CONNECTED, 0),
			onDisconnected: (reason) => queue(EVENT_DISCONNECTED, reason),
			onScanned: (found) => queue(EVENT_SCANNED, found ? 1 : 0),
			onClients: (count) => queue(EVENT_CLIENTS, count),
		});
		handle.wifi = radio;
		handle.close = () => radio.close();
	});
}

function openEthernet({ host, handles, events }: BridgeDeps, id: number): void {
	const { ethernet } = host;
	if (!ethernet) throw new Error("this host has no Ethernet port");
	handles.open(id, (handle) => {
		const onChanged = () => events.queue(handle, EVENT_CONNECTED);
		const port = new ethernet.io({ ...ethernet.pins, onChanged });
		handle.ethernet = port;
		handle.close = () => port.close();
	});
}

function answer({ events }: BridgeDeps, handle: Handle, text: string): void {
	handle.message = text;
	events.queue(handle, EVENT_ANSWER);
}

function formatOf(byte: number): SerialFormat {
	return byte === FORMAT_7E1 || byte === FORMAT_8E1 || byte === FORMAT_8N2 ? byte : FORMAT_8N1;
}

/** Copies the certificate and key, because the host may keep them. */
function pairOf(certificate: Uint8Array, key: Uint8Array): CertificatePair {
	return { certificate: certificate.slice(), key: key.slice() };
}
