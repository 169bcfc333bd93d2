/** Firmware for XS that repeatedly creates and drops one of everything, so that a leak shows in the live slots. */
import { serve } from "../../../hosts/node/worker/serve.js";
import { FORMAT_8N1, type Host } from "../../../modules/io/host.js";

class Churn {
	readonly #host: Host;
	#rounds = 0;

	constructor(host: Host) {
		this.#host = host;
	}

	start(): void {
		this.#round();
	}

	stop(): void {}

	#round(): void {
		const { button, clock, crypto, flash, network, serial, storage, text, timers } = this.#host;
		this.#rounds++;
		timers.clear(timers.set(() => {}, 1000));
		const port = new serial.meter.io({ baud: 9600, format: FORMAT_8N1 }, serial.meter.pins);
		port.close();
		const listener = new network.http.io({ ...network.http.pins, onReadable: () => {} });
		listener.close();
		const udp = new network.udp!.io({ ...network.udp!.pins, port: 0, onReadable: () => {} });
		udp.write(crypto.random(100), "127.0.0.1", udp.port);
		udp.close();
		network.resolve!("127.0.0.1", () => {});
		new button!.io({ ...button!.pins, onChanged: () => {} }).close();
		const client = new network.tcpClient!.io({
			...network.tcpClient!.pins,
			host: "127.0.0.1",
			port: 9,
			timeoutMs: 1000,
			onError: () => {},
		});
		client.close();
		const log = flash!.open("log")!;
		log.read(0, new Uint8Array(16));
		storage.set("round", crypto.sha256(text.encode(`round ${this.#rounds}`), crypto.random(100)));
		clock.setUTC(1_704_067_200_000);
		if (this.#rounds % 100 === 0) this.#host.trace(`round ${this.#rounds}`);
		if (this.#rounds < 400) timers.set(() => this.#round(), 0);
	}
}

serve((host) => new Churn(host));
