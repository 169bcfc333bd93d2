/** How a coprocessor comes into its network, stays in it and leaves it (BDB commissioning of Z-Stack 3.x.0). */
import { TO_LISTENERS } from "./air.js";
import type { SimulatedCoprocessor } from "./coprocessor.js";
import { uint16 } from "./frames.js";
import { ANY_PAN_ID, COORDINATOR, END_DEVICE, type Network, NV_CHANNEL_MASK, NV_PAN_ID } from "./nvram.js";

const ZDO = 5;
const APP_CNF = 15;
const STATE_CHANGE = 0xc0;
const LEAVE_INDICATION = 0xc9;
const BDB_NOTIFICATION = 0x80;
const PERMIT_JOIN_INDICATION = 0xcb;

/** Of ZDO_STATE_CHANGE_IND. */
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

/** Of BDB_START: what is to be done. */
const MODE_STEERING = 2;
const MODE_FORMATION = 4;

/** Of the notification: what was done, and how it went. */
const DONE_INITIALISATION = 0;
const DONE_STEERING = 1;
const DONE_FORMATION = 2;
const DONE_PARENT_LOST = 5;
const SUCCESS = 0;
const NO_NETWORK = 2;
const KEY_EXCHANGE_FAILED = 7;
const RESTORED = 13;
const FAILURE = 14;

const STEERING_OPEN_SECONDS = 180;
/** ZDO device announce; what it says of a router, and of an end device. */
const ANNOUNCE = 0x0013;
const MAC_ROUTER = 0x8e;
const MAC_END_DEVICE = 0x80;

/** Of SET_POLL_RATE. */
const POLL_DEFAULT = 0x0001;
const POLL_QUEUED = 0x0010;
const POLL_RESPONSE = 0x0020;
/** Of Z-Stack, ms: after a frame when there is more, and after one was sent. */
const QUEUED_MS = 100;
const RESPONSE_MS = 100;
/** Unanswered, before the parent counts as lost. */
const POLLS_LOST = 3;

export function capabilities(chip: SimulatedCoprocessor): number {
	return chip.role === END_DEVICE ? MAC_END_DEVICE : MAC_ROUTER;
}

function setState(chip: SimulatedCoprocessor, state: number): void {
	chip.devState = state;
	chip.say(ZDO, STATE_CHANGE, [state]);
}

function notify(chip: SimulatedCoprocessor, status: number, done: number): void {
	chip.say(APP_CNF, BDB_NOTIFICATION, [status, done, 0]);
}

/** Carries out steps one after another, `stepMs` apart. */
function inSteps(chip: SimulatedCoprocessor, ...steps: (() => void)[]): void {
	steps.forEach((step, index) => {
		chip.after(chip.stepMs * (index + 1), step);
	});
}

/** BDB_START. */
export function startCommissioning(chip: SimulatedCoprocessor, mode: number): void {
	if (chip.network !== undefined) {
		if (mode === MODE_STEERING) reopen(chip);
		else inSteps(chip, () => notify(chip, SUCCESS, mode === MODE_FORMATION ? DONE_FORMATION : DONE_INITIALISATION));
	} else if (chip.nv.network !== undefined) {
		restore(chip, () => {
			if (mode === MODE_STEERING) reopen(chip);
			else if (mode === MODE_FORMATION) notify(chip, SUCCESS, DONE_FORMATION);
			else notify(chip, RESTORED, DONE_INITIALISATION);
		});
	} else if (mode === MODE_FORMATION) form(chip);
	else if (mode === MODE_STEERING) steer(chip);
	else inSteps(chip, () => notify(chip, NO_NETWORK, DONE_INITIALISATION));
}

/** ZDO_STARTUP_FROM_APP; 0: its network was there, 1: it looks for one, or makes one. */
export function startFromApp(chip: SimulatedCoprocessor): number {
	if (chip.network !== undefined) return 0;
	const isKnown = chip.nv.network !== undefined;
	if (isKnown) restore(chip, () => {});
	else if (chip.role === COORDINATOR) form(chip);
	else steer(chip);
	return isKnown ? 0 : 1;
}

