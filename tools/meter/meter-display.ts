/**
 * Display of a simulated meter that hides its values until its PIN is entered by light (FNN, Lastenheft Basiszähler;
 * manuals: modules/meter/pin.ts).
 *
 *                  short flash          long flash           dark
 *   at rest        test, or PIN         -                    -
 *   test           PIN                  -                    at rest after IDLE_MS
 *   PIN            digit counts up      -                    digit is accepted after TAKEN_MS; after the last digit:
 *                                                            menu, or at rest
 *   menu           next entry           entry is switched    at rest after IDLE_MS
 *
 * The meter sends all values while InF is on. It also sends them while the menu is shown, unless it requires InF.
 */

/** Menu entries in order. The first entry follows after the last one. */
export const MENU = ["P", "E", "E CLr", "1d", "7d", "30d", "365d", "HIS CLr", "InF", "PIN"] as const;

/** Darkness that ends a flash. A flash is a row of NULs at 300 Bd, between which the stop bits are dark for 3.3 ms. */
const GAP_MS = 40;
const SHORTEST_MS = 100;
const SHORT_LIMIT_MS = 4000;
const LONG_MS = 5000;
const TAKEN_MS = 3000;
const IDLE_MS = 120_000;

export interface DisplayOptions {
	readonly pin: string;
	/** Number of flashes from rest to the PIN: 1, or 2 if the display test comes first. Default: 2. */
	readonly flashes?: number;
	/** True if the PIN only opens the display. InF then controls which values are sent. */
	readonly needsInf?: boolean;
}

export interface Flash {
	readonly fromMs: number;
	readonly toMs: number;
}

type State = "rest" | "test" | "PIN" | "menu";

export class MeterDisplay {
	readonly switched: string[] = [];
	readonly entered: string[] = [];
	readonly flashes: Flash[] = [];
	onShows: (what: string) => void = () => {};
	readonly #options: DisplayOptions;
	#state: State = "rest";
	#entry = 0;
	#digits = "";
	#digit = 0;
	#flash: Flash | undefined;
	/** Time at which the last light ended or the last digit was accepted. */
	#sinceMs = 0;

	constructor(options: DisplayOptions) {
		this.#options = options;
	}

	/** Adds light. If the darkness before it was short, it continues the previous flash. */
	light(fromMs: number, toMs: number): void {
		this.#settle(fromMs);
		this.#flash = { fromMs: this.#flash?.fromMs ?? fromMs, toMs };
	}

	isOpen(nowMs: number): boolean {
		this.#settle(nowMs);
		const isOn = this.switched.filter((entry) => entry === "InF").length % 2 === 1;
		return isOn || (this.#state === "menu" && !this.#options.needsInf);
	}

	#settle(nowMs: number): void {
		const flash = this.#flash;
		if (flash !== undefined && nowMs - flash.toMs > GAP_MS) {
			this.#flash = undefined;
			this.flashes.push(flash);
			this.#take(flash);
		}
		// The times in the table above count from the end of the light.
		if (this.#flash !== undefined) return;
		while (this.#state === "PIN" && nowMs - this.#sinceMs >= TAKEN_MS) this.#takeDigit();
		if (this.#state !== "rest" && nowMs - this.#sinceMs >= IDLE_MS) this.#show("rest");
	}

	#takeDigit(): void {
		const { pin } = this.#options;
		this.#digits += this.#digit;
		this.#digit = 0;
		this.#sinceMs += TAKEN_MS;
		if (this.#digits.length < pin.length) {
			this.#show("PIN");
			return;
		}
		this.entered.push(this.#digits);
		this.#entry = 0;
		this.#show(this.#digits === pin ? "menu" : "rest");
	}

	#take({ fromMs, toMs }: Flash): void {
		const ms = toMs - fromMs;
		if (ms < SHORTEST_MS) return;
		// Digits that were due before this flash began are accepted first.
		while (this.#state === "PIN" && fromMs - this.#sinceMs >= TAKEN_MS) this.#takeDigit();
		this.#sinceMs = toMs;
		if (ms <= SHORT_LIMIT_MS) this.#step();
		else if (ms >= LONG_MS && this.#state === "menu") {
			this.switched.push(MENU[this.#entry]);
			this.onShows(`${MENU[this.#entry]} switched`);
		}
	}

	#step(): void {
		const { flashes = 2 } = this.#options;
		if (this.#state === "menu") {
			this.#entry = (this.#entry + 1) % MENU.length;
			this.#show("menu");
		} else if (this.#state === "PIN") {
			this.#digit = (this.#digit + 1) % 10;
			this.#show("PIN");
		} else if (this.#state === "rest" && flashes > 1) this.#show("test");
		else {
			this.#digits = "";
			this.#digit = 0;
			this.#show("PIN");
		}
	}

	#show(state: State): void {
		this.#state = state;
		if (state === "PIN") this.onShows(`PIN ${"*".repeat(this.#digits.length)}${this.#digit}`);
		else this.onShows(state === "menu" ? MENU[this.#entry] : state);
	}
}
