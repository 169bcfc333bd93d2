/** A broker of the virtual world. It stores retained messages, and can misbehave in every way. */
import mqtt from "mqtt-packet";
import type { VirtualWorld } from "../../hosts/node/virtual.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import type { VirtualServer } from "../../hosts/node/virtual-servers.js";

export const BROKER_ADDRESS = "192.0.2.7";

/** A session as seen by the broker. */
export interface BrokerSession {
	readonly peer: VirtualClient;
	readonly packets: mqtt.Packet[];
	/** True: ended by DISCONNECT. */
	isLeft: boolean;
	isOpen: boolean;
}

export class ScriptedBroker {
	/** Retained payloads by topic. */
	readonly retained = new Map<string, string>();
	/** Last message on each topic, retained or not. */
	readonly last = new Map<string, string>();
	/** All publications in order, as `topic payload`. */
	readonly published: string[] = [];
	readonly sessions: BrokerSession[] = [];
	/** Return code of CONNACK. */
	returnCode = 0;
	greets = true;
	/** Number of messages that the broker acknowledges before it falls silent. */
	acknowledges = Number.POSITIVE_INFINITY;
	pings = true;
	/** True: the broker reads nothing. */
	isStuck = false;
	/** Called with each packet before the answer. */
	onPacket: ((packet: mqtt.Packet, session: BrokerSession) => void) | undefined;
	/** Called with each new connection. */
	onConnection: ((peer: VirtualClient) => void) | undefined;
	readonly #port: number;
	readonly #server: VirtualServer;

	constructor(world: VirtualWorld, port = 1883, server: VirtualServer = {}) {
		this.#port = port;
		this.#server = { ...server, onConnection: (peer) => this.#connected(peer) };
		this.serve(world);
	}

	serve(world: VirtualWorld): void {
		world.servers.serve(BROKER_ADDRESS, this.#port, this.#server);
	}

	/** The open session; undefined: none. */
	get current(): BrokerSession | undefined {
		return this.sessions.findLast(({ isOpen }) => isOpen);
	}

	/** Publishes to the subscribers of that topic. */
	publish(topic: string, payload: string, qos: 0 | 1 = 0): void {
		const packet = { cmd: "publish", topic, payload, qos, dup: false, retain: false, messageId: 7 } as const;
		this.current?.peer.send(mqtt.generate(packet));
	}

	/** Number of publications of this topic. */
	count(topic: string): number {
		return this.published.filter((line) => line.startsWith(`${topic} `)).length;
	}

	#connected(peer: VirtualClient): void {
		const session: BrokerSession = { peer, packets: [], isLeft: false, isOpen: true };
		this.sessions.push(session);
		peer.paused = this.isStuck;
		this.onConnection?.(peer);
		const parser = mqtt.parser({ protocolVersion: 4 });
		parser.on("error", (error) => {
			throw error;
		});
		let will: mqtt.IConnectPacket["will"];
		parser.on("packet", (packet) => {
			session.packets.push(packet);
			this.onPacket?.(packet, session);
			if (packet.cmd === "connect") will = packet.will;
			if (packet.cmd === "disconnect") session.isLeft = true;
			if (session.isOpen) this.#answer(packet, session);
		});
		peer.onReceived = () => {
			const bytes = Buffer.from(peer.received);
			peer.discard(bytes.length);
			if (bytes.length > 0) parser.parse(bytes);
			if (!peer.isClosed || !session.isOpen) return;
			session.isOpen = false;
			if (!session.isLeft && will !== undefined) this.#keep(will.topic, will.payload?.toString() ?? "", true);
		};
	}

	#answer(packet: mqtt.Packet, { peer }: BrokerSession): void {
		const send = (reply: mqtt.Packet) => peer.send(mqtt.generate(reply));
		if (packet.cmd === "connect" && this.greets) {
			send({ cmd: "connack", returnCode: this.returnCode, sessionPresent: false });
			if (this.returnCode !== 0) peer.close();
		} else if (packet.cmd === "subscribe")
			send({ cmd: "suback", messageId: packet.messageId!, granted: packet.subscriptions.map(() => 0) });
		else if (packet.cmd === "pingreq" && this.pings) send({ cmd: "pingresp" });
		else if (packet.cmd === "publish") {
			this.#keep(packet.topic, packet.payload.toString(), packet.retain);
			if (packet.qos > 0 && this.acknowledges-- > 0) send({ cmd: "puback", messageId: packet.messageId! });
		}
	}

	#keep(topic: string, payload: string, isRetained: boolean): void {
		this.published.push(`${topic} ${payload}`);
		this.last.set(topic, payload);
		if (!isRetained) return;
		if (payload === "") this.retained.delete(topic);
		else this.retained.set(topic, payload);
	}
}
