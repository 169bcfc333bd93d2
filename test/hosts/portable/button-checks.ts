/** Checks of the host contract: button and light, if any. The peer `press` presses the button briefly. */
import { expect, expectEqual, frozen, sleep, until } from "./check.js";

export const buttonChecks = frozen([
	{
		name: "a button reports when it is pressed and released, until it is closed",
		async run(host, peer) {
			if (host.button === undefined) return;
			const { io: Button, pins } = host.button;
			const changes: boolean[] = [];
			const button = new Button({ ...pins, onChanged: (pressed) => changes.push(pressed) });
			expectEqual(changes.length, 0, "calls inside the constructor");
			peer("press");
			await until(host, () => changes.length === 1, "the button to be pressed");
			const downMs = host.clock.monotonicMs();
			await until(host, () => changes.length === 2, "the button to be released");
			const tookMs = host.clock.monotonicMs() - downMs;
			expectEqual(changes.join(), "true,false", "changes");
			expect(tookMs >= 50 && tookMs < 1000, `a short press took ${tookMs} ms`);
			button.close();
			button.close();
			peer("press");
			await sleep(host, 400);
			expectEqual(changes.length, 2, "changes after close");
		},
	},
	{
		name: "a light accepts any times for on and off, and may be closed twice and opened again",
		async run(host) {
			if (host.led === undefined) return;
			const { io: LED, pins } = host.led;
			for (let round = 0; round < 2; round++) {
				const led = new LED(pins);
				for (const [onMs, offMs] of [
					[100, 100],
					[1000, 0],
					[0, 0],
					[0, 1000],
					[1, 60_000],
				])
					led.blink(onMs, offMs);
				led.close();
				led.close();
			}
		},
	},
]);
