/** What is done to the gateway now and then: another firmware, a backup, a report for the maker. */
import { FirmwareCard } from "./firmware.js";

export function Upkeep() {
	return (
		<div class="cards">
			<FirmwareCard />
		</div>
	);
}
