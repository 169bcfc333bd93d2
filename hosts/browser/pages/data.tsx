/**
 * Lists the data that the gateway has. Tells how long it keeps them, and how the user can save and delete them
 * (docs/data.md).
 */
import { Card } from "../kit/components.js";
import { t } from "../kit/text.js";

const PARTS = ["data.history", "data.last", "data.log", "data.settings", "data.sent", "data.delete"] as const;

export function DataCard() {
	return (
		<Card title={t("data.title")}>
			<ul>
				{PARTS.map((key) => (
					<li key={key}>{t(key)}</li>
				))}
			</ul>
		</Card>
	);
}