/** RECOVER_NWK of an end device that has lost its parent. */
export function recover(chip: SimulatedCoprocessor): void {
	chip.network = undefined;
	restore(chip, () => notify(chip, RESTORED, DONE_PARENT_LOST));
}

/** Its network as the memory has it; an end device must hear its parent for that. */
function restore(chip: SimulatedCoprocessor, then: () => void): void {
	const { network } = chip.nv;
	inSteps(chip, () => {
		if (chip.role === END_DEVICE && chip.air.find(network!, network!.parent) === undefined) {
			loseParent(chip);
			return;
		}
		begin(chip, network!);
		then();
		announce(chip);
	});
}

function begin(chip: SimulatedCoprocessor, network: Network): void {
	chip.network = network;
	setState(chip, chip.role === COORDINATOR ? AS_COORDINATOR : chip.role === END_DEVICE ? AS_END_DEVICE : AS_ROUTER);
	chip.polling.start();
}

function announce(chip: SimulatedCoprocessor): void {
	const { network } = chip;
	if (network === undefined || chip.role === COORDINATOR) return;
	const { shortAddress } = network;
	chip.transmit({
		...{ source: shortAddress, sourceEndpoint: 0, destination: TO_LISTENERS, destinationEndpoint: 0 },
		...{ profile: 0, cluster: ANNOUNCE, wantsAck: false },
		payload: Buffer.from([chip.nextSequence(), ...uint16(shortAddress), ...chip.ieee, capabilities(chip)]),
	});
}

function form(chip: SimulatedCoprocessor): void {
	const mask = chip.channels.primary || (chip.nv.item(NV_CHANNEL_MASK)?.readUInt32LE() ?? 0);
	const wanted = chip.nv.item(NV_PAN_ID)?.readUInt16LE() ?? ANY_PAN_ID;
	inSteps(
		chip,
		() => setState(chip, STARTING_COORDINATOR),
		() => {
			const network: Network = {
				// The lowest of those that it may take.
				channel: 31 - Math.clz32(mask & -mask),
				panId: wanted === ANY_PAN_ID ? chip.ieee.readUInt16LE() & 0x3fff : wanted,
				extendedPanId: chip.nv.wantedExtendedPanId ?? chip.ieee,
				...{ shortAddress: 0, parent: 0, parentIEEE: Buffer.alloc(8), updateId: 0 },
			};
			chip.nv.useNetworkKey();
			chip.nv.network = network;
			begin(chip, network);
			notify(chip, SUCCESS, DONE_FORMATION);
		},
	);
}

/** Of a node in a network: steering opens it. */
function reopen(chip: SimulatedCoprocessor): void {
	chip.open(STEERING_OPEN_SECONDS);
	inSteps(
		chip,
		() => chip.say(ZDO, PERMIT_JOIN_INDICATION, [STEERING_OPEN_SECONDS]),
		() => notify(chip, SUCCESS, DONE_STEERING),
	);
}

function steer(chip: SimulatedCoprocessor): void {
	const { primary, secondary } = chip.channels;
	const mask = primary | secondary || (chip.nv.item(NV_CHANNEL_MASK)?.readUInt32LE() ?? 0);
	const wanted = chip.nv.item(NV_PAN_ID)?.readUInt16LE() ?? ANY_PAN_ID;
	inSteps(
		chip,
		() => setState(chip, DISCOVERING),
		() => {
			const parent = chip.air.openTo(chip, mask, wanted === ANY_PAN_ID ? undefined : wanted);
			if (parent?.network === undefined) {
				setState(chip, INITIALISED);
				notify(chip, NO_NETWORK, DONE_STEERING);
				return;
			}
			join(chip, parent.network, parent.ieee);
		},
	);
}

function join(chip: SimulatedCoprocessor, theirs: Network, parentIEEE: Buffer): void {
	const network = { ...theirs, shortAddress: chip.air.newAddress(), parent: theirs.shortAddress, parentIEEE };
	inSteps(
		chip,
		() => setState(chip, JOINING),
		() => setState(chip, UNAUTHENTICATED),
		() => {
			begin(chip, network);
			for (const station of chip.air.members(network)) {
				if (station.network?.shortAddress === 0) station.hasJoined(chip);
			}
			announce(chip);
		},
		() => {
			if (chip.faults.keyExchangeFails) {
				forgetNetwork(chip);
				notify(chip, KEY_EXCHANGE_FAILED, DONE_STEERING);
				return;
			}
			chip.nv.network = network;
			notify(chip, SUCCESS, DONE_STEERING);
		},
	);
}

