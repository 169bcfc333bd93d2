/** The account, the open sessions and the long-lived tokens. */
import type { Core, Running } from "../core/core.js";
import { Account } from "./account.js";
import { Login } from "./login.js";
import { Sessions } from "./sessions.js";
import { AccessSettings, TokenSettings } from "./settings.js";
import { SCOPE_FULL, Tokens } from "./tokens.js";

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
