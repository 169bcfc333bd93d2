/**
 * Simulated Wi-Fi networks around a host without a radio. Each line of a text defines one network (name, dBm, channel,
 * password). A tester may change the text at any time:
 *
 *   bench -48 6 bench-network
 *   cafe -70 1
 *   cellar -60 11 secret-of-cellar no-dhcp
 *
 * A network without a password, or with `-`, is open. The DHCP server of a network with `no-dhcp` never answers.
 * Invalid lines are skipped.
 */
/** Name of the only network if the text defines none. */
export const BENCH_SSID = "bench";
export const BENCH_PASSWORD = "bench-network";
const INITIAL = `${BENCH_SSID} -48 6 ${BENCH_PASSWORD}\ncafe -70 1\n`;

export interface SimulatedNetwork {
	readonly ssid: string;
	/** Password; empty for an open network. */
	readonly password: string;
	/** Signal strength, dBm. */
	readonly rssi: number;
	readonly channel: number;
	/** True if the network's DHCP server answers. */
	readonly givesAddress: boolean;
}

export interface Air {
	networks(): readonly SimulatedNetwork[];
}

export class TextAir implements Air {
	readonly #read: () => string;

	/** `read` returns the current text, which may be empty. It is called at each use. */
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
