/**
 * Joins, keeps and leaves a coprocessor's network by the BDB commissioning of Z-Stack 3.x.0. The order of the steps is
 * that of TI's source (simplelink-lowpower-f2-sdk, source/ti/zstack/stack): bdb.c for notifications (4F 80), zd_app.c
 * and zd_object.c for the states (45 C0).
 *
 * A chip that is ordered to join although it has a network in its memory silently returns to that network. A router
 * does so without an announcement (ZR_SILENT_REJOIN), and a chip with the address 0 becomes the network's coordinator.
 * An end device joins only that network, and only if it is open.
 */
import { type Station, TO_LISTENERS } from "./air.js";
import type { Chip } from "./chip.js";
import { uint16 } from "./frames.js";
import {
	ANY_PAN_ID,
	COORDINATOR,
	END_DEVICE,
	type Network,
	NV_CHANNEL_MASK,
	NV_LINK_KEY,
	NV_LOGICAL_TYPE,
	NV_PAN_ID,
	ROUTER,
} from "./nvram.js";

const ZDO = 5;
const APP_CNF = 15;
const STATE_CHANGE = 0xc0;
const LEAVE_INDICATION = 0xc9;
const BDB_NOTIFICATION = 0x80;
const PERMIT_JOIN_INDICATION = 0xcb;

/** States that ZDO_STATE_CHANGE_IND reports. */
export const HOLD = 0;
const INITIALISED = 1;
const DISCOVERING = 2;
const JOINING = 3;
const UNAUTHENTICATED = 5;
const AS_END_DEVICE = 6;
const AS_ROUTER = 7;
const STARTING_COORDINATOR = 8;
const AS_COORDINATOR = 9;
const ORPHAN = 10;

const MODE_STEERING = 2;
const MODE_FORMATION = 4;

/** Actions that a notification reports (DONE_…). The constants of their results follow. */
const DONE_INITIALISATION = 0;
const DONE_STEERING = 1;
const DONE_FORMATION = 2;
const DONE_PARENT_LOST = 5;
const SUCCESS = 0;
const IN_PROGRESS = 1;
const NO_NETWORK = 2;
const KEY_EXCHANGE_FAILED = 7;
const FORMATION_FAILED = 8;
const RESTORED = 13;
const FAILURE = 14;

const STEERING_OPEN_SECONDS = 180;
const LEAVE_RESET_MS = 5000;
const LINK_KEY = Buffer.from("key of one node ");
/** Cluster of the ZDO device announce. The MAC capabilities of a router and of an end device follow. */
const ANNOUNCE = 0x0013;
const MAC_ROUTER = 0x8e;
const MAC_END_DEVICE = 0x80;

/** Kinds of intervals in SET_POLL_RATE. */
const POLL_DEFAULT = 0x0001;
const POLL_QUEUED = 0x0010;
const POLL_RESPONSE = 0x0020;
/** Poll interval after a received frame if more frames wait, as in Z-Stack. */
const QUEUED_MS = 100;
/** Poll interval after a frame was sent, as in Z-Stack. */
const RESPONSE_MS = 100;
const POLLS_LOST = 3;

export function capabilities(chip: Chip): number {
	return chip.role === END_DEVICE ? MAC_END_DEVICE : MAC_ROUTER;
}

function setState(chip: Chip, state: number): void {
	chip.devState = state;
	chip.say(ZDO, STATE_CHANGE, [state]);
}

/**
 * Sends a notification. `remaining` has the modes that are still to come. If it is 0, zigpy-znp considers this
 * notification the last one.
 */
function notify(chip: Chip, status: number, done: number, remaining = 0): void {
	chip.say(APP_CNF, BDB_NOTIFICATION, [status, done, remaining]);
}

function inSteps(chip: Chip, ...steps: (() => void)[]): void {
	steps.forEach((step, index) => {
		chip.after(chip.stepMs * (index + 1), step);
	});
}

