/**
 * The networks around a host without a radio: what a text says, a line each (name, dBm, channel, password), so that a
 * tester can let them come and go:
 *
 *   bench -48 6 bench-network
 *   cafe -70 1
 *   cellar -60 11 secret-of-cellar no-dhcp
 *
 * Without a password, or with `-` for it, a network is open; `no-dhcp`: it gives no address. Lines that are not so are
 * skipped. For radio.ts; of the virtual world there is another air (hosts/node/virtual-air.ts).
 */
/** Network in the air if the tester has defined none. */
export const BENCH_SSID = "bench";
export const BENCH_PASSWORD = "bench-network";
const INITIAL = `${BENCH_SSID} -48 6 ${BENCH_PASSWORD}\ncafe -70 1\n`;

export interface SimulatedNetwork {
	readonly ssid: string;
	/** Empty: open. */
	readonly password: string;
	/** dBm. */
	readonly rssi: number;
	readonly channel: number;
	/** False: DHCP never answers. */
	readonly givesAddress: boolean;
}

export interface Air {
	/** In reach at this moment. */
	networks(): readonly SimulatedNetwork[];
}

export class TextAir implements Air {
	readonly #read: () => string;

	/** `read` returns the present text, empty without one; it is called every time. */
	constructor(read: () => string) {
		this.#read = read;
	}

	networks(): readonly SimulatedNetwork[] {
		const networks: SimulatedNetwork[] = [];
		for (const line of (this.#read() || INITIAL).split("\n")) {
			const [ssid, rssi, channel, password = "-", dhcp] = line.trim().split(" ");
			const isWell =
				ssid !== "" && Number(rssi) >= -120 && Number(rssi) < 0 && Number(channel) > 0 && Number(channel) < 15;
			if (!isWell) continue;
			networks.push({
				ssid,
				password: password === "-" ? "" : password,
				rssi: Number(rssi),
				channel: Number(channel),
				givesAddress: dhcp !== "no-dhcp",
			});
		}
		return networks;
	}
}
