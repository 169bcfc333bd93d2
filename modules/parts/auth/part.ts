/** Account, sessions and long-lived tokens (API text, "Authentication routes"). */
import { route } from "../../api/route.js";
import { SCOPE_NONE, SCOPE_READ } from "../../auth/scope.js";
import { METHOD_DELETE, METHOD_GET, METHOD_POST } from "../../http/request.js";
import { part } from "../../part/part.js";
import { Access } from "./access.js";
import { ACCESS, TOKENS } from "./fields.js";
import { getChallenge, LOGIN_BODY, PASSWORD_BODY, postLogin, postLogout, postPassword } from "./routes/login.js";
import { deleteSession, deleteToken, getSessions, getTokens, postToken, TOKEN_BODY } from "./routes/tokens.js";

export const AUTH = part<Access>({
	name: "auth",
	entries: Object.freeze([ACCESS, TOKENS]),
	routes: Object.freeze([
		route(METHOD_GET, "system/challenge", getChallenge, { scope: SCOPE_NONE }),
		route(METHOD_POST, "system/login", postLogin, { scope: SCOPE_NONE, body: LOGIN_BODY }),
		route(METHOD_POST, "system/password", postPassword, { scope: SCOPE_NONE, body: PASSWORD_BODY }),
		route(METHOD_POST, "system/logout", postLogout),
		route(METHOD_GET, "system/tokens", getTokens),
		route(METHOD_POST, "system/tokens", postToken, { body: TOKEN_BODY }),
		route(METHOD_DELETE, "system/tokens/<id>", deleteToken, { scope: SCOPE_READ }),
		route(METHOD_GET, "system/sessions", getSessions),
		route(METHOD_DELETE, "system/sessions/<id>", deleteSession),
	]),
	open: (core) => new Access(core),
	status: ({ login }) => ["password_default", login.passwordIsDefault],
});
