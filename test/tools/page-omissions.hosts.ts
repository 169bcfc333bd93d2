/** The page of a firmware without some parts. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TEXTS } from "../../hosts/browser/text/all.js";
import { ARCHIVE, archiveFor, makePage, type PackedFile, pack, textOrder } from "../../tools/page/archive.js";
import { omittedModules, pageOmissions, standInFor } from "../../tools/page/omissions.js";
import { OMISSIONS } from "../../tools/sdk/omissions.js";

const SOURCE = join(import.meta.dirname, "../../../hosts/browser");
const ALL = pageOmissions(Object.keys(OMISSIONS));

/** A text that only the part's component uses. */
const OWN = {
	backfill: "fill.help",
	hawkbit: "hawkbit.intro",
	"live-meter": "live.intro",
	mbus: "mbus.more",
	mqtt: "mqtt.intro",
	prices: "price.help",
	zigbee: "zigbee.open",
} as const;

describe("tools/page-omissions", function () {
	this.timeout(60_000);

	const scripts = ({ files }: { files: readonly PackedFile[] }) =>
		files.filter(({ type }) => type === "text/javascript");
	const bytesOf = (files: readonly PackedFile[]) => files.reduce((sum, { content }) => sum + content.length, 0);

	it("knows some of the names that a firmware can be built without", () => {
		assert.deepEqual([...ALL].sort(), Object.keys(OWN).sort());
		assert.deepEqual(pageOmissions(["tic", "prices", "nothing", "hawkbit"]), ["hawkbit", "prices"]);
	});

	it("leaves out the components of a missing part, and the texts that nothing else uses", async () => {
		const [whole, without] = await Promise.all([makePage(), makePage(ALL)]);
		const order = textOrder(undefined, ALL);
		const kept = new Set<string>([...order.inDocument, ...order.inFiles]);
		for (const [name, text] of Object.entries(OWN)) {
			assert.ok(text in TEXTS, text);
			assert.equal(kept.has(text), false, name);
		}
		const [all, rest] = [whole, without].map((page) => bytesOf(scripts(page)));
		assert.ok(rest < all - 10_000, `${all} and ${rest} bytes of scripts`);
		const [packed, less] = [whole, without].map(({ files, policy }) => pack(files, policy).length);
		assert.ok(less < packed - 10_000, `${packed} and ${less} bytes`);
	});

	it("keeps each text that the rest of the page uses", () => {
		const { inDocument, inFiles } = textOrder(undefined, ALL);
		const kept = new Set<string>([...inDocument, ...inFiles]);
		for (const key of ["error.busy", "out.certificate_untrusted", "readings.speed", "nav.upkeep", "cancel"])
			assert.ok(kept.has(key), key);
	});

	it("puts a stand-in in place of each module, whose components show nothing", () => {
		for (const path of omittedModules(ALL))
			assert.match(
				standInFor(readFileSync(join(SOURCE, path), "utf8")),
				/^(export const [A-Z]\w* = \(\) => null;\n)+$/,
			);
		assert.throws(() => standInFor("export function Card() {}\nexport const LIMIT = 3;\n"), /exports more/);
		assert.throws(() => standInFor("const x = 1;\n"), /exports more/);
	});

	it("takes the whole page for a firmware that has all these parts", async () => {
		assert.equal(await archiveFor(["tic", "sml"]), ARCHIVE);
		assert.notEqual(await archiveFor(["prices"]), ARCHIVE);
	});
});
