/** The firmware on Linux, whose native core decides who gets a connection, among wrong logins. */
import { loginSiegeOf } from "./logins.js";

loginSiegeOf("linux", "The firmware on Linux among wrong logins");
