/**
 * Our gateway and Mosquitto: messages that Mosquitto's own client receives, with and without TLS and password, and the
 * error for each refusal. No test expects a cause that MQTT 3.1.1 can't report.
 */
import assert from "node:assert/strict";
import { pbkdf2Sync } from "node:crypto";
import { type JSONObject, vectorOf } from "../api/gateway.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { AUTHORITY, type Made, make, missingOpenSSL } from "../hosts/openssl.js";
import { METER, sendNow, waitFor } from "./home.js";
import { type BrokerOptions, Mosquitto } from "./mosquitto.js";
import { freePort, PeerMissing, run } from "./peer.js";
import { PAGE_HOST } from "./reading-bed.js";
import { template } from "./templates.js";

const USER = "gateway";
const PASSWORD = "password of the gateway";
const KEY = "1_0_1_8_0";
const VALUE = 15882.6927;
/** Limit for a new connection, ms; retry delays are 10 s ± 50 %, then twice that. */
const RETURN_LIMIT_MS = 60_000;

interface Certificates {
	readonly authority: Made;
	readonly other: Made;
	/** Server certificates: `server` is valid for 127.0.0.1, `expired` has expired, `misnamed` is for another name. */
	readonly server: Made;
	readonly expired: Made;
	readonly misnamed: Made;
	/** A client's certificate and key. */
	readonly client: Made;
}

export interface BrokerPeer {
	readonly gateway: ProcessGateway;
	readonly certificates: Certificates | PeerMissing;
}

function makeCertificates(): Certificates | PeerMissing {
	const reason = missingOpenSSL();
	if (reason !== undefined) return new PeerMissing(reason);
	const authority = make({ subject: "/CN=Authority of the broker", extensions: AUTHORITY });
	const server = (name: string, days = 30) =>
		make({
			subject: "/CN=broker",
			issuer: authority,
			extensions: ["basicConstraints=CA:FALSE", `subjectAltName=${name}`],
			days,
		});
	return {
		authority,
		other: make({ subject: "/CN=Other authority", extensions: AUTHORITY }),
		server: server("IP:127.0.0.1"),
		expired: server("IP:127.0.0.1", -1),
		misnamed: server("DNS:other.example"),
		client: make({ subject: "/CN=a client", issuer: authority }),
	};
}

export async function prepareBroker(engine: EngineName): Promise<BrokerPeer> {
	// Throws if Mosquitto is not installed.
	await (await Mosquitto.start()).stop();
	const gateway = await ProcessGateway.start(engine);
	await gateway.login();
	await gateway.connectMeter({ telegram: vectorOf(METER).telegram });
	return { gateway, certificates: makeCertificates() };
}

export const endBroker = ({ gateway }: BrokerPeer) => gateway.stop();

/** A line of Mosquitto's password file, in the form of mosquitto_passwd. */
function passwordLine(user: string, password: string): string {
	const salt = Buffer.from("salt of test");
	const hash = pbkdf2Sync(password, salt, 101, 64, "sha512");
	return `${user}:$7$101$${salt.toString("base64")}$${hash.toString("base64")}\n`;
}

const WITH_PASSWORD: BrokerOptions = {
	lines: ["password_file @/users"],
	files: { users: passwordLine(USER, PASSWORD) },
	client: ["-u", USER, "-P", PASSWORD],
};

function withTLS(peer: BrokerPeer, which: "server" | "expired" | "misnamed", ...more: string[]): BrokerOptions {
	const { authority, client, [which]: server } = certificatesOf(peer);
	return {
		lines: ["allow_anonymous true", "certfile @/server.pem", "keyfile @/server.key", "cafile @/ca.pem", ...more],
		files: {
			"server.pem": server.certificate,
			"server.key": server.key,
			"ca.pem": authority.certificate,
			"client.pem": client.certificate,
			"client.key": client.key,
		},
		client: ["--cafile", "@/ca.pem", "--cert", "@/client.pem", "--key", "@/client.key"],
	};
}

function certificatesOf({ certificates }: BrokerPeer): Certificates {
	if (certificates instanceof Error) throw certificates;
	return certificates;
}

/** Configures the gateway with this broker; returns the result of the gateway's test. */
async function test(gateway: ProcessGateway, port: number, settings: JSONObject = {}): Promise<JSONObject> {
	const initial = { enabled: true, user: "", password: "", cert: "", client_cert: false };
	await gateway.write("mqtt", { ...initial, url: `mqtt://127.0.0.1:${port}`, ...settings });
	await gateway.read("iec62056/read");
	return sendNow(gateway, "mqtt/send");
}

async function withBroker(options: BrokerOptions, use: (broker: Mosquitto) => Promise<void>): Promise<void> {
	const broker = await Mosquitto.start(options);
	try {
		await use(broker);
	} finally {
		await broker.stop();
	}
}

