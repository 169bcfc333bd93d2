/**
 * Makes firmware files for `npm start` and `npm run linux`. Their images contain only a version and a simulated fault.
 */
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import {
	IMAGE_CHIP,
	IMAGE_DEVICE_ID,
	IMAGE_FAILS,
	IMAGE_HANGS,
	IMAGE_HEARS_NOTHING,
} from "../../hosts/simulated/image.js";
import type { Signer } from "./keys.js";
import { makeFirmwareFile } from "./make.js";

export const FAULTS: Readonly<Record<string, number>> = {
	fails: IMAGE_FAILS,
	hangs: IMAGE_HANGS,
	deaf: IMAGE_HEARS_NOTHING,
};

export interface SimulatorFile {
	readonly version: string;
	readonly buildNumber: number;
	readonly securityLevel: number;
	readonly size: number;
	/** Name of the fault in FAULTS. */
	readonly fault?: string | undefined;
	readonly signer: Signer;
	readonly packed: boolean;
}

export function makeSimulatorFile({ size, fault, ...rest }: SimulatorFile): Buffer {
	const { version, buildNumber, securityLevel } = rest;
	const flags = fault === undefined ? 0 : FAULTS[fault];
	const image = Buffer.from(makeSimulatorImage({ version, build: buildNumber, securityLevel, flags, size }));
	return makeFirmwareFile({ ...rest, image, deviceId: IMAGE_DEVICE_ID, chip: IMAGE_CHIP });
}
