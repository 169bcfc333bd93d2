/**
 * A simulated Ethernet port. A text describes its cable: `in` or an empty text; `out`; or `in no-dhcp` for a network
 * without a DHCP server.
 */
import type {
	Ethernet,
	EthernetAddress,
	EthernetOptions,
	EthernetPort,
	EthernetSettings,
} from "../../modules/io/ethernet.js";
import type { Timers } from "../../modules/io/host.js";

export const LINK_MS = 1500;
export const DHCP_MS = 2000;
const CHECK_MS = 500;
const SPEED = 100;

export interface Cable {
	readonly isIn: boolean;
	/** True if the network has a DHCP server. */
	readonly givesAddress: boolean;
}

export interface SimulatedEthernetSettings {
	readonly timers: Timers;
	/** Returns the state of the cable. Called every `lookMs`. */
	readonly cable: () => Cable;
	readonly lease: EthernetAddress;
	/** Interval of the checks. Default: CHECK_MS. */
	readonly lookMs?: number;
	/** Called when the port has got its address. */
	onUp?(): void;
	onMade?(port: SimulatedEthernet): void;
}

/** Returns a function that derives the cable's current state from the text that `read` returns. */
export function textCable(read: () => string): () => Cable {
	return () => {
		const [place, dhcp] = read().trim().split(" ");
		return { isIn: place !== "out", givesAddress: dhcp !== "no-dhcp" };
	};
}

export function createEthernetPort(settings: SimulatedEthernetSettings): EthernetPort {
	return { io: SimulatedEthernet, pins: { settings }, mac: "02005e100002" };
}

export class SimulatedEthernet implements Ethernet {
	isLinked = false;
	address: EthernetAddress | undefined;
	/** Last argument of `start`, or undefined while the port is off. */
	wanted: EthernetSettings | undefined;
	isClosed = false;
	readonly #settings: SimulatedEthernetSettings;
	readonly #options: EthernetOptions;
	#checkTimer = -1;
	#addressTimer = -1;

	constructor(options: EthernetOptions) {
		const { settings } = options as EthernetOptions & { settings: SimulatedEthernetSettings };
		this.#settings = settings;
		this.#options = options;
		settings.onMade?.(this);
	}

	get speed(): number {
		return this.isLinked ? SPEED : 0;
	}

	start(settings: EthernetSettings): void {
		const wasOn = this.wanted !== undefined;
		this.wanted = settings;
		this.loseAddress();
		if (wasOn) this.seekAddress();
		else this.scheduleCheck(LINK_MS);
	}

	stop(): void {
		this.wanted = undefined;
		this.isLinked = false;
		this.loseAddress();
		this.#settings.timers.clear(this.#checkTimer);
	}

	close(): void {
		if (this.isClosed) return;
		this.isClosed = true;
		this.stop();
	}

	private scheduleCheck(ms: number): void {
		this.#checkTimer = this.#settings.timers.set(() => {
			this.scheduleCheck(this.#settings.lookMs ?? CHECK_MS);
			this.check();
		}, ms);
	}

	private check(): void {
		const { isIn } = this.#settings.cable();
		if (isIn === this.isLinked) return;
		this.isLinked = isIn;
		this.loseAddress();
		if (isIn) this.seekAddress();
		this.#options.onChanged();
	}

	private loseAddress(): void {
		this.#settings.timers.clear(this.#addressTimer);
		this.address = undefined;
	}

	/** Gets an address. A static one is used immediately; otherwise DHCP is asked. Even a late answer is accepted. */
	private seekAddress(): void {
		const own = this.wanted?.address;
		this.#addressTimer = this.#settings.timers.set(
			() => {
				if (!this.isLinked) return;
				if (own === undefined && !this.#settings.cable().givesAddress) {
					this.seekAddress();
					return;
				}
				const { ip, netmask, gateway } = own ?? this.#settings.lease;
				this.address = { ip, netmask, gateway };
				this.#options.onChanged();
				this.#settings.onUp?.();
			},
			own === undefined ? DHCP_MS : 0,
		);
	}
}
