/** Part that applies settings files if the build trusts their signer (docs/fleet.md). */
import { backupGroup } from "../../api/backup-group.js";
import { route, settingsRoutes } from "../../api/route.js";
import { METHOD_POST } from "../../http/request.js";
import { applied, part } from "../../part/part.js";
import { PROVISION as ENTRY, PROVISION_CERTIFICATE, PROVISION_COUNTER, PROVISION_OWN } from "./fields.js";
import { PROVISION_EVENTS, Provisioning } from "./provisioning.js";
import { PROVISION_SETTINGS, postFile } from "./routes.js";

const PATH = "provision";

export const PROVISION = part<Provisioning>({
	name: PATH,
	events: PROVISION_EVENTS,
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze([
		...settingsRoutes(PATH, PROVISION_SETTINGS),
		route(METHOD_POST, `${PATH}/file`, postFile, { body: undefined }),
	]),
	backup: Object.freeze([backupGroup(PATH, PROVISION_SETTINGS, { secrets: Object.freeze([PROVISION_CERTIFICATE]) })]),
	reactions: Object.freeze([
		applied([...PROVISION_OWN, PROVISION_CERTIFICATE], (provisioning: Provisioning) => provisioning.settingsChanged()),
	]),
	open: (core, parts) => new Provisioning(core, parts),
	status: ({ state }, { config }) => ["provision_state", state, "provision_counter", config.get(PROVISION_COUNTER)],
	report: ({ result, state }, { config }, section) =>
		section === "network" ? `provision: ${state} ${config.get(PROVISION_COUNTER)}, url ${result}` : "",
});
