/** A meter of mode D that pushes these lines, each second by default. */
import type { VirtualGateway } from "../api/virtual-gateway.js";

export function connectLines(gateway: VirtualGateway, lines: readonly string[], pushMs = 1000) {
	const telegram = Buffer.from(["/TST5METER", "", ...lines, "!", ""].join("\r\n"));
	return gateway.connectMeter({ telegram, mode: "D", pushBaud: 9600, pushMs });
}