/** Checks that Mosquitto's client receives the messages, and that the broker retains those that stay true. */
async function checkPublished(gateway: ProcessGateway, options: BrokerOptions, settings?: JSONObject): Promise<void> {
	await withBroker(options, async (broker) => {
		const secure = settings?.cert === undefined ? {} : { url: `mqtts://127.0.0.1:${broker.port}` };
		await broker.observe("smgw/#", async (observer) => {
			const { code, retcode } = await test(gateway, broker.port, { ...settings, ...secure });
			assert.deepEqual([code, retcode], ["ok", 0], broker.log);
			const { payload } = await observer.find(({ topic }) => topic.endsWith("/state"));
			assert.equal(JSON.parse(payload)[KEY], VALUE);
			await observer.find(({ topic, payload: text }) => topic.endsWith("/status") && text === "online");
		});
		const retainedTopics = (await broker.retained("smgw/#")).map(({ topic }) => topic.split("/").at(-1));
		assert.deepEqual(retainedTopics.sort(), ["status", "update"]);
	});
}

/** Checks that the gateway's test fails with one of these codes and a message with these words. */
async function checkRefused(
	gateway: ProcessGateway,
	options: BrokerOptions,
	wanted: { readonly code: RegExp; readonly words: RegExp; readonly settings?: JSONObject; readonly secure?: boolean },
): Promise<void> {
	await withBroker(options, async (broker) => {
		const url = wanted.secure === true ? { url: `mqtts://127.0.0.1:${broker.port}` } : {};
		const { code, retcode, message } = await test(gateway, broker.port, { ...wanted.settings, ...url });
		assert.match(code, wanted.code, `${message}\n${broker.log}`);
		assert.notEqual(retcode, 0);
		assert.match(message, wanted.words);
	});
}

/** The lines of docs/mqtt.md for client certificates, except those of `withTLS`. */
const CLIENT_CERTIFICATES = template("mosquitto-client-certificates.conf")
	.trim()
	.split("\n")
	.filter((line) => !/^(listener|certfile|keyfile|cafile) /.test(line));

/** The command of docs/mqtt.md that prints the gateway's certificate. */
function fetchingCertificate(gateway: ProcessGateway): string {
	return template("gateways.sh", { [PAGE_HOST]: gateway.authority(true), " >> gateways.pem": "" });
}

/**
 * Checks that a broker without passwords knows the gateway by its own certificate: it may publish below its user name,
 * which is the hostname, and nowhere else. The second connection offers the session of the first.
 */
async function checkIdentity(peer: BrokerPeer): Promise<void> {
	const { gateway } = peer;
	const { authority } = certificatesOf(peer);
	const own = await run("sh", ["-c", `TOKEN=${gateway.token}\n${fetchingCertificate(gateway)}`]);
	const options = withTLS(peer, "server", ...CLIENT_CERTIFICATES, "acl_file @/acl");
	const files = { "ca.pem": authority.certificate + own, acl: "user a client\ntopic read #\n\npattern write %u/#\n" };
	await withBroker({ ...options, files: { ...options.files, ...files } }, async (broker) => {
		const settings = {
			url: `mqtts://127.0.0.1:${broker.port}`,
			cert: authority.certificate,
			client_cert: true,
			topic: gateway.hostname,
		};
		await broker.observe(`${gateway.hostname}/#`, async (observer) => {
			const { code } = await test(gateway, broker.port, settings);
			assert.equal(code, "ok", broker.log);
			const sessions = () => broker.log.split(`u'${gateway.hostname}'`).length - 1;
			assert.equal(sessions(), 1, broker.log);
			// Saving the settings makes the gateway connect again.
			await gateway.write("mqtt", {});
			await waitFor("it does not come back", RETURN_LIMIT_MS, async () => (sessions() > 1 ? true : undefined));
			assert.equal((await gateway.read("system/status")).mqtt_state, "ok");
			const { payload } = await observer.find(({ topic }) => topic.endsWith("/state"));
			assert.equal(JSON.parse(payload)[KEY], VALUE);
		});
	});
	await gateway.write("mqtt", { topic: "smgw" });
}

interface Case {
	readonly name: string;
	run(peer: BrokerPeer): Promise<void>;
}

