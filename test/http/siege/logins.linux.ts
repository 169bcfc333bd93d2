/** Wrong logins to the firmware on Linux. Its native core admits the connections. */
import { loginSiegeOf } from "./logins.js";

loginSiegeOf("linux", "The firmware on Linux among wrong logins");
