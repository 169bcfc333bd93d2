/** Five minutes or an hour of random load in each mode. */
import { needSDK } from "../hosts/native/compile.js";
import { byRun } from "../runs.js";
import { loadOptions, RandomLoad } from "./random-load.js";

const MINUTES = byRun({ linux: 5, long: 60 });

describe("Random load", function () {
	this.timeout(0);
	let load: RandomLoad | undefined;

	before(function () {
		needSDK(this);
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
