/** Page about sending readings to Home Assistant and MQTT. */
import { useHasPart } from "../kit/live.js";
import { SettingsPage } from "../kit/saves.js";
import { HomeAssistantCard } from "./home-assistant.js";
import { MQTTCard } from "./mqtt.js";

export function Hub() {
	const hasPart = useHasPart();
	return (
		<SettingsPage>
			{hasPart("mqtt") && <MQTTCard />}
			<HomeAssistantCard />
		</SettingsPage>
	);
}
