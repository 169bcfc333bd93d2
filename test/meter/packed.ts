/** Decodes packed records into the form of the API, to compare them with the vectors. */
import { NodeText } from "../../hosts/node/platform.js";
import { JSONStream } from "../../modules/json/stream.js";
import { JSONWriter } from "../../modules/json/writer.js";
import { mapOf } from "../../modules/obis/mapping.js";
import { prepareReadingKeys, ReadoutBody } from "../../modules/parts/meter/routes/readings.js";
import { PROTOCOL_IEC62056_21, STATUS_OK } from "../../modules/readout/readout.js";
import { TimeZone } from "../../modules/time/zone.js";
import type { ExpectedReading } from "../vectors.js";

const text = new NodeText();

/** Readings of packed records, without names and mapping. They are read through a window of `window` bytes. */
export function packedReadings(records: Uint8Array = new Uint8Array(0), window = 1024): ExpectedReading[] {
	const readout = {
		protocol: PROTOCOL_IEC62056_21,
		meterId: text.encode("X"),
		mode: 0x43,
		baud: 300,
		utcMs: 0,
		status: STATUS_OK,
		records,
	};
	const writer = new JSONWriter(text);
	const keys = prepareReadingKeys(writer);
	const body = new ReadoutBody(readout, {
		language: "en",
		names: undefined,
		keys,
		text,
		zone: new TimeZone(undefined),
		map: mapOf(new Uint8Array(0)),
	});
	const stream = new JSONStream(writer, (into, unit) => body.produce(into, unit));
	const into = new Uint8Array(window);
	let json = "";
	for (let count = stream.read(into, 0, window); count > 0; count = stream.read(into, 0, window)) {
		json += text.decode(into, 0, count);
	}
	// biome-ignore lint/suspicious/noExplicitAny: the API's own reply
	return JSON.parse(json).readings.map(({ mapping_id, en, ...reading }: any) => reading);
}
