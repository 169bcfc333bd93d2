/** Dependencies that all outputs share. Each output is a separate part. */
import type { Running } from "../../core/core.js";
import { part } from "../../part/part.js";
import type { OutputDeps } from "../../publish/output.js";
import { METER } from "../meter/part.js";
import { NETWORK } from "../network/part.js";
import { PEAKS } from "../peaks/part.js";
import { UPDATE } from "../update/part.js";

/** Undefined in safe mode, and on hosts that have no outgoing connections. */
export const PUBLISH = part<(OutputDeps & Running) | undefined>({
	name: "publish",
	open: (core) => {
		const { clock, config, crypto, driver, host, info, ledger, live, saving, text, tlsPermit, writer } = core;
		if (core.safeMode !== "" || host.network.tcpClient === undefined) return undefined;
		const { manager, settings } = core.find(NETWORK);
		const metering = core.find(METER);
		const { names, reader } = metering;
		const firmware = core.find(UPDATE);
		return {
			clock,
			config,
			crypto,
			driver,
			firmware,
			info,
			ledger,
			live,
			metering,
			names,
			networkSettings: settings,
			peaks: core.find(PEAKS),
			ports: host.network,
			power: host.power,
			get problem() {
				const text = reader.outcomes.failure?.text ?? firmware?.updater.failure ?? "";
				return text.slice(text.indexOf(" ") + 1);
			},
			radio: manager,
			reader,
			saving,
			text,
			tlsPermit,
			writer,
		};
	},
});
