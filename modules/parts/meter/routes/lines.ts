/** Check of the GPIOs that a request chooses for the lines to the meter. */
import type { BodyValues } from "../../../api/body.js";
import type { Exchange } from "../../../api/exchange.js";
import { failField } from "../../../api/settings.js";
import { METER_RX_PIN, METER_TX_PIN } from "../fields.js";

/**
 * Returns true if the board permits the GPIOs; otherwise replies. A backup may contain those of another board: they are
 * stored, and the port ignores them.
 */
export function permitsGPIOs(exchange: Exchange<never>, values: BodyValues): boolean {
	const { config, host } = exchange.core;
	const { gpios } = host.serial.meter;
	if (gpios === undefined || exchange.within !== "") return true;
	const { others = [], receive, transmit } = gpios;
	const of = (field: typeof METER_RX_PIN, own: number) => {
		const pin = values.get(field) ?? config.get(field);
		return pin < 0 ? own : pin;
	};
	const [rx, tx] = [of(METER_RX_PIN, receive), of(METER_TX_PIN, transmit)];
	const bad = [METER_RX_PIN, METER_TX_PIN].find((field) => {
		const pin = values.get(field) ?? -1;
		return pin >= 0 && !others.includes(pin);
	});
	if (bad !== undefined) {
		const list = others.length > 0 ? `-1 or one of ${others.join(", ")}` : "-1, because this board has no free pins";
		failField(exchange, bad, `${bad.name} must be ${list}.`);
	} else if (rx === tx)
		failField(exchange, METER_TX_PIN, `Both lines would have GPIO ${rx}; choose two different ones.`);
	else return true;
	return false;
}
