/** Outputs that the simulated meters' machines return. */
import { FORMAT_7E1, type SerialFormat } from "../../modules/io/host.js";
import { OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT, type Output } from "../../modules/io/machine.js";

const NO_BYTES = new Uint8Array(0);

function makeOutput(kind: number): Output {
	return { kind, bytes: NO_BYTES, start: 0, end: 0, baud: 0, format: FORMAT_7E1, code: 0 };
}

export function noOutput(): Output {
	return makeOutput(OUTPUT_NONE);
}

/** Makes an output that sends the bytes, which must not change afterwards. */
export function transmission(bytes: Uint8Array): Output {
	return { ...makeOutput(OUTPUT_TRANSMIT), bytes, end: bytes.length };
}

export function lineChange(baud: number, format: SerialFormat): Output {
	return { ...makeOutput(OUTPUT_LINE), baud, format };
}

export function eventOf(code: number): Output {
	return { ...makeOutput(OUTPUT_EVENT), code };
}
