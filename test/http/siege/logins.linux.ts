/** The firmware on Linux, whose native core admits connections, under wrong logins. */
import { loginSiegeOf } from "./logins.js";

loginSiegeOf("linux", "The firmware on Linux among wrong logins");
