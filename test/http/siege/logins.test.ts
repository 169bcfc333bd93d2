import { loginSiegeOf } from "./logins.js";

loginSiegeOf("xs", "The simulator among wrong logins");
