/** Sieges of two minutes on the firmware on Linux. */
import { skipBecause } from "../../hosts/native/compile.js";
import { siegeOf } from "./check.js";

describe("A long siege", () => {
	before(function () {
		if (!process.env["MODDABLE"]) skipBecause(this, "$MODDABLE names no Moddable SDK to build the firmware with");
	});
	siegeOf("linux", "of the firmware on Linux", {
		ms: 120_000,
		stalled: [3, 8],
		crowds: [60, 240],
		mixed: 12,
		strangers: [3, 7, 8, 20, 60, 240],
		streams: [3, 8, 20],
	});
});
