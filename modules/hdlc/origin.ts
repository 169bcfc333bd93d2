/**
 * Finds out who has sent a frame: the meter, this gateway (if the optical head returns an echo), or another station.
 */
import type { FrameDecoder } from "./decoder.js";
import { ADDRESS_AT, CONTROL_I, controlKind, LLC_COMMAND, LLC_DESTINATION, LLC_LENGTH } from "./frame.js";
import type { FrameSender } from "./sender.js";

export const ORIGIN_METER = 0;
export const ORIGIN_SELF = 1;
export const ORIGIN_OTHER = 2;

export function originOf(decoder: FrameDecoder, sender: FrameSender): number {
	const { bytes, destinationStart, sourceStart, sourceEnd } = decoder;
	const { head } = sender;
	const client = head[sender.sourceStart];
	const destination = sourceStart - destinationStart;
	const source = sourceEnd - sourceStart;
	const toClient = destination === 1 && bytes[destinationStart] === client;
	const fromClient = source === 1 && bytes[sourceStart] === client;
	const server = sender.sourceStart - ADDRESS_AT;
	const fromServer = sender.toAllStations || (source === server && isServer(sender, bytes, sourceStart));
	const isEcho = fromClient && destination === server && isServer(sender, bytes, destinationStart);
	if (toClient && fromServer && !(isEcho && isOwnFrame(decoder, sender))) return ORIGIN_METER;
	return isEcho ? ORIGIN_SELF : ORIGIN_OTHER;
}

function isServer(sender: FrameSender, bytes: Uint8Array, at: number): boolean {
	const { head, sourceStart } = sender;
	for (let i = ADDRESS_AT; i < sourceStart; i++) if (head[i] !== bytes[at + i - ADDRESS_AT]) return false;
	return true;
}

/**
 * Returns true if the content shows that the frame is our own. It is needed if client and server have equal addresses.
 */
function isOwnFrame(decoder: FrameDecoder, sender: FrameSender): boolean {
	const { control, bytes, infoStart, infoEnd, tooLong } = decoder;
	if (controlKind(control) !== CONTROL_I) return control === sender.control;
	if (tooLong || infoEnd - infoStart < LLC_LENGTH) return false;
	return bytes[infoStart] === LLC_DESTINATION && bytes[infoStart + 1] === LLC_COMMAND;
}
