/** Five minutes of random load in each mode. */
import { loadOptions, RandomLoad } from "./random-load.js";

const MINUTES = 5;

describe("Random load", function () {
	this.timeout(0);
	let load: RandomLoad | undefined;

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
