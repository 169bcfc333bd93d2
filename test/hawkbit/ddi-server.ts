/** A server that speaks hawkBit's DDI in virtual time, written from its description; it can also misbehave. */

import type { VirtualWorld } from "../../hosts/node/virtual.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import type { JSONObject } from "../api/gateway.js";
import { lastingPair } from "../api/server-identity.js";

export const ADDRESS = "192.0.2.8";
export const HOST = "hawkbit.example";
export const TOKEN = "canary-token-of-the-target";
export const CONTROLLER = "/fleet/DEFAULT/controller/v1/gateway-1";
export const CERTIFICATE = lastingPair(HOST);

export interface DDIRequest {
	readonly method: string;
	readonly path: string;
	readonly head: string;
	readonly body: string;
}

export interface Answer {
	readonly status?: number;
	readonly headers?: readonly string[];
	readonly body?: Uint8Array | string;
	/** Number of bytes of the body after which the server closes. */
	readonly breaksAt?: number;
	/** Sends this many bytes each second. */
	readonly perSecond?: number;
	/** Sends the body again and again, without a length. */
	readonly isEndless?: boolean;
	/** Sends nothing. */
	readonly isSilent?: boolean;
}

export interface Deployment {
	readonly id: string;
	readonly files: Readonly<Record<string, Uint8Array>>;
	readonly update?: string;
}

export class DDIServer {
	/** Deployment that is open; closed by a feedback. */
	deployment: Deployment | undefined;
	cancelId = "";
	wantsAttributes = false;
	sleep = "00:05:00";
	/** Bodies of all feedbacks, with the path below the target's. */
	readonly feedbacks: { readonly path: string; readonly body: JSONObject }[] = [];
	attributes: JSONObject | undefined;
	/** Times of all polls, virtual ms. */
	readonly polls: number[] = [];
	readonly requests: DDIRequest[] = [];
	connections = 0;
	/** Closes each connection after a reply. */
	closes = false;
	/** Called before the usual answer, which is given if this function returns undefined. */
	answer: ((request: DDIRequest) => Answer | undefined) | undefined;
	/** Called with each new connection. */
	onConnection: ((peer: VirtualClient) => void) | undefined;
	/**
	 * Beginning of all links. Names another host than HOST, as behind a proxy that does not pass on the host's name.
	 */
	origin = "http://10.0.0.1:8080";
	world!: VirtualWorld;

	serve(world: VirtualWorld): void {
		this.world = world;
		world.names.set(HOST, ADDRESS);
		world.servers.serve(ADDRESS, 443, {
			certificate: CERTIFICATE.certificate,
			onConnection: (peer) => this.answerPeer(peer),
		});
	}

	/** Closed actions as `id finished`, with the first words of the details of a failure. */
	get results(): string[] {
		return this.feedbacks
			.filter(({ body }) => body.status.execution === "closed")
			.map(({ path, body }) => `${path.split("/")[1]} ${body.status.result.finished}: ${body.status.details.join()}`);
	}

	/** Executions of all feedbacks. */
	get executions(): string[] {
		return this.feedbacks.map(({ body }) => body.status.execution);
	}

	private answerPeer(peer: VirtualClient): void {
		this.connections++;
		this.onConnection?.(peer);
		peer.onReceived = () => {
			if (peer.isClosed) return;
			const { text } = peer;
			const end = text.indexOf("\r\n\r\n");
			if (end < 0) return;
			const head = text.slice(0, end);
			const length = Number(/^Content-Length: (\d+)$/m.exec(head)?.[1] ?? 0);
			const size = end + 4 + length;
			if (text.length < size) return;
			const body = text.slice(end + 4, size);
			peer.discard(size);
			const [method, path] = head.split(" ");
			const request = { method, path, head, body };
			this.requests.push(request);
			this.send(peer, this.answer?.(request) ?? this.usual(request));
		};
	}

