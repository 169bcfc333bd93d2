/**
 * Checks of the host contract: the port of the Zigbee coprocessor, if any. A stand-in echoes all bytes, hangs up at
 * HANG_UP, and ignores everything in reset.
 */
import { FORMAT_8N1, type Host, SERIAL_ERROR_GONE } from "../../../modules/io/host.js";
import { expectBytes, expectEqual, expectRangeError, frozen, pattern, sleep, until } from "./check.js";
import { RecordingSerial } from "./recording-serial.js";

/** A byte that is not in the echoed patterns. */
export const HANG_UP = 0xdd;

const recorded = (host: Host) => new RecordingSerial(host.serial.zigbee!, { baud: 115_200 });

export const coprocessorChecks = frozen([
	{
		name: "the coprocessor's port sends and receives bytes, and reports nothing after close",
		async run(host) {
			if (host.serial.zigbee === undefined) return;
			const port = recorded(host);
			expectRangeError(() => port.serial.write(pattern(1)), "an early write");
			await until(host, () => port.writable > 0, "onWritable");
			const bytes = pattern(100);
			port.serial.write(bytes, 10, 60);
			bytes.fill(0);
			expectBytes(await port.collect(host, 50), pattern(100).subarray(10, 60), "the echo");
			await until(host, () => port.drained > 0, "onDrained");
			expectRangeError(() => port.serial.write(new Uint8Array(port.writable + 1)), "more than announced");
			port.serial.configure({ baud: 115_200, format: FORMAT_8N1 });
			port.serial.write(pattern(5));
			port.serial.close();
			port.serial.close();
			const { calls } = port;
			await sleep(host, 50);
			expectEqual(port.calls, calls, "calls after close");
			expectEqual(port.serial.read(new Uint8Array(8)), undefined, "read of a closed port");
		},
	},
	{
		name: "the coprocessor's port reports a lost connection, and can be opened again",
		async run(host) {
			if (host.serial.zigbee === undefined) return;
			const port = recorded(host);
			await until(host, () => port.writable > 0, "onWritable");
			port.serial.write(Uint8Array.of(HANG_UP));
			await until(host, () => port.errors.length > 0, "onError");
			expectEqual(port.errors.join(), String(SERIAL_ERROR_GONE), "errors");
			port.serial.close();
			const next = recorded(host);
			await until(host, () => next.writable > 0, "onWritable of the next port");
			next.serial.write(pattern(20));
			expectBytes(await next.collect(host, 20), pattern(20), "the echo of the next port");
			next.serial.close();
		},
	},
	{
		name: "the coprocessor's lines hold it in reset, whether its port is open or not",
		async run(host) {
			const zigbee = host.serial.zigbee;
			if (zigbee?.setLines === undefined) return;
			zigbee.setLines(true, false);
			const port = recorded(host);
			await until(host, () => port.writable > 0, "onWritable");
			port.serial.write(pattern(3));
			await sleep(host, 50);
			expectEqual(port.serial.read(new Uint8Array(8)), undefined, "bytes from a coprocessor in reset");
			zigbee.setLines(false, false);
			port.serial.write(pattern(3));
			expectBytes(await port.collect(host, 3), pattern(3), "bytes after the reset");
			port.serial.close();
		},
	},
]);
