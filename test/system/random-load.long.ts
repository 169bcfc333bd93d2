/** An hour of random load in each mode. */
import { skipBecause } from "../hosts/native/compile.js";
import { loadOptions, RandomLoad } from "./random-load.js";

const MINUTES = 60;

describe("An hour of random load", function () {
	this.timeout(0);
	let load: RandomLoad | undefined;

	before(function () {
		if (!process.env["MODDABLE"]) skipBecause(this, "$MODDABLE names no Moddable SDK to build the firmware with");
	});
	afterEach(async () => {
		await load?.stop();
		load = undefined;
	});

	for (const mode of ["client", "ap", "everything"] as const) {
		it(`never restarts the firmware, mode ${mode}`, async function () {
			load = await RandomLoad.start(loadOptions(mode, MINUTES));
			await load.run();
			this.test!.title += ` (${load.summary})`;
		});
	}
});
