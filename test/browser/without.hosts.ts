/** The pages of a firmware that was built without some parts and protocols: they show nothing of these. */
import assert from "node:assert/strict";
import type { ProcessGateway } from "../api/process-gateway.js";
import { say, startGateway, usePage, Visit } from "./browser.js";

const PROTOCOL = "select[name=protocol] option";

describe("The pages of a firmware without some parts and protocols", function () {
	this.timeout(120_000);
	usePage();
	let gateway: ProcessGateway;
	let without = "";
	let visit: Visit;

	before(async () => {
		gateway = await startGateway();
		await gateway.login();
	});

	/** Visits a gateway that names omitted parts in its status, and replies 404 on their routes. */
	async function begin(): Promise<void> {
		visit = await Visit.begin(gateway);
		await visit.page.route("**/system/status", async (route) => {
			const response = await route.fetch();
			if (!response.ok()) return route.fulfill({ response });
			const status = await response.json();
			return route.fulfill({ response, json: without === "" ? status : { ...status, without } });
		});
		await visit.logIn();
	}
	afterEach(async () => {
		assert.deepEqual(visit.complaints, []);
		await visit.end();
	});

	const places = () =>
		visit.page
			.locator("nav a")
			.evaluateAll((links) => links.map((link) => (link as unknown as { hash: string }).hash.replace("#/", "")));
	const protocols = () =>
		visit.page
			.locator(PROTOCOL)
			.evaluateAll((options) => options.map((option) => (option as unknown as { value: string }).value));
	const wasRequested = (path: string) =>
		visit.requests.some((request) => new URL(request.url()).pathname.endsWith(path));

	it("are complete if nothing is left out", async () => {
		without = "";
		await begin();
		for (const place of ["hub", "batteries"]) assert.ok((await places()).includes(place), place);
		await visit.go("meter");
		assert.deepEqual(await protocols(), ["iec62056", "dlms", "sml", "tic", "kmp", "mbus", "amis"]);
		await visit.go("system");
		assert.equal(await visit.card("price.title").count(), 1);
	});

	it("show omitted parts neither in the menu, on the overview nor among the settings, and send no requests for them", async () => {
		without = "mqtt live-meter prices peaks";
		await begin();
		const shown = await places();
		assert.ok(!shown.includes("batteries"));
		for (const place of ["hub", "zigbee"]) assert.ok(shown.includes(place), place);
		await (await visit.state(say("state.hub"))).waitFor();
		assert.equal(await (await visit.state("MQTT")).count(), 0);
		await visit.page.keyboard.press("Escape");
		await visit.go("system");
		assert.equal(await visit.card("price.title").count(), 0);
		await visit.go("use");
		for (const path of ["/mqtt", "/prices", "/peaks", "/live-meter"]) assert.ok(!wasRequested(path), path);
	});

	it("show one of two outputs if the other is left out", async () => {
		without = "mqtt zigbee";
		await begin();
		assert.ok(!(await places()).includes("zigbee"));
		await visit.go("hub");
		assert.deepEqual([await visit.card("mqtt.title").count(), await visit.card("state.hub").count()], [0, 1]);
	});

	it("offer the protocols that were not left out, and the stored protocol", async () => {
		without = "sml tic";
		await gateway.write("meter/protocol", { protocol: "tic" });
		await begin();
		await visit.go("meter");
		assert.deepEqual(await protocols(), ["iec62056", "dlms", "tic", "kmp", "mbus", "amis"]);
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await visit.go("dashboard");
		await visit.go("meter");
		assert.deepEqual(await protocols(), ["iec62056", "dlms", "kmp", "mbus", "amis"]);
		assert.equal(await visit.page.locator("[name=mode_d_enabled]").count(), 1);
	});
});
