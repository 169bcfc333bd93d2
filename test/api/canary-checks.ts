/**
 * Secrets never leave the gateway. Every reply of every check and all traces are searched for planted secrets
 * (gateway.ts, `plant`). These checks plant secrets wherever a reply or a trace could contain them. A new secret of the
 * API must be planted in `plantAll`, by the route that sets it.
 */
import assert from "node:assert/strict";
import { isError, succeeded, type TestGateway, vectorOf } from "./gateway.js";
import { ChangedPassword } from "./password-checks.js";
import { CLOSED_ROUTES } from "./routing-checks.js";
import { deleteTokens } from "./token-checks.js";

/** Attempts at a request that is refused while memory is short, for example during a test of the hub. */
const TRIES = 30;

const SECRET = 'canary "password" \u00fc';

export function canaryChecks(gateway: () => TestGateway): void {
	describe("secrets", () => {
		const password = new ChangedPassword(gateway);
		let secrets: string[] = [];

		/** Sets all secrets through the API. Secrets that a reply returns are planted by `begin`. */
		async function plantAll(): Promise<void> {
			await deleteTokens(gateway());
			const { token } = await gateway().write("system/tokens", { name: "canary" });
			const { new_hash } = await password.body(SECRET);
			await password.to(SECRET);
			gateway().token = token;
			const dlms = { password: "canary lls", block_cipher_key: "0c".repeat(16), auth_key: "0D".repeat(16) };
			await gateway().write("dlms/config", dlms);
			const iec = { password: "canary p1" };
			await gateway().write("iec62056/config", iec);
			const hub = { enabled: true, url: "https://hub.lan", token: "canary-of-the-hub" };
			await gateway().write("hub", hub);
			const mqtt = { url: "mqtt://broker.lan", user: "canary", password: "canary of the broker" };
			await gateway().write("mqtt", mqtt);
			const wifi = { ssid: "home", password: "canary of the network", dhcp: true };
			await gateway().write("network/wifi", wifi);
			const accessPoint = { ap_password: "canary of our own" };
			await gateway().write("network/ap", accessPoint);
			secrets = [SECRET, new_hash, token, ...Object.values(dlms), iec.password, hub.token];
			secrets.push(mqtt.password, wifi.password, accessPoint.ap_password);
			for (const secret of secrets) gateway().plant(secret);
		}

		beforeEach(plantAll);
		afterEach(async () => {
			await password.restore();
			await gateway().login();
			await deleteTokens(gateway());
		});
		after(() => gateway().restartWithout("access"));

		it("appear in no reply to a GET", async () => {
			await gateway().connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
			await gateway().write("iec62056/control", { log_en: true });
			for (const route of [...CLOSED_ROUTES, "GET system/challenge"]) {
				const [method, path] = route.split(" ");
				if (method === "GET") assert.notEqual((await gateway().get(path)).status, 401, path);
			}
			gateway().checkTraces();
		});
		it("never appear in error replies, whichever field contained them", async () => {
			for (const secret of secrets) {
				const inURL = encodeURIComponent(secret);
				isError(await gateway().get(inURL), 404, "not_found");
				isError(await gateway().request("DELETE", `system/tokens/${inURL}`), 404, "not_found");
				isError(await gateway().request("DELETE", `system/sessions/${inURL}`), 404, "not_found");
				isError(
					await gateway().get("meter/protocol", { token: Buffer.from(`${secret}x`).toString("latin1") }),
					401,
					"unauthorized",
				);
				assert.equal((await gateway().get(`meter/protocol?token=${inURL}&lang=${inURL}`)).status, 200);
				for (const route of [...CLOSED_ROUTES, "POST system/login", "POST system/password"]) {
					const [method, path] = route.split(" ");
					// These routes take effect with any body.
					if (method !== "POST" || /\/(logout|reboot|factory_reset|probe|reset)$/.test(path)) continue;
					const text = JSON.stringify(secret);
					for (const body of [text, `{${text}:${text}}`, `{"x":${text}`, `{"username":${text},"name":[${text}]}`]) {
						let reply = await gateway().post(path, body, { token: gateway().token });
						for (let tries = 0; reply.status === 503 && tries < TRIES; tries++) {
							await gateway().pass(1000);
							reply = await gateway().post(path, body, { token: gateway().token });
						}
						assert.ok(reply.status < 500 || reply.status === 501, `${path} ${reply.text}`);
					}
				}
			}
			gateway().checkTraces();
		});
		it("are not revealed by a restart, whether flash is intact or damaged", async () => {
			await gateway().restart();
			gateway().checkTraces();
			await gateway().restart("tokens");
			gateway().checkTraces();
			gateway().token = succeeded(await password.login(SECRET)).token;
			await gateway().restart("access");
			password.now = "label-password";
			gateway().checkTraces();
			await gateway().login();
			await gateway().read("system/tokens");
		});
	});
}