/** It leaves by the word of its host, or of another node. */
export function leave(chip: SimulatedCoprocessor, isAsked: boolean, removesChildren: number, rejoins: number): void {
	const { network } = chip;
	if (network === undefined) return;
	inSteps(chip, () => {
		for (const station of chip.air.members(network)) {
			if (station !== chip && !station.isSleepy) station.hasLeft(chip);
		}
		const flags = [isAsked ? 1 : 0, removesChildren, rejoins];
		if (rejoins !== 0) {
			chip.say(ZDO, LEAVE_INDICATION, [...uint16(network.shortAddress), ...chip.ieee, ...flags]);
			recover(chip);
			return;
		}
		chip.nv.network = undefined;
		if (chip.faults.leaveRestarts && !isAsked) {
			chip.restart();
			return;
		}
		chip.say(ZDO, LEAVE_INDICATION, [...uint16(network.shortAddress), ...chip.ieee, ...flags]);
		forgetNetwork(chip);
	});
}

function forgetNetwork(chip: SimulatedCoprocessor): void {
	chip.air.forget(chip);
	chip.network = undefined;
	chip.bindings = [];
	setState(chip, HOLD);
}

/** Another node has said that it leaves. */
export function tellLeft(chip: SimulatedCoprocessor, shortAddress: number, ieee: Buffer): void {
	chip.say(ZDO, LEAVE_INDICATION, [...uint16(shortAddress), ...ieee, 0, 0, 0]);
}

/** The network goes on with another channel or PAN id, and all its nodes with it. */
export function moveNetwork(chip: SimulatedCoprocessor, change: { channel?: number; panId?: number }): void {
	const { network } = chip;
	if (network === undefined) return;
	const all = { ...change, updateId: (network.updateId + 1) & 0xff };
	for (const station of chip.air.members(network)) {
		Object.assign(station.network!, all);
		station.hasMoved();
	}
}

function loseParent(chip: SimulatedCoprocessor): void {
	chip.network = undefined;
	setState(chip, ORPHAN);
	notify(chip, FAILURE, DONE_PARENT_LOST);
}

/** How an end device asks its parent for what has come. */
export class Polling {
	/** Intervals that the host has set, by POLL_…, ms. */
	readonly rates = new Map<number, number>();
	readonly #chip: SimulatedCoprocessor;
	#timer: number | undefined;
	#lost = 0;

	constructor(chip: SimulatedCoprocessor) {
		this.#chip = chip;
	}

	/** `kinds` has a bit for each POLL_…. */
	setRate(kinds: number, intervalMs: number): void {
		for (const kind of [POLL_DEFAULT, POLL_QUEUED, POLL_RESPONSE]) {
			if ((kinds & kind) !== 0) this.rates.set(kind, intervalMs);
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
		const intervalMs = this.rates.get(POLL_DEFAULT) ?? chip.pollMs;
		if (chip.role !== END_DEVICE || chip.network === undefined || intervalMs === 0) return;
		this.#timer = chip.after(intervalMs, () => {
			this.#poll();
			this.#repeat();
		});
	}

	hasSent(): void {
		this.#pollIn(this.rates.get(POLL_RESPONSE) ?? RESPONSE_MS);
	}

	#pollIn(delayMs: number): void {
		if (this.#chip.role === END_DEVICE && delayMs > 0) this.#chip.after(delayMs, () => this.#poll());
	}

	#poll(): void {
		const chip = this.#chip;
		if (chip.network === undefined) return;
		const isThere = chip.air.poll(chip, (hasMore) => {
			if (hasMore) this.#pollIn(this.rates.get(POLL_QUEUED) ?? QUEUED_MS);
		});
		this.#lost = isThere ? 0 : this.#lost + 1;
		if (this.#lost >= POLLS_LOST) loseParent(chip);
	}
}
