/** Firmware, backup, diagnostic report for the manufacturer, and a list of the stored data. */

import { useHasPart } from "../kit/live.js";
import { SettingsPage } from "../kit/saves.js";
import { BackupCard } from "./backup.js";
import { DataCard } from "./data.js";
import { FirmwareCard, UpgradeCard } from "./firmware.js";
import { HawkbitCard } from "./hawkbit.js";
import { ReportCard } from "./report.js";

export function Upkeep() {
	const hasPart = useHasPart();
	return (
		<SettingsPage>
			<div class="column">
				<FirmwareCard />
				<UpgradeCard />
				{hasPart("hawkbit") && <HawkbitCard />}
				<DataCard />
			</div>
			<div class="column">
				<BackupCard />
				<ReportCard />
			</div>
		</SettingsPage>
	);
}
