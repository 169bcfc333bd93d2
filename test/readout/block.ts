/** A telegram's block as packed records. */
import assert from "node:assert/strict";
import { DataSetParser } from "../../modules/iec62056-21/dataset.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { bytesOf } from "../latin1.js";

/** Packed data sets of a block without its end, fed to the parser in pieces of `piece` bytes. */
export function packedBlock(block: string, piece = 64): RecordWriter {
	const writer = new RecordWriter();
	const parser = new DataSetParser(writer);
	parser.begin();
	const bytes = bytesOf(`${block}\r\n!`);
	for (let at = 0; at < bytes.length; at += piece) parser.receive(bytes, at, Math.min(bytes.length, at + piece));
	parser.endBlock(true);
	return writer;
}

export function recordsOfBlock(block: string): Uint8Array {
	const { kept } = packedBlock(block);
	assert.ok(kept);
	return kept;
}
