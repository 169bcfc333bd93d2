/** Page about sending readings to Home Assistant and MQTT. */
import { useBuilt } from "../kit/live.js";
import { HomeAssistantCard } from "./home-assistant.js";
import { MQTTCard } from "./mqtt.js";

export function Hub() {
	const isBuilt = useBuilt();
	return (
		<div class="cards">
			{isBuilt("mqtt") && <MQTTCard />}
			{isBuilt("hub") && <HomeAssistantCard />}
		</div>
	);
}
