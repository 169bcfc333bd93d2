/**
 * Zigbee on the page: each state in words with advice, joining step by step, and what was sent of each value. The tests
 * replace the radio's state in the gateway's replies, since most states are hard to cause.
 */
import assert from "node:assert/strict";
import type { TextKey } from "../../hosts/browser/text/all.js";
import { TEXTS } from "../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import { vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsInBoth, violationsOf } from "./axe.js";
import { PHONE, say, startWithMeter, usePage, Visit } from "./browser.js";

const WIDTHS = [PHONE, 600, 768, 1280];
/** Duration of the gateway's search for a network, s. */
const JOINING_S = 300;
const SENT_S = Date.UTC(2026, 0, 2, 3, 4) / 1000;

const BLANK = { enabled: true, joined: false, channel: 11, short_address: 65535, pan_id: 65535, joining_secs: 0 };
const WORKING = {
	...BLANK,
	extended_pan_id: "0000000000000000",
	role: "router",
	ieee_address: "00124B002A1B3C4D",
	coprocessor: "Z-Stack 3.x.0, 2025-03-21",
	reported: [] as object[],
};
const MUTE = { ...WORKING, ieee_address: "", coprocessor: "" };
const NETWORK = {
	...{ joined: true, channel: 15, short_address: 0x4a11, pan_id: 0x1a62, extended_pan_id: "DD11223344556677" },
	reported: [
		{ mapping_id: "07020000", value: 61571.78, timestamp: SENT_S },
		{ mapping_id: "07020400", value: -1250, timestamp: 0 },
	],
};
const STATES = {
	absent: { ...MUTE, enabled: false },
	off: { ...MUTE, enabled: false },
	starting: MUTE,
	silent: MUTE,
	foreign: { ...MUTE, coprocessor: "Z-Stack 1.2, 2019-06-08" },
	not_joined: WORKING,
	joining: { ...WORKING, joining_secs: 222 },
	joined: { ...WORKING, ...NETWORK },
	parent_lost: { ...WORKING, ...NETWORK, role: "end_device" },
	leaving: WORKING,
} as const;
type State = keyof typeof STATES;

/** States with a further sentence; one of the sentences contains the name of the model. */
const SENTENCES: Partial<Record<State, TextKey>> = {
	absent: "zigbee.is.absent",
	silent: "zigbee.is.silent",
	foreign: "zigbee.is.foreign",
	not_joined: "zigbee.is.not_joined",
	joining: "zigbee.is.joining",
	joined: "zigbee.joined",
	parent_lost: "zigbee.is.parent_lost",
};
/** States that allow the owner to join, or to leave for another network. */
const JOINS: readonly State[] = ["not_joined", "joined", "parent_lost"];

/** States that axe checks: with a warning, a progress bar, and the facts; the others have the same elements. */
const LOOKED_AT: readonly State[] = ["foreign", "joining", "joined"];

/** States with the longest texts. */
const LONGEST: readonly State[] = ["foreign", "parent_lost"];

