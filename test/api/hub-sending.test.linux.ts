/**
 * The hub over real HTTP and HTTPS, against Node's servers: requests, the servers that receive the token, and messages.
 * In XS only, since both engines of `npm start` use the host's sockets.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createPlain, type RequestListener, type Server } from "node:http";
import { createServer as createSecure } from "node:https";
import { type AddressInfo, createServer as createTCP, type Server as TCPServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AUTHORITY, make } from "../hosts/openssl.js";
import { byRun } from "../runs.js";
import { ProcessGateway } from "./process-gateway.js";

const LOOPBACK = "127.0.0.1";
const TOKEN = "canary-token-of-the-hub";
const LIMIT_MS = 60_000;
const POLL_MS = 250;

for (const engine of byRun({ test: ["xs"], linux: ["linux"] })) {
	describe(`The hub over real sockets, engine ${engine}`, function () {
		this.timeout(4 * LIMIT_MS);
		let gateway: ProcessGateway;
		const servers: (Server | TCPServer)[] = [];
		/** Requests of the current test. */
		let requests: { hasToken: boolean; path: string; state: string }[] = [];
		const states = new Map<string, string>();

		before(async () => {
			gateway = await ProcessGateway.loggedIn(engine);
			gateway.plant(TOKEN);
		});
		after(() => gateway?.stop());
		beforeEach(() => {
			requests = [];
			states.clear();
		});
		afterEach(() => {
			for (const server of servers.splice(0)) {
				if ("closeAllConnections" in server) server.closeAllConnections();
				server.close();
			}
		});

		const answer: RequestListener = (request, response) => {
			let body = "";
			request.setEncoding("utf8");
			request.on("data", (piece: string) => {
				body += piece;
			});
			request.on("end", () => {
				const { state } = JSON.parse(body) as { state: string };
				const path = request.url ?? "";
				requests.push({ hasToken: request.headers.authorization === `Bearer ${TOKEN}`, path, state });
				const isNew = !states.has(path);
				states.set(path, state);
				// Node sends chunks without Content-Length.
				response.writeHead(isNew ? 201 : 200, { "Content-Type": "application/json" });
				response.write(body);
				response.end();
			});
		};

		async function listen(server: Server | TCPServer): Promise<number> {
			servers.push(server);
			server.listen(0, LOOPBACK);
			await once(server, "listening");
			return (server.address() as AddressInfo).port;
		}

		/** Saves the settings and returns the resulting `hub_state`. */
		async function stateWith(url: string, cert = ""): Promise<string> {
			await gateway.write("hub", { enabled: true, url, token: TOKEN, cert });
			const endMs = Date.now() + LIMIT_MS;
			for (;;) {
				const { hub_state } = await gateway.read("system/status");
				// The gateway may not have joined its network yet.
				if (hub_state !== "waiting" && hub_state !== "no_network") return String(hub_state);
				assert.ok(Date.now() < endMs, "hub_state does not change");
				await sleep(POLL_MS);
			}
		}

		it("receives all states of a publication over one connection, each with the token", async () => {
			let connections = 0;
			const server = createPlain(answer).on("connection", () => connections++);
			const url = `http://${LOOPBACK}:${await listen(server)}`;
			assert.equal(await stateWith(url), "ok");
			assert.equal(connections, 1);
			assert.ok(requests.length >= 1 && requests.every(({ hasToken }) => hasToken));
			for (const { path } of requests) assert.match(path, /^\/api\/states\/(binary_)?sensor\.[a-z0-9_]+$/);
			const result = await gateway.read("hub/send");
			assert.deepEqual([result.retcode, result.code], [0, "ok"]);
			assert.ok(requests.some(({ path }) => path.endsWith("_last_readout")));
			assert.equal(connections, 2);
		});

		it("gets the token only if its certificate was issued by the trusted authority for its address, or is itself trusted", async () => {
			const authority = make({ subject: "/CN=Home", extensions: AUTHORITY });
			const signed = (extensions: string[], days = 30) =>
				make({ subject: "/CN=hub", issuer: authority, extensions: ["basicConstraints=CA:FALSE", ...extensions], days });
			const right = signed([`subjectAltName=IP:${LOOPBACK}`]);
			const misnamed = signed(["subjectAltName=DNS:elsewhere.lan"]);
			const expired = signed([`subjectAltName=IP:${LOOPBACK}`], -1);
			const own = make({ subject: "/CN=any name" });
			for (const [shown, trusted, state] of [
				[right, authority, "ok"],
				[own, own, "ok"],
				[misnamed, authority, "certificate_wrong_name"],
				[expired, authority, "certificate_expired"],
				[own, authority, "certificate_untrusted"],
			] as const) {
				requests = [];
				const server = createSecure({ cert: shown.certificate, key: shown.key }, answer);
				const url = `https://${LOOPBACK}:${await listen(server)}`;
				assert.equal(await stateWith(url, trusted.certificate), state);
				assert.equal(requests.length > 0, state === "ok", state);
			}
		});

		it("is distinguished from servers that are silent, don't speak HTTP, redirect or reject the token", async () => {
			const silent = createTCP((socket) => void socket.on("error", () => {}));
			assert.equal(await stateWith(`http://${LOOPBACK}:${await listen(silent)}`), "no_reply");
			const mail = createTCP((socket) => {
				socket.on("error", () => {});
				socket.write("220 mail.example ESMTP\r\n");
				socket.on("data", () => socket.write("500 what?\r\n"));
			});
			const state = await stateWith(`http://${LOOPBACK}:${await listen(mail)}`);
			assert.ok(["no_http", "closed", "connection_lost"].includes(state), state);
			const endless = createTCP((socket) => {
				socket.on("error", () => {});
				const timer = setInterval(() => socket.write("x".repeat(1000)), 5);
				socket.on("close", () => clearInterval(timer));
			});
			const ended = await stateWith(`http://${LOOPBACK}:${await listen(endless)}`);
			assert.ok(["no_http", "closed", "connection_lost"].includes(ended), ended);
			const moved = createPlain((_, response) => response.writeHead(307, { Location: "http://192.0.2.1/" }).end());
			assert.equal(await stateWith(`http://${LOOPBACK}:${await listen(moved)}`), "redirected");
			const refusing = createPlain((_, response) => response.writeHead(401).end('{"message":"Unauthorized"}'));
			assert.equal(await stateWith(`http://${LOOPBACK}:${await listen(refusing)}`), "token_rejected");
		});
	});
}
