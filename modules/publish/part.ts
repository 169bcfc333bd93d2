/** Dependencies that all outputs share; each output is a part of its own. */
import type { Running } from "../core/core.js";
import { METER } from "../meter/part.js";
import { part } from "../part.js";
import { PEAKS } from "../peaks/part.js";
import { NETWORK } from "../wifi/part.js";
import type { OutputDeps } from "./output.js";

/** Undefined in safe mode, and on hosts without outgoing connections. */
export const PUBLISH = part<(OutputDeps & Running) | undefined>({
	name: "publish",
	open: (core) => {
		const { clock, config, crypto, driver, host, info, ledger, live, saving, text, tlsPermit, writer } = core;
		if (core.safeMode !== "" || host.network.tcpClient === undefined) return undefined;
		const { manager, settings } = core.find(NETWORK);
		const { names, reader } = core.find(METER);
		return {
			clock,
			config,
			crypto,
			driver,
			info,
			ledger,
			live,
			names,
			networkSettings: settings,
			peaks: core.find(PEAKS),
			ports: host.network,
			power: host.power,
			radio: manager,
			reader,
			saving,
			text,
			tlsPermit,
			writer,
		};
	},
});
