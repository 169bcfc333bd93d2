/** Prices, which the gateway stores for the web page and other programs. */
import { backupGroup } from "../../api/backup-group.js";
import { route } from "../../api/route.js";
import { SCOPE_READ } from "../../auth/scope.js";
import { METHOD_GET, METHOD_POST } from "../../http/request.js";
import { NO_BYTES } from "../../io/machine.js";
import { part } from "../../part/part.js";
import type { DynamicPrices } from "./dynamic-prices.js";
import { DYNAMIC_BODY, getDynamic, postDynamic } from "./dynamic-routes.js";
import { PRICES as ENTRY } from "./fields.js";
import { acceptPrices, getPrices, PRICES_BODY, postPrices, writePrices } from "./routes.js";

const PATH = "prices";

export const PRICES = part({
	name: PATH,
	entries: Object.freeze([ENTRY]),
	open: (): DynamicPrices => ({ prices: NO_BYTES }),
	routes: Object.freeze([
		route(METHOD_GET, PATH, getPrices, { scope: SCOPE_READ }),
		route(METHOD_POST, PATH, postPrices, { body: PRICES_BODY }),
		route(METHOD_GET, `${PATH}/dynamic`, getDynamic, { scope: SCOPE_READ }),
		route(METHOD_POST, `${PATH}/dynamic`, postDynamic, { body: DYNAMIC_BODY }),
	]),
	backup: Object.freeze([backupGroup(PATH, PRICES_BODY, { accept: acceptPrices, writeList: writePrices })]),
});
