/** Two minutes of each siege, against the firmware on Linux by the Moddable SDK. */
import { skipBecause } from "../../hosts/native/compile.js";
import { siegeOf } from "./check.js";

describe("A long siege", () => {
	before(function () {
		if (!process.env["MODDABLE"]) skipBecause(this, "$MODDABLE names no Moddable SDK to build the firmware with");
	});
	siegeOf("linux", "of the firmware on Linux", 120_000);
});