export const brokerCases: readonly Case[] = [
	{
		name: "the broker passes on the gateway's messages",
		run: ({ gateway }) => checkPublished(gateway, {}),
	},
	{
		name: "the broker accepts the gateway's user and password",
		run: ({ gateway }) => checkPublished(gateway, WITH_PASSWORD, { user: USER, password: PASSWORD }),
	},
	{
		name: "the gateway accepts the broker with its authority's certificate",
		run: (peer) =>
			checkPublished(peer.gateway, withTLS(peer, "server"), { cert: certificatesOf(peer).authority.certificate }),
	},
	{
		name: "the gateway accepts the broker with its own certificate",
		run: (peer) =>
			checkPublished(peer.gateway, withTLS(peer, "server"), { cert: certificatesOf(peer).server.certificate }),
	},
	{
		name: "the broker accepts a keep-alive beyond its own limit",
		run: ({ gateway }) => checkPublished(gateway, { lines: ["allow_anonymous true", "max_keepalive 30"] }),
	},
	{
		name: "the gateway reports that the broker refuses a wrong password",
		run: ({ gateway }) =>
			checkRefused(gateway, WITH_PASSWORD, {
				code: /^refused_(login|access)$/,
				words: /password/,
				settings: { user: USER, password: "wrong" },
			}),
	},
	{
		name: "the gateway reports that the broker needs user and password",
		run: ({ gateway }) =>
			checkRefused(gateway, WITH_PASSWORD, { code: /^refused_(login|access)$/, words: /user and password/ }),
	},
	{
		name: "the gateway does not trust a broker of another authority",
		run: (peer) =>
			checkRefused(peer.gateway, withTLS(peer, "server"), {
				code: /^certificate_untrusted$/,
				words: /certificate/,
				settings: { cert: certificatesOf(peer).other.certificate, user: USER, password: PASSWORD },
				secure: true,
			}),
	},
	{
		name: "the gateway does not trust a broker with another name",
		run: (peer) =>
			checkRefused(peer.gateway, withTLS(peer, "misnamed"), {
				code: /^certificate_wrong_name$/,
				words: /name/,
				settings: { cert: certificatesOf(peer).authority.certificate },
				secure: true,
			}),
	},
	{
		name: "the gateway does not trust a broker with an expired certificate",
		run: (peer) =>
			checkRefused(peer.gateway, withTLS(peer, "expired"), {
				code: /^certificate_expired$/,
				words: /expired.*clock/,
				settings: { cert: certificatesOf(peer).authority.certificate },
				secure: true,
			}),
	},
	{
		name: "the gateway reports that the broker requires a client certificate",
		run: (peer) =>
			checkRefused(peer.gateway, withTLS(peer, "server", "require_certificate true"), {
				// With TLS 1.3, the simulator learns of the refusal only after its own handshake.
				code: /^(client_certificate|closed_unanswered)$/,
				words: /turn on client_cert/,
				settings: { cert: certificatesOf(peer).authority.certificate },
				secure: true,
			}),
	},
	{
		name: "the broker takes the gateway's certificate as its user name, and resumes the session",
		run: (peer) => checkIdentity(peer),
	},
	{
		name: "the gateway reports a TLS port that is configured without TLS",
		run: (peer) =>
			checkRefused(peer.gateway, withTLS(peer, "server"), {
				code: /^(closed_unanswered|closed|connection_lost|no_mqtt)$/,
				words: /TLS|mqtts/,
			}),
	},
	{
		name: "the gateway reports a port without TLS that is configured with TLS",
		run: (peer) =>
			checkRefused(
				peer.gateway,
				{},
				{
					code: /^(tls_failed|closed|connection_lost)$/,
					words: /TLS/,
					settings: { cert: certificatesOf(peer).authority.certificate },
					secure: true,
				},
			),
	},
	{
		name: "the gateway refers to the broker's log if the broker closes because of a packet that is too large",
		run: ({ gateway }) =>
			checkRefused(
				gateway,
				{ lines: ["allow_anonymous true", "max_packet_size 300"] },
				{
					code: /^broker_closed$/,
					words: /log/,
				},
			),
	},
	{
		name: "the gateway reports a missing broker",
		async run({ gateway }) {
			const { code, message } = await test(gateway, await freePort());
			assert.equal(code, "unreachable");
			assert.match(message, /address and port/);
		},
	},
	{
		name: "the gateway reconnects after another client has used its identifier",
		run: ({ gateway }) =>
			withBroker({}, async (broker) => {
				assert.equal((await test(gateway, broker.port)).code, "ok");
				const names = [...broker.log.matchAll(/New client connected from \S+ as (\S+) /g)].map(([, name]) => name);
				const ours = names.at(-1)!;
				const sessions = () => broker.log.split(` as ${ours} `).length - 1;
				await broker.observe("smgw/+/status", async (observer) => {
					await broker.publish("other/topic", "1", "-i", ours);
					// The gateway's will, which the broker publishes.
					await observer.find(({ payload, retain }) => payload === "offline" && !retain);
					const before = sessions();
					await waitFor("it does not come back", RETURN_LIMIT_MS, async () => (sessions() > before ? true : undefined));
					await observer.find(({ payload, retain }) => payload === "online" && !retain);
				});
			}),
	},
];
