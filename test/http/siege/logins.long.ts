/** Two minutes of wrong logins to the firmware on Linux. */
import { skipBecause } from "../../hosts/native/compile.js";
import { loginSiegeOf } from "./logins.js";

describe("A long siege of the login", () => {
	before(function () {
		if (!process.env["MODDABLE"]) skipBecause(this, "$MODDABLE names no Moddable SDK to build the firmware with");
	});
	loginSiegeOf("linux", "of the firmware on Linux", 120_000);
});
