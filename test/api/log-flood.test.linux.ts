/** The log still shows an intruder's login after 1000 failed logins from 60 addresses. */
import assert from "node:assert/strict";
import { byRun } from "../runs.js";
import { type JSONObject, PASSWORD, succeeded, type TestGateway, USERNAME } from "./gateway.js";
import { ProcessGateway } from "./process-gateway.js";
import { VirtualGateway } from "./virtual-gateway.js";

const ADDRESSES = 60;
const INTRUDER = "127.0.4.9";

const GATEWAYS: Record<string, () => Promise<TestGateway>> = {
	log: async () => new VirtualGateway(),
	"log of the simulator": () => ProcessGateway.start("xs"),
	"log of the firmware on Linux": () => ProcessGateway.start("linux"),
};

for (const what of byRun({ test: ["log", "log of the simulator"], linux: ["log of the firmware on Linux"] })) {
	describe(`The ${what} among wrong logins`, function () {
		this.timeout(180_000);
		let gateway: TestGateway;
		before(async () => {
			gateway = await GATEWAYS[what]();
		});
		after(() => gateway?.stop());

		async function fail(times: number): Promise<void> {
			for (let i = 0; i < times; i++) {
				const from = `127.0.4.${100 + (i % ADDRESSES)}`;
				const reply = await gateway.post(
					"system/login",
					{ username: USERNAME, password: "wrong" },
					{ token: null, from },
				);
				assert.ok(reply.status === 401 || reply.status === 429, `${reply.status}`);
			}
		}

		async function events(): Promise<JSONObject[]> {
			await gateway.login();
			return (await gateway.read("system/log")).events;
		}

		it("still shows the intruder's login and token among 1000 refused logins", async () => {
			await fail(100);
			const body = { username: USERNAME, password: PASSWORD };
			const { token } = succeeded(await gateway.post("system/login", body, { token: null, from: INTRUDER }));
			succeeded(await gateway.post("system/tokens", { name: "intruder" }, { token, from: INTRUDER }));
			await fail(900);
			checkEvents(await events(), 1000);
		});

		it("still shows the intruder's login and token after a restart, and how many logins were refused before", async () => {
			await gateway.restart();
			checkEvents(await events(), 100);
		});
	});
}

function checkEvents(events: readonly JSONObject[], refused: number): void {
	const texts = events.map(({ event, detail }) => `${event} ${detail}`);
	assert.ok(texts.includes(`login ${INTRUDER}`), `${texts}`);
	assert.ok(texts.includes("token_made intruder"), `${texts}`);
	const refusals = events.filter(({ event }) => event === "login_refused");
	assert.ok(refusals.length <= 9, `${texts}`);
	const count = refusals.reduce((sum, one) => sum + one.count, 0);
	assert.ok(count >= refused && count <= 1000, `${count} refused logins, at least ${refused} expected`);
}
