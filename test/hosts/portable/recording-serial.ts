/** A serial port that records its events. */
import { FORMAT_8N1, type Serial, type SerialOptions, type SerialPort } from "../../../modules/io/host.js";
import { expectEqual, RecordingStream } from "./check.js";

export class RecordingSerial extends RecordingStream {
	readonly serial: Serial;
	drained = 0;
	errors: number[] = [];

	constructor(port: SerialPort, options: Partial<SerialOptions> & { baud: number }) {
		super();
		this.serial = new port.io(
			{
				format: FORMAT_8N1,
				...this.notes,
				onDrained: () => {
					this.calls++;
					this.drained++;
				},
				onError: (code) => {
					this.calls++;
					this.errors.push(code);
				},
				...options,
			},
			port.pins,
		);
		expectEqual(this.calls, 0, "calls inside the constructor");
	}

	protected override read(into: Uint8Array, start: number): number | undefined {
		return this.serial.read(into, start);
	}
}
