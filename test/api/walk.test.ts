/** The walk covers every row of "Endpoints" in the API text. Rows that take minutes run on virtual time. */
import assert from "node:assert/strict";
import { SCOPE_NONE } from "../../modules/auth/scope.js";
import { METHOD_NAMES } from "../../modules/http/request.js";
import { ROUTES } from "./tables.js";
import { VirtualGateway } from "./virtual-gateway.js";
import { JSON_ROUTES, WALK } from "./walk.js";
import { slowWalkErrorChecks } from "./walk-error-checks.js";
import { FIELDS } from "./walk-fields.js";
import { slowWalkLimitChecks } from "./walk-limit-checks.js";

const ROWS = `
	GET system/challenge, POST system/login, POST system/logout, POST system/password, GET system/tokens,
	POST system/tokens, DELETE system/tokens/<id>,
	GET system/version, GET system/status, GET system/clock, POST system/clock, GET system/timezone,
	POST system/timezone, GET system/power_mode, POST system/power_mode, POST system/reboot, POST system/factory_reset,
	POST system/ota, GET system/diagnostic, GET system/certificate, POST system/certificate, POST system/certificate/reset,
	GET network/status, GET network/scan, POST network/wifi, POST network/ap, GET network/fallback-ap,
	POST network/fallback-ap, GET network/wifi-enabled, POST network/wifi-enabled,
	GET meter/protocol, POST meter/protocol, GET iec62056/read, GET iec62056/last, GET iec62056/config,
	POST iec62056/config, GET iec62056/schedule, POST iec62056/schedule, GET iec62056/control, POST iec62056/control,
	GET dlms/config, POST dlms/config, GET dlms/obis, POST dlms/obis,
	GET zigbee/config, POST zigbee/config, POST zigbee/reset, GET zigbee/map, POST zigbee/map,
	GET hub, POST hub, GET hub/send`;
const namesOf = (text: string) => text.split(",").map((name) => name.trim());

describe("The walk through all routes", () => {
	it("covers every route of the API text, and all others of the firmware", () => {
		const names = WALK.map(({ name }) => name);
		assert.deepEqual(
			namesOf(ROWS).filter((name) => !names.includes(name)),
			[],
		);
		const routes = ROUTES.map(({ method, path }) => `${METHOD_NAMES[method]} ${path.replace("/api/v1/", "")}`);
		assert.deepEqual(names.toSorted(), routes.toSorted());
		const open = WALK.filter(({ scope }) => scope === SCOPE_NONE).map(({ name }) => name);
		assert.deepEqual(open.toSorted(), ["GET system/challenge", "POST system/login", "POST system/password"]);
	});
	it("tries every field of every body with valid and with invalid values", () => {
		for (const { schema, name } of JSON_ROUTES) {
			const tried = FIELDS.filter(({ route }) => route.name === name);
			for (const field of Object.keys(schema.properties))
				assert.ok(
					tried.some((one) => one.label === field),
					`${name}: ${field}`,
				);
		}
		for (const { route, label, good, bad } of FIELDS)
			assert.ok(good.length > 0 && bad.length >= 6, `${route.name}: ${label}`);
	});
});

describe("The walk over minutes", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
	});
	afterEach(() => gateway.stop());

	slowWalkErrorChecks(() => gateway);
	slowWalkLimitChecks(() => gateway);
});
