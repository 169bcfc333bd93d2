/** ZDO commands, which are requests to other nodes and to the chip itself. */
import { TO_LISTENERS } from "./air.js";
import type { Command, Commands } from "./chip.js";
import { startFromApp } from "./network-life.js";
import { askZDO, MGMT_LEAVE, NWK_ADDRESS, NWK_UPDATE, PERMIT_JOINING } from "./zdo.js";

const OK = 0x00;
const FAILED = 0x01;
const NOT_IN_A_NETWORK = 0xc2;
const NO_ADDRESS = 0xfffe;
const NO_PAN_ID = 0xffff;
const TO_GROUP = 1;
/**
 * Lengths of a bind request over the UART, which begins with a node's address. One form binds to a group, the other to
 * a node.
 */
const BIND_GROUP_BYTES = 14;
const BIND_BYTES = 21;

/**
 * Sends a request to the node whose address is at the beginning of the data. Bytes from `skip` on are sent unchanged.
 */
function ask(cluster: number, skip: number, length = Number.POSITIVE_INFINITY): Command {
	return (chip, data) => {
		const destination = data.readUInt16LE(0);
		if (chip.network === undefined) return [NOT_IN_A_NETWORK];
		askZDO(chip, destination, cluster, [...data.subarray(skip, skip + length)]);
		return [OK];
	};
}

function bindTo(cluster: number): Command {
	return (chip, data) => {
		const isGroup = data.readUInt8(13) === TO_GROUP;
		return ask(cluster, 2, isGroup ? BIND_GROUP_BYTES : BIND_BYTES)(chip, data);
	};
}

export const ZDO_COMMANDS: Commands = {
	// ZDO_NWK_ADDR_REQ is sent to all nodes.
	1280: (chip, data) => {
		if (chip.network === undefined) return [NOT_IN_A_NETWORK];
		askZDO(chip, TO_LISTENERS, NWK_ADDRESS, [...data.subarray(0, 10)]);
		return [OK];
	},
	// ZDO_IEEE_ADDR_REQ, _NODE_DESC_REQ, _POWER_DESC_REQ, _SIMPLE_DESC_REQ, _ACTIVE_EP_REQ, _MATCH_DESC_REQ
	1281: ask(0x0001, 0, 4),
	1282: ask(0x0002, 2, 2),
	1283: ask(0x0003, 2, 2),
	1284: ask(0x0004, 2, 3),
	1285: ask(0x0005, 2, 2),
	1286: ask(0x0006, 2),
	// ZDO_BIND_REQ, _UNBIND_REQ
	1313: bindTo(0x0021),
	1314: bindTo(0x0022),
	// ZDO_MGMT_LQI_REQ, _RTG_REQ, _BIND_REQ
	1329: ask(0x0031, 2, 1),
	1330: ask(0x0032, 2, 1),
	1331: ask(0x0033, 2, 1),
	// ZDO_MGMT_LEAVE_REQ
	1332: ask(MGMT_LEAVE, 2, 9),
	// ZDO_MGMT_PERMIT_JOIN_REQ. The data begin with the address mode.
	1334: (chip, data) => {
		if (chip.network === undefined) return [NOT_IN_A_NETWORK];
		askZDO(chip, data.readUInt16LE(1), PERMIT_JOINING, [data.readUInt8(3), data.readUInt8(4)]);
		return [OK];
	},
	// ZDO_MGMT_NWK_UPDATE_REQ. The data are destination, address mode, channels, action, count, manager.
	1335: (chip, data) => {
		if (chip.network === undefined) return [NOT_IN_A_NETWORK];
		askZDO(chip, data.readUInt16LE(0), NWK_UPDATE, [...data.subarray(3, 8), 0, ...data.subarray(9, 11)]);
		return [OK];
	},
	// ZDO_MSG_CB_REGISTER, _REMOVE
	1342: (chip, data) => {
		chip.watched.add(data.readUInt16LE(0));
		return [OK];
	},
	1343: (chip, data) => [chip.watched.delete(data.readUInt16LE(0)) ? OK : FAILED],
	// ZDO_STARTUP_FROM_APP
	1344: (chip) => [startFromApp(chip)],
	// ZDO_EXT_ROUTE_DISC and ZDO_EXT_ROUTE_CHK, which always succeed.
	1349: () => [OK],
	1350: () => [OK],
	// ZDO_EXT_FIND_GROUP, which finds no group, and ZDO_EXT_ADD_GROUP.
	1354: (_chip, data) => [FAILED, data.readUInt8(1), data.readUInt8(2), 0],
	1355: () => [OK],
	// ZDO_EXT_NWK_INFO
	1360: (chip) => {
		const { network, devState } = chip;
		const info = Buffer.alloc(24);
		info.writeUInt16LE(network?.shortAddress ?? NO_ADDRESS, 0);
		info.writeUInt8(devState, 2);
		info.writeUInt16LE(network?.panId ?? NO_PAN_ID, 3);
		if (network === undefined) return info;
		info.writeUInt16LE(network.parent, 5);
		network.extendedPanId.copy(info, 7);
		network.parentIEEE.copy(info, 15);
		info.writeUInt8(network.channel, 23);
		return info;
	},
};
