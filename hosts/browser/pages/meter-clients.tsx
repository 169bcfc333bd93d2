/**
 * Search for the DLMS client address, in the wizard. If a DLMS/COSEM meter refuses the usual public client, or sends it
 * no counters, the other usual clients are tried without access data. A list shows which client works and which one
 * needs a key.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../kit/components.js";
import { type DeviceError, get, post } from "../kit/device.js";
import type { Draft } from "../kit/fields.js";
import { readFailure, readNow, readout } from "../kit/live.js";
import { countersOf } from "../kit/power.js";
import { t } from "../kit/text.js";
import type { TextKey } from "../text/all.js";

const PATH = "dlms/config";
/**
 * Addresses of the management, the reading and the public client (DLMS UA 1000-2, and most companion specifications).
 */
const CLIENTS = [1, 32, 16] as const;
const USUAL: Readonly<Record<number, TextKey>> = { 1: "dlms.auth.high", 32: "login.password" };

/** Result of a readout with this client address. */
export interface Tried {
	readonly client: number;
	/**
	 * `limited` means that there are readings but no counters. `locked` means that access data are missing. `none` means
	 * that there was no association.
	 */
	readonly result: "works" | "limited" | "locked" | "none";
}

/** Returns true if the meter has refused the client or its access. */
export function isRefused(failure: DeviceError | undefined): boolean {
	return failure?.code === "meter_auth_failed" || failure?.body.code === "hdlc/refused";
}

/** Returns true if the meter that refused uses DLMS/COSEM, so that it may admit another client. */
export function mayAdmitAnother(failure: DeviceError | undefined): boolean {
	return isRefused(failure) && /^(dlms|hdlc)\//.test(failure?.body.code ?? "");
}

function resultOf(hasRead: boolean): Tried["result"] {
	if (!hasRead) return readFailure.value?.code === "meter_auth_failed" ? "locked" : "none";
	return countersOf(readout.value?.readings ?? []).length > 0 ? "works" : "limited";
}

/**
 * Returns true if the gateway polls the meter without access data. An owner who has access data knows the right client.
 */
function isUsual({ auth, use_encryption, push_baudrate }: Draft): boolean {
	return auth === "none" && use_encryption === false && push_baudrate === 0;
}

interface Search {
	readonly isRunning: boolean;
	readonly tried: readonly Tried[];
}

/**
 * Tries the clients once, as soon as `isWanted` is true. Keeps the first client that works, otherwise the previous
 * setting.
 */
export function useClientSearch(isWanted: boolean): Search {
	const [search, setSearch] = useState<Search>({ isRunning: false, tried: [] });
	const hasBegun = useRef(false);
	const isLeft = useRef(false);
	const run = async () => {
		const config = await get<Draft>(PATH);
		if (!isUsual(config)) return;
		let tried: readonly Tried[] = [];
		setSearch({ isRunning: true, tried });
		const use = (client: number) => post<Draft>(PATH, { client_address: client });
		for (const client of CLIENTS) {
			await use(client);
			const result = resultOf(await readNow());
			tried = [...tried, { client, result }];
			setSearch({ isRunning: true, tried });
			if (result === "works") return;
			if (isLeft.current) break;
		}
		await use(Number(config["client_address"]));
	};
	useEffect(() => {
		if (!isWanted || hasBegun.current) return;
		hasBegun.current = true;
		const end = () => setSearch(({ tried }) => ({ isRunning: false, tried }));
		run().then(end, end);
	}, [isWanted]);
	useEffect(
		() => () => {
			isLeft.current = true;
		},
		[],
	);
	return search;
}

export function ClientList({ isRunning, tried }: Search) {
	if (!isRunning && tried.length === 0) return null;
	return (
		<div class="signal">
			<ul>
				{tried.map(({ client, result }) => (
					<li key={client}>
						{`${t("client.name", { n: client })}: ${t(`client.is.${result}`, { what: t(USUAL[client] ?? "dlms.password") })}`}
					</li>
				))}
			</ul>
			{isRunning && (
				<p>
					<Icon name="busy" /> {t("client.trying")}
				</p>
			)}
		</div>
	);
}
