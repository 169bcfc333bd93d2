/** Firmware, backup, report for the manufacturer, account of the data. */
import { BackupCard } from "./backup.js";
import { DataCard } from "./data.js";
import { FirmwareCard, UpgradeCard } from "./firmware.js";
import { ReportCard } from "./report.js";

export function Upkeep() {
	return (
		<div class="cards">
			<div class="column">
				<FirmwareCard />
				<UpgradeCard />
				<DataCard />
			</div>
			<div class="column">
				<BackupCard />
				<ReportCard />
			</div>
		</div>
	);
}
