/** Page about sending readings to Home Assistant and MQTT. */
import { useHasPart } from "../kit/live.js";
import { HomeAssistantCard } from "./home-assistant.js";
import { MQTTCard } from "./mqtt.js";

export function Hub() {
	const hasPart = useHasPart();
	return (
		<div class="cards">
			{hasPart("mqtt") && <MQTTCard />}
			<HomeAssistantCard />
		</div>
	);
}
