/** The wiring drawings are up to date with the board table, and show exactly the boards' pins. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Board, findBoard } from "../../hosts/esp32/boards.js";
import { DRAWN, draw, PICTURES } from "../../tools/wiring.js";

/** Every GPIO in the row of a board. */
function pinsOf({ meter, zigbee, button, led, battery, usb }: Board): number[] {
	const { uart: _, ring: _ring, ...radio } = zigbee ?? { uart: 0, ring: 0 };
	const pins = [meter.transmit, meter.receive, ...Object.values(radio), button, led?.pin, battery?.pin, usb?.pin];
	return pins.filter((pin) => pin !== undefined).sort((a, b) => a - b);
}

const drawing = (name: string) => readFileSync(join(PICTURES, `wiring-${name}.svg`), "utf8");

describe("The wiring drawings", () => {
	it("are up to date with the board table", () => {
		const message = "run `node .build/tools/wiring.js` and commit docs/pictures";
		for (const name of DRAWN) assert.equal(drawing(name), draw(findBoard(name)), message);
		const found = readdirSync(PICTURES).filter((name) => name.startsWith("wiring-"));
		assert.deepEqual(found.sort(), DRAWN.map((name) => `wiring-${name}.svg`).sort());
	});

	for (const name of DRAWN) {
		it(`name every pin of ${name} once`, () => {
			const named = [...drawing(name).matchAll(/GPIO (\d+)/g)].map(([, pin]) => Number(pin)).sort((a, b) => a - b);
			assert.deepEqual(named, pinsOf(findBoard(name)));
		});
	}

	it("load nothing, run nothing, and keep every text on the sheet", () => {
		// The folder has screenshots, too.
		for (const name of readdirSync(PICTURES).filter((one) => one.endsWith(".svg"))) {
			const picture = readFileSync(join(PICTURES, name), "utf8");
			assert.doesNotMatch(picture, /<script|href=|url\(|<!ENTITY/, name);
			const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(picture)!.map(Number);
			for (const [, x, y] of picture.matchAll(/<text x="(\d+)" y="(\d+)"/g))
				assert.ok(Number(x) < width && Number(y) < height, `${name}: ${x} ${y}`);
		}
	});
});
