/** Part that keeps the history of the meter's registers in flash, in quarter hours, hours, days and months. */
import { route } from "../../api/route.js";
import { SCOPE_READ } from "../../auth/scope.js";
import { History } from "../../history/history.js";
import { METHOD_GET } from "../../http/request.js";
import { part } from "../../part/part.js";
import { getHistory } from "./routes.js";

export const HISTORY = part<History | undefined>({
	name: "history",
	routes: Object.freeze([route(METHOD_GET, "meter/history", getHistory, { scope: SCOPE_READ })]),
	open: ({ driver, flash, ledger, storage, trace, zone }) =>
		History.open({ deps: { driver, storage, trace }, ledger, zone, flash }),
});
