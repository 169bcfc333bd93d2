/** What is done to the gateway now and then: another firmware, a backup, a report for the maker. */
import { BackupCard } from "./backup.js";
import { FirmwareCard, UpgradeCard } from "./firmware.js";
import { ReportCard } from "./report.js";

export function Upkeep() {
	return (
		<div class="cards">
			<div class="column">
				<FirmwareCard />
				<UpgradeCard />
			</div>
			<div class="column">
				<BackupCard />
				<ReportCard />
			</div>
		</div>
	);
}