export function startCommissioning(chip: Chip, mode: number): void {
	const { nv } = chip;
	const isFirst = !chip.hasBegun;
	chip.hasBegun = true;
	if (isFirst && nv.isOnANetwork) {
		const network = startNetwork(chip);
		if (network !== undefined) {
			restore(chip, network, () => {
				notify(chip, RESTORED, DONE_INITIALISATION, mode);
				commission(chip, mode);
			});
			return;
		}
		nv.isOnANetwork = false;
		inSteps(chip, () => notify(chip, NO_NETWORK, DONE_INITIALISATION));
	} else if (mode === 0) inSteps(chip, () => notify(chip, NO_NETWORK, DONE_INITIALISATION));
	else commission(chip, mode);
}

function commission(chip: Chip, mode: number): void {
	const { nv } = chip;
	if (mode === MODE_FORMATION) {
		if (nv.isOnANetwork) inSteps(chip, () => notify(chip, FORMATION_FAILED, DONE_FORMATION));
		else form(chip);
	} else if (mode === MODE_STEERING) {
		if (nv.isOnANetwork) reopen(chip);
		else if (chip.role === COORDINATOR) inSteps(chip, () => notify(chip, NO_NETWORK, DONE_STEERING));
		else {
			notify(chip, IN_PROGRESS, DONE_STEERING);
			const network = startNetwork(chip);
			if (network !== undefined) resume(chip, network);
			else steer(chip, chip.channels.primary | chip.channels.secondary || wantedChannels(chip), wantedPanId(chip));
		}
	}
}

/** Returns 0 if the network was restored, or 1 if the chip searches for a network or forms one. */
export function startFromApp(chip: Chip): number {
	if (chip.network !== undefined) return 0;
	const isKnown = chip.nv.isOnANetwork;
	startCommissioning(chip, isKnown ? 0 : chip.role === COORDINATOR ? MODE_FORMATION : MODE_STEERING);
	return isKnown ? 0 : 1;
}

function wantedChannels({ nv }: Chip): number {
	return nv.item(NV_CHANNEL_MASK)?.readUInt32LE() ?? 0;
}

function wantedPanId({ nv }: Chip): number {
	return nv.item(NV_PAN_ID)?.readUInt16LE() ?? ANY_PAN_ID;
}

/** In state HOLD the chip reads its settings again, including its role. */
function startNetwork(chip: Chip): Network | undefined {
	if (chip.devState === HOLD) chip.role = chip.nv.item(NV_LOGICAL_TYPE)?.[0] ?? COORDINATOR;
	return chip.nv.startNetwork();
}

/** Handles an order to join another network while the memory still contains the previous one. */
function resume(chip: Chip, network: Network): void {
	if (network.shortAddress === 0) {
		inSteps(chip, () => setState(chip, INITIALISED));
		// A real end device gets stuck here, because it repeats its start in a mode that coordinators do not know.
		if (chip.role === END_DEVICE) return;
		chip.role = COORDINATOR;
	}
	if (chip.role === END_DEVICE) steer(chip, 2 ** network.channel, network.panId);
	else restore(chip, network, () => {});
}

export function recover(chip: Chip): void {
	const { network } = chip.nv;
	if (!chip.nv.isOnANetwork || network === undefined) return;
	chip.network = undefined;
	restore(chip, network, () => notify(chip, RESTORED, DONE_PARENT_LOST));
}

/** Returns to the network. An end device must reach its parent, and then announces itself. */
function restore(chip: Chip, network: Network, then: () => void): void {
	inSteps(chip, () => {
		if (chip.role === END_DEVICE && chip.air.find(network, network.parent) === undefined) {
			loseParent(chip);
			return;
		}
		if (chip.role === COORDINATOR) setState(chip, STARTING_COORDINATOR);
		else if (chip.role === ROUTER) {
			setState(chip, ORPHAN);
			setState(chip, AS_END_DEVICE);
		}
		begin(chip, network);
		then();
		if (chip.role === END_DEVICE) announce(chip);
	});
}

