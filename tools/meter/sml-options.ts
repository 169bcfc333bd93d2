/** SML options of the meter simulator: the make of the meter, and the faults of its telegrams. */
import { SeededRandom } from "../../hosts/node/random.js";
import type { HouseholdReading } from "./household.js";
import { MENU, MeterDisplay } from "./meter-display.js";
import { SML_MAKES, type SMLMake, smlTelegram } from "./sml-telegram.js";
import { choice, count, defined, flag, text, UsageError, type Words } from "./words.js";

export const SML_HELP = `  --make NAME         sml: ${SML_MAKES.slice(0, 7).join(", ")},
                      ${SML_MAKES.slice(7).join(", ")}
  --pin DIGITS        sml: sends whole kWh and no power until this PIN, 4 to 8 digits, is entered by light; then all values,
                      until 120 s without light. The menu after the PIN: ${MENU.join(", ")}
  --pin-flashes N     sml: number of flashes that open the PIN entry, 1 or 2 (default)
  --needs-inf         sml: sends all values only while InF is switched on, by a flash of 5 s
  --wrong-crc N       sml: the first N telegrams have a wrong checksum
  --wrong-message N   sml: in the first N telegrams the message with the values has a wrong checksum
  --broken N          sml: in the first N telegrams a list states a wrong length; the checksums are right
  --cut N             sml: each telegram stops after N bytes
  --noise N           sml: N bytes of noise before each telegram
  --lose N            sml: one byte in N is lost
  --damage N          sml: one bit is flipped in one byte in N
  --seed N            sml: determines the bytes that --lose and --damage change
`;

export const SML_WORDS = {
	make: text,
	pin: text,
	"pin-flashes": text,
	"needs-inf": flag,
	"wrong-crc": text,
	"wrong-message": text,
	broken: text,
	cut: text,
	noise: text,
	lose: text,
	damage: text,
	seed: text,
} as const;

export interface SMLOptions {
	make?: SMLMake;
	display?: MeterDisplay;
	wrongCheck?: number;
	wrongMessage?: number;
	broken?: number;
	cut?: number;
	noise?: number;
	lose?: number;
	damage?: number;
	seed?: number;
}

export function smlOptions(values: Words<typeof SML_WORDS>): SMLOptions {
	const { pin } = values;
	if (pin !== undefined && !/^\d{4,8}$/.test(pin)) throw new UsageError("--pin takes 4 to 8 digits.");
	const flashes = count(values, "pin-flashes", 2, 1);
	const needsInf = values["needs-inf"];
	if (pin === undefined && (flashes ?? needsInf) !== undefined)
		throw new UsageError("--pin-flashes and --needs-inf go with --pin.");
	return defined({
		display: pin === undefined ? undefined : new MeterDisplay(defined({ pin, flashes, needsInf })),
		make: choice(values, "make", SML_MAKES) as SMLMake | undefined,
		wrongCheck: count(values, "wrong-crc", 1_000_000),
		wrongMessage: count(values, "wrong-message", 1_000_000),
		broken: count(values, "broken", 1_000_000),
		cut: count(values, "cut", 4096),
		noise: count(values, "noise", 4096),
		lose: count(values, "lose", 1_000_000, 1),
		damage: count(values, "damage", 1_000_000, 1),
		seed: count(values, "seed", 4_294_967_295),
	});
}

/** Returns a function that makes telegrams. It needs the time, because the meter's display depends on it. */
export function smlSource(options: SMLOptions): (reading: HouseholdReading, nowMs?: number) => Uint8Array {
	const {
		make,
		display,
		wrongCheck = 0,
		wrongMessage = 0,
		broken = 0,
		cut,
		noise = 0,
		lose = 0,
		damage = 0,
		seed = 1,
	} = options;
	const random = new SeededRandom(seed);
	let sent = 0;
	return (reading, nowMs = 0) => {
		const faults = {
			isHidden: display?.isOpen(nowMs) === false,
			hasWrongCheck: sent < wrongCheck,
			hasWrongMessageCheck: sent < wrongMessage,
			isBroken: sent < broken,
		};
		sent++;
		const telegram = [...random.bytes(noise), ...smlTelegram(reading, make, faults).subarray(0, cut)];
		const kept = lose === 0 ? telegram : telegram.filter(() => !random.oneIn(lose));
		return Uint8Array.from(kept, (byte) => (random.oneIn(damage) ? byte ^ (1 << random.below(8)) : byte));
	};
}
