/** An entity's state as Home Assistant's REST API returns it. The times are ISO 8601 in UTC. */
export interface Entity {
	readonly entity_id: string;
	readonly state: string;
	readonly attributes: Readonly<Record<string, unknown>>;
	readonly last_changed: string;
	readonly last_reported: string;
	readonly last_updated: string;
}
