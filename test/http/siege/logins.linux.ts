/** The firmware on Linux under wrong logins; its native core admits the connections. */
import { loginSiegeOf } from "./logins.js";

loginSiegeOf("linux", "The firmware on Linux among wrong logins");
