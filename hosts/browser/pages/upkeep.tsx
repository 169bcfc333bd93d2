/** Firmware, backup, report for the manufacturer. */
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