function begin(chip: Chip, network: Network): void {
	chip.network = network;
	setState(chip, chip.role === COORDINATOR ? AS_COORDINATOR : chip.role === END_DEVICE ? AS_END_DEVICE : AS_ROUTER);
	chip.polling.start();
}

function announce(chip: Chip): void {
	const { network } = chip;
	if (network === undefined || chip.role === COORDINATOR) return;
	const { shortAddress } = network;
	chip.transmit({
		...{ source: shortAddress, sourceEndpoint: 0, destination: TO_LISTENERS, destinationEndpoint: 0 },
		...{ profile: 0, cluster: ANNOUNCE, wantsAck: false },
		payload: Buffer.from([chip.nextSequence(), ...uint16(shortAddress), ...chip.ieee, capabilities(chip)]),
	});
}

function form(chip: Chip): void {
	const restored = startNetwork(chip);
	if (restored !== undefined) {
		resume(chip, restored);
		return;
	}
	const mask = chip.channels.primary || wantedChannels(chip);
	const wanted = wantedPanId(chip);
	inSteps(
		chip,
		() => setState(chip, STARTING_COORDINATOR),
		() => {
			const network: Network = {
				// The channel is the lowest allowed one.
				channel: 31 - Math.clz32(mask & -mask),
				panId: wanted === ANY_PAN_ID ? chip.ieee.readUInt16LE() & 0x3fff : wanted,
				extendedPanId: chip.nv.wantedExtendedPanId ?? chip.ieee,
				...{ shortAddress: 0, parent: 0, parentIEEE: Buffer.alloc(8), updateId: 0 },
			};
			chip.nv.networkKey = chip.nv.ownKey;
			chip.nv.network = network;
			chip.nv.settle(network.panId);
			begin(chip, network);
			notify(chip, SUCCESS, DONE_FORMATION);
		},
	);
}

/** Opens the network again by network steering. */
function reopen(chip: Chip): void {
	chip.open(STEERING_OPEN_SECONDS);
	inSteps(
		chip,
		() => chip.say(ZDO, PERMIT_JOIN_INDICATION, [STEERING_OPEN_SECONDS]),
		() => notify(chip, SUCCESS, DONE_STEERING),
	);
}

function steer(chip: Chip, mask: number, panId: number): void {
	inSteps(
		chip,
		() => setState(chip, DISCOVERING),
		() => {
			const parent = chip.air.openTo(chip, mask, panId === ANY_PAN_ID ? undefined : panId);
			if (parent?.network === undefined) {
				chip.nv.setFactoryNew();
				setState(chip, HOLD);
				notify(chip, NO_NETWORK, DONE_STEERING);
			} else join(chip, parent.network, parent);
		},
	);
}

function join(chip: Chip, theirs: Network, parent: Station): void {
	const { nv } = chip;
	const shortAddress = chip.air.newAddress();
	const network = { ...theirs, shortAddress, parent: theirs.shortAddress, parentIEEE: parent.ieee };
	inSteps(
		chip,
		() => setState(chip, JOINING),
		() => setState(chip, UNAUTHENTICATED),
		() => {
			nv.networkKey = parent.networkKey;
			nv.network = network;
			begin(chip, network);
			for (const station of chip.air.members(network)) {
				if (station.network?.shortAddress === 0) station.hasJoined(chip);
			}
			announce(chip);
		},
		() => {
			if (chip.faults.keyExchangeFails) {
				nv.isOnANetwork = false;
				notify(chip, KEY_EXCHANGE_FAILED, DONE_STEERING);
				leave(chip, false, 0, 0);
				return;
			}
			nv.setItem(NV_LINK_KEY, LINK_KEY);
			nv.settle(network.panId);
			notify(chip, SUCCESS, DONE_STEERING);
		},
	);
}

