/**
 * Consumption: today, this month, this year, and as bars, from the gateway's history; and the meter's own load profile.
 */
import { useEffect, useState } from "preact/hooks";
import { AMOUNTS } from "../kit/amounts.js";
import type { DeviceError } from "../kit/device.js";
import { loadRecent, type Recent } from "../kit/history.js";
import { status } from "../kit/live.js";
import { Card, ErrorNotice, Notice, Pending } from "../kit/parts.js";
import { display } from "../kit/session.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import { PriceCard } from "./prices.js";
import { ProfileCard } from "./profile.js";
import { UseChart } from "./use-chart.js";
import { UseTiles } from "./use-tiles.js";

/** Before a quarter hour is over nothing new comes to the history, and the meter has to be read then. */
const QUARTER_S = 900;
const READ_S = 90;

export function Use() {
	const isDisplay = useStore(display);
	return (
		<div class="cards">
			<History />
			{!isDisplay && <ProfileCard />}
		</div>
	);
}

function History() {
	const now = useStore(status);
	const isDisplay = useStore(display);
	const { timeZone } = useZone();
	const [recent, setRecent] = useState<Recent>({});
	const [error, setError] = useState<DeviceError>();
	const isSet = now?.clock_valid === true;
	const wallMs = isSet ? Date.parse(`${now.localtime.slice(0, 19)}Z`) : 0;
	const reload = async () => {
		if (!isSet) return;
		setError(undefined);
		await loadRecent(wallMs, timeZone, setRecent).catch((reason) => setError(asDeviceError(reason)));
	};
	useEffect(() => {
		reload();
	}, [isSet && Math.floor((now.timestamp - READ_S) / QUARTER_S), timeZone]);

	const { quarters, days, months } = recent;
	if (now !== undefined && !isSet) return <Notice kind="warning">{t("links.clock")}</Notice>;
	if (days === undefined) return <Pending error={error} reload={reload} />;
	const all = [...days, ...(quarters ?? []), ...(months ?? [])];
	const there = AMOUNTS.filter((amount) => all.some(({ period }) => period[amount] !== undefined));
	if (all.length === 0 && months !== undefined) return <Notice kind="info">{t("use.empty")}</Notice>;
	return (
		<>
			{error && <ErrorNotice error={error} retry={reload} />}
			<UseTiles {...{ recent, wallMs, there }} />
			{quarters === undefined ? (
				<Card wide>
					<p class="pending">{t("loading")}</p>
				</Card>
			) : (
				<UseChart {...{ recent, quarters, wallMs, there }} />
			)}
			{!isDisplay && there.includes("import_wh") && <PriceCard />}
		</>
	);
}