describe("Zigbee on the page", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;
	let model: string;
	/** State of the radio in the gateway's replies. */
	let radio: object & { state: string };
	/** Routes and bodies of the requests to `zigbee/…`. */
	let sent: [route: string, body: unknown][];
	/** Sets the state that the next request causes. */
	let showNext: (() => void) | undefined;

	const show = (state: State, more: object = {}) => {
		radio = { ...STATES[state], ...more, state };
	};
	/** Visits a gateway that shows `radio` in its replies. */
	async function begin(): Promise<Visit> {
		const newVisit = await Visit.begin(gateway, { hurried: true });
		for (const route of ["config", "reset"]) {
			await newVisit.page.route(`**/zigbee/${route}`, (request) => {
				if (request.request().method() === "GET") return request.fulfill({ json: radio });
				sent.push([route, request.request().postDataJSON()]);
				showNext?.();
				showNext = undefined;
				return request.fulfill({ body: "" });
			});
		}
		await newVisit.page.route("**/system/status", async (route) => {
			const response = await route.fetch();
			if (!response.ok()) return route.fulfill({ response });
			const { state, enabled } = radio as { state: string; enabled?: boolean };
			const status = { ...(await response.json()), zigbee_enabled: enabled, zigbee_state: state };
			return route.fulfill({ response, json: status });
		});
		return newVisit.logIn();
	}
	const card = () => visit.card("network.state");
	/** Leaves the page and returns, so that it requests everything again. */
	async function again(): Promise<void> {
		await visit.go("dashboard");
		await visit.go("zigbee");
	}

	before(async () => {
		gateway = await startWithMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
		await gateway.read("iec62056/read");
		model = `Meter gateway ${(await gateway.read("system/version")).device.model}`;
		show("silent");
		visit = await begin();
	});
	beforeEach(() => {
		sent = [];
	});

	describe("state", () => {
		it("is also named in the list of states, which every page has", async () => {
			show("silent");
			await visit.go("dashboard");
			await visit.page.reload();
			const chip = await visit.state(say("nav.zigbee"));
			await chip.getByText(say("state.silent")).waitFor();
			await visit.page.keyboard.press("Escape");
		});

		for (const state of Object.keys(STATES) as State[]) {
			it(`${state}: is shown with its name, advice, and facts about the radio`, async () => {
				show(state);
				await again();
				await card()
					.getByText(`${say("nav.zigbee")}: ${say(`state.${state}`)}`)
					.waitFor();
				const sentence = SENTENCES[state];
				if (sentence !== undefined)
					await card()
						.getByText(say(sentence, { name: model, pan: "1A62", n: 15 }), { exact: true })
						.waitFor();
				assert.equal(await card().locator("[name=join]").count(), JOINS.includes(state) ? 1 : 0);
				assert.equal(await visit.page.locator("[name=enabled]").count(), state === "absent" ? 0 : 1);
				assert.equal(await card().locator("progress").count(), state === "joining" ? 1 : 0);
				const facts = (await card().locator("dd").allTextContents()).join(" | ");
				const { role, coprocessor, joined, enabled } = STATES[state];
				const address = joined ? "15 | 1A62 | DD11223344556677 | 4A11 | " : "";
				const chip = STATES[state].ieee_address && `${STATES[state].ieee_address} | `;
				const kind = say(role === "router" ? "zigbee.router" : "zigbee.end");
				const firmware = coprocessor && ` | ${coprocessor}`;
				assert.equal(facts, enabled ? `${address}${chip}${kind}${firmware}` : "");
				if (!LOOKED_AT.includes(state)) return;
				assert.deepEqual(await violationsInBoth(visit), []);
			});
		}
	});

	for (const language of LANGUAGES) {
		it(`fits every width with its longest texts in the language ${language}`, async () => {
			await visit.page.goto(`${visit.base}/${language}#/zigbee`);
			const found: string[] = [];
			for (const state of LONGEST) {
				show(state);
				await again();
				const word = TEXTS[`state.${state}`][LANGUAGES.indexOf(language)];
				await visit.page.locator(".chip").getByText(word, { exact: true }).waitFor();
				for (const width of WIDTHS) {
					await visit.page.setViewportSize({ width, height: 800 });
					found.push(...(await visit.overflow()).map((what) => `${state}, ${width}: ${what}`));
				}
			}
			await visit.page.goto(`${visit.base}/en#/zigbee`);
			assert.deepEqual(found, []);
		});
	}

	describe("joining", () => {
		const dialog = () => visit.page.getByRole("dialog");
		beforeEach(async () => {
			show("not_joined");
			await again();
		});
		/** Joins; the radio has this state from the request on, but not before, since the page may poll at any time. */
		const join = async (state: State, more: object) => {
			showNext = () => show(state, more);
			await card().locator("[name=join]").click();
			await dialog().getByText(say("zigbee.open")).waitFor();
			await dialog().locator("button[type=submit]").click();
			await dialog().waitFor({ state: "detached" });
		};

		it("shows what to do at the controller, counts down, and names the gateway as it appears there", async () => {
			await card().locator("[name=join]").click();
			assert.deepEqual(await violationsOf(visit), []);
			assert.equal(await dialog().getByText(say("zigbee.leaves")).count(), 0);
			await visit.page.keyboard.press("Escape");
			assert.deepEqual(sent, []);
			await join("joining", { joining_secs: JOINING_S });
			assert.deepEqual(sent, [["reset", null]]);
			await card()
				.getByText(say("pin.left", { n: JOINING_S }))
				.waitFor();
			// Between two attempts the radio is in no network, which does not end the joining.
			show("not_joined", { joining_secs: 290 });
			await visit.hurry(card().getByText(say("pin.left", { n: 290 })));
			await card().getByText(say("state.joining"), { exact: true }).waitFor();
			assert.equal(await card().getByRole("progressbar").getAttribute("value"), String(JOINING_S - 290));
			show("joined");
			const done = say("zigbee.joined", { name: model, pan: "1A62", n: 15 });
			await visit.hurry(card().locator(".notice.good").getByText(done));
			await visit.page.locator("[role=status]").getByText(done).first().waitFor({ state: "attached" });
			assert.equal(await card().locator("progress").count(), 0);
		});

		it("gives the reason if no network accepted the gateway, until the next attempt", async () => {
			await join("joining", { joining_secs: 2 });
			show("not_joined");
			const failed = card().locator(".notice.warning").getByText(say("zigbee.failed"));
			await visit.hurry(failed);
			await join("joining", { joining_secs: JOINING_S });
			await failed.waitFor({ state: "detached" });
		});

		it("asks before it leaves a network, and shows that it is leaving", async () => {
			show("joined");
			await again();
			await card().locator("[name=join]").getByText(say("zigbee.rejoin")).click();
			await dialog().getByText(say("zigbee.leaves")).waitFor();
			await visit.button("cancel", dialog()).click();
			assert.deepEqual(sent, []);
			await join("leaving", { joining_secs: JOINING_S });
			await card().getByText(say("state.leaving")).waitFor();
			assert.equal(sent.length, 1);
			assert.equal(await card().locator(".notice").count(), 0);
		});

		it("shows the gateway's reply if the gateway refuses", async () => {
			await visit.page.route("**/zigbee/reset", (route) =>
				route.fulfill({ status: 409, json: { error: "conflict", message: "Zigbee is turned off." } }),
			);
			await card().locator("[name=join]").click();
			await dialog().locator("button[type=submit]").click();
			await dialog().getByRole("alert").waitFor();
			await dialog().getByText("Zigbee is turned off.").waitFor({ state: "attached" });
			await visit.page.keyboard.press("Escape");
		});
	});

	describe("values", () => {
		const map = () => visit.card("map.title");
		const interview = () => visit.page.getByText(say("map.interview"), { exact: true });
		before(async () => {
			show("joined");
			await visit.page.reload();
			await gateway.login();
		});
		beforeEach(again);

		it("shows the last value sent with its unit and time, and which line has no value", async () => {
			const { mapping } = await gateway.read("zigbee/map");
			const texts = await map().locator("li").allTextContents();
			assert.equal(texts.length, mapping.length);
			const of = (id: string) => texts[mapping.findIndex((entry: { mapping_id: string }) => entry.mapping_id === id)];
			assert.match(of("07020000"), /Last sent: 61,571\.78 kWh, Jan 2, 2026, 3:04 AM UTC/u);
			assert.match(of("07020400"), /Last sent: −1,250 W, time unknown/u);
			assert.ok(of("07020400").includes(say("map.missing")));
			assert.ok(of("07020001").includes(`${say("out.sent")}: ${say("out.never")}`));
		});

		it("asks for another interview if voltage or current is added or removed, and only then", async () => {
			await visit.fill(map().locator("li").first(), { mode: "full" });
			await visit.save(map(), {});
			assert.equal(await interview().count(), 0);
			const last = map().locator("li").last();
			assert.equal(await last.locator("[name=mapping_id]").inputValue(), "0B040508");
			await last.getByRole("button").click();
			await visit.save(map(), {});
			await interview().waitFor();
			assert.deepEqual(await violationsOf(visit), []);
			show("not_joined");
			await visit.page.reload();
			await visit.settled();
			await map().locator("[name=add]").click();
			await visit.fill(map().locator("li").last(), { mapping_id: "0B040508", obis: "31.7.0" });
			await visit.save(map(), {});
			assert.equal(await interview().count(), 0);
			show("joined");
			await visit.page.reload();
		});

		it("asks for another interview if a current is mapped or removed on the page of readings", async () => {
			await visit.go("readings");
			const row = visit.page.locator("table.readings tbody tr").filter({ hasText: "Current L1" });
			const stored = () => visit.page.waitForResponse((response) => response.request().method() === "POST");
			await Promise.all([stored(), row.getByRole("combobox").selectOption("00000000")]);
			await interview().waitFor();
			await Promise.all([stored(), row.getByRole("combobox").selectOption("0B040508")]);
			await interview().waitFor();
		});

		it("announces the gateway's restart before Zigbee is turned off, and meanwhile", async () => {
			const form = visit.card("nav.zigbee");
			await form.getByText(say("zigbee.enabled.help")).waitFor();
			await form.locator("[name=enabled]").uncheck();
			await visit.submit(form);
			await visit.page.getByText(say("restart.text")).waitFor();
			assert.deepEqual(sent, [["config", { enabled: false }]]);
		});
	});
});