/**
 * Leaves the network. The order comes from the host or, if `isRemote`, from another node. The chip restarts after
 * LEAVE_RESET_MS (ZDApp_LeaveReset), or earlier if its host resets it. Until then it reports its previous state.
 */
export function leave(chip: Chip, isRemote: boolean, removesChildren: number, rejoins: number): void {
	const { network } = chip;
	if (network === undefined) return;
	inSteps(chip, () => {
		for (const station of chip.air.members(network)) {
			if (station !== chip && !station.isSleepy) station.hasLeft(chip);
		}
		if (isRemote) {
			const flags = [1, removesChildren, rejoins];
			chip.say(ZDO, LEAVE_INDICATION, [...uint16(network.shortAddress), ...chip.ieee, ...flags]);
		}
		if (rejoins !== 0) {
			recover(chip);
			return;
		}
		if (isRemote) chip.nv.setFactoryNew();
		chip.air.forget(chip);
		chip.network = undefined;
		chip.bindings = [];
		chip.after(chip.faults.leaveRestarts && !isRemote ? 0 : LEAVE_RESET_MS, () => {
			chip.nv.setFactoryNew();
			chip.restart();
		});
	});
}

export function reportLeave(chip: Chip, shortAddress: number, ieee: Buffer): void {
	chip.say(ZDO, LEAVE_INDICATION, [...uint16(shortAddress), ...ieee, 0, 0, 0]);
}

export function moveNetwork(chip: Chip, change: { channel?: number; panId?: number }): void {
	const { network } = chip;
	if (network === undefined) return;
	const all = { ...change, updateId: (network.updateId + 1) & 0xff };
	for (const station of chip.air.members(network)) {
		Object.assign(station.network!, all);
		station.hasMoved();
	}
}

function loseParent(chip: Chip): void {
	chip.network = undefined;
	setState(chip, ORPHAN);
	notify(chip, FAILURE, DONE_PARENT_LOST);
}

export class Polling {
	readonly #rates = new Map<number, number>();
	readonly #chip: Chip;
	#timer: number | undefined;
	#lost = 0;

	constructor(chip: Chip) {
		this.#chip = chip;
	}

	/** Sets poll intervals. `kinds` has POLL_… as bits. */
	setRate(kinds: number, intervalMs: number): void {
		for (const kind of [POLL_DEFAULT, POLL_QUEUED, POLL_RESPONSE]) {
			if ((kinds & kind) !== 0) this.#rates.set(kind, intervalMs);
		}
		if ((kinds & POLL_DEFAULT) !== 0) this.start();
	}

	start(): void {
		const chip = this.#chip;
		if (this.#timer !== undefined) chip.forget(this.#timer);
		this.#timer = undefined;
		this.#lost = 0;
		this.#repeat();
	}

	#repeat(): void {
		const chip = this.#chip;
		const intervalMs = this.#rates.get(POLL_DEFAULT) ?? chip.pollMs;
		if (chip.role !== END_DEVICE || chip.network === undefined || intervalMs === 0) return;
		this.#timer = chip.after(intervalMs, () => {
			this.#poll();
			this.#repeat();
		});
	}

	hasSent(): void {
		this.#pollIn(this.#rates.get(POLL_RESPONSE) ?? RESPONSE_MS);
	}

	#pollIn(delayMs: number): void {
		if (this.#chip.role === END_DEVICE && delayMs > 0) this.#chip.after(delayMs, () => this.#poll());
	}

	#poll(): void {
		const chip = this.#chip;
		if (chip.network === undefined) return;
		const hasParent = chip.air.poll(chip, (hasMore) => {
			if (hasMore) this.#pollIn(this.#rates.get(POLL_QUEUED) ?? QUEUED_MS);
		});
		this.#lost = hasParent ? 0 : this.#lost + 1;
		if (this.#lost >= POLLS_LOST) loseParent(chip);
	}
}
