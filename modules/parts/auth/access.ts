/** The account, the open sessions and the long-lived tokens. */

import { Account } from "../../auth/account.js";
import { Login } from "../../auth/login.js";
import { SCOPE_FULL } from "../../auth/scope.js";
import { Sessions } from "../../auth/sessions.js";
import { Tokens } from "../../auth/tokens.js";
import type { Core, Running } from "../../core/core.js";
import { AccessSettings, TokenSettings } from "./settings.js";

export class Access implements Running {
	readonly sessions: Sessions;
	readonly tokens: Tokens;
	readonly #core: Core;
	#login: Login | undefined;

	constructor(core: Core) {
		const { clock, config, crypto, text } = core;
		this.#core = core;
		this.sessions = new Sessions(crypto, clock, text);
		this.tokens = new Tokens(new TokenSettings(config), crypto, clock, text);
	}

	/** Created at its first use, because a device that wakes only to read the meter does not need it. */
	get login(): Login {
		this.#login ??= this.makeLogin();
		return this.#login;
	}

	whenConnecting(): void {
		this.#login ??= this.makeLogin();
	}

	scopeOf(token: string): number {
		return this.sessions.isValid(token) ? SCOPE_FULL : this.tokens.scopeOf(token);
	}

	whenErasing(): void {
		this.sessions.revokeAll();
	}

	private makeLogin(): Login {
		const { clock, config, crypto, info, text } = this.#core;
		const account = new Account(new AccessSettings(config), info.labelPassword, crypto, text);
		return new Login({ account, sessions: this.sessions, crypto, clock, text });
	}
}