	private send(peer: VirtualClient, answer: Answer): void {
		const { status = 200, headers = [], isEndless, isSilent, perSecond } = answer;
		if (isSilent) return;
		const body = Buffer.from(answer.body ?? "");
		const framing = isEndless ? "X: endless" : `Content-Length: ${body.length}`;
		const closing = this.closes ? ["Connection: close"] : [];
		peer.send([`HTTP/1.1 ${status} X`, framing, ...closing, ...headers, "", ""].join("\r\n"));
		if (isEndless || perSecond !== undefined) this.trickle(peer, body, perSecond ?? body.length, isEndless === true);
		else if (answer.breaksAt === undefined) {
			peer.send(body);
			if (this.closes) peer.close();
		} else {
			peer.send(body.subarray(0, answer.breaksAt));
			peer.close();
		}
	}

	private trickle(peer: VirtualClient, body: Uint8Array, perSecond: number, isEndless: boolean): void {
		let at = 0;
		const next = () => {
			if (peer.isClosed || (at >= body.length && !isEndless)) return;
			peer.send(body.subarray(at % body.length, (at % body.length) + perSecond));
			at += perSecond;
			this.world.time.set(next, 1000);
		};
		next();
	}

	private usual({ body, head, method, path }: DDIRequest): Answer {
		if (!head.includes(`\r\nAuthorization: TargetToken ${TOKEN}\r\n`)) return { status: 401, body: "{}" };
		const [at] = path.split("?");
		if (!at.startsWith(CONTROLLER)) return { status: 404, body: "{}" };
		const rest = at.slice(CONTROLLER.length);
		const open = this.deployment;
		if (rest === "") return this.base();
		if (rest === "/configData" && method === "PUT") {
			this.attributes = JSON.parse(body);
			this.wantsAttributes = false;
			return {};
		}
		const feedback = /^\/(deploymentBase|cancelAction)\/(\d+)\/feedback$/.exec(rest);
		if (feedback !== null && method === "POST") {
			const known = feedback[1] === "cancelAction" ? this.cancelId : open?.id;
			if (known !== feedback[2]) return { status: 410, body: "{}" };
			const given = JSON.parse(body);
			this.feedbacks.push({ path: rest.slice(1), body: given });
			if (feedback[1] === "cancelAction") this.cancelId = "";
			const isOver = feedback[1] === "deploymentBase" || given.status.execution === "closed";
			if (given.status.execution === "closed" && isOver) this.deployment = undefined;
			return {};
		}
		if (open !== undefined && rest === `/deploymentBase/${open.id}`) return { body: this.document(open) };
		const file = open?.files[rest.split("/").at(-1)!];
		const [, from] = /^Range: bytes=(\d+)-$/m.exec(head) ?? [];
		if (file !== undefined && from !== undefined) {
			return Number(from) > 0 ? { status: 206, body: file.subarray(Number(from)) } : { body: file };
		}
		return { status: 404, body: "{}" };
	}

	private base(): Answer {
		this.polls.push(this.world.time.nowMs);
		const link = (path: string) => ({ href: `${this.origin}${CONTROLLER}/${path}` });
		const links = {
			...(this.wantsAttributes ? { configData: link("configData") } : {}),
			...(this.cancelId === "" ? {} : { cancelAction: link(`cancelAction/${this.cancelId}`) }),
			...(this.deployment === undefined || this.cancelId !== ""
				? {}
				: { deploymentBase: link(`deploymentBase/${this.deployment.id}?c=-2127183556`) }),
		};
		return { body: JSON.stringify({ config: { polling: { sleep: this.sleep } }, _links: links }) };
	}

	document({ files, id, update = "forced" }: Deployment): string {
		const artifacts = Object.entries(files).map(([filename, file]) => ({
			filename,
			hashes: { sha1: "0", md5: "0", sha256: "0" },
			size: file.length,
			_links: {
				"download-http": { href: `${this.origin}${CONTROLLER}/softwaremodules/5/artifacts/${filename}` },
				"md5sum-http": { href: `${this.origin}${CONTROLLER}/softwaremodules/5/artifacts/${filename}.MD5SUM` },
			},
		}));
		const chunk = {
			part: "os",
			version: "1",
			name: "firmware",
			artifacts,
			metadata: [{ key: "filename", value: "x" }],
		};
		return JSON.stringify({
			id,
			deployment: { download: "forced", update, chunks: [chunk] },
			actionHistory: { status: "RUNNING", messages: ['{["deep"]}'] },
		});
	}
}
