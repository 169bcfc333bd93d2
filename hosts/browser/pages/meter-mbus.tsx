/** Settings of M-Bus, and the search for the meters on the line. */
import { useState } from "preact/hooks";
import { MBUS_CONFIG } from "../kit/bodies.js";
import { announce, Button, Card, ErrorNotice, Notice, Pending } from "../kit/components.js";
import { type DeviceError, post } from "../kit/device.js";
import type { Draft } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";
import { speedText } from "./speeds.js";

const PATH = "mbus/config";
/** Timeout of a search, which takes 170 s at most. */
const SEARCH_MS = 180_000;
const ANY_ADDRESS = 254;
const IDENT_DIGITS = 8;

const isPrimary = ({ secondary }: Draft) => String(secondary).trim() === "";

const FIELDS = fieldsOf(MBUS_CONFIG, [
	{
		name: "secondary",
		label: "mbus.secondary",
		help: "mbus.secondary.help",
		kind: "text",
		pattern: /^ *([\dF]{8}([\dA-F]{8})?( +|$))*$/i,
		form: { says: "mbus.secondary.help" },
	},
	{ name: "address", label: "mbus.address", help: "mbus.address.help", kind: "number", when: isPrimary },
	{
		name: "meters",
		label: "mbus.meters",
		help: "mbus.meters.help",
		kind: "number",
		when: (draft) => isPrimary(draft) && Number(draft["address"]) !== ANY_ADDRESS,
	},
	{ name: "baudrate", label: "mbus.speed", kind: "choice", choices: choicesOf(MBUS_CONFIG.baudrate, speedText) },
]);

interface Found {
	readonly addresses: readonly string[];
	readonly complete: boolean;
}

export function MBusCard() {
	const { value, error, reload, put } = useDevice<Draft>(PATH);
	const [found, setFound] = useState<Found | DeviceError>();
	const [isSearching, setSearching] = useState(false);
	const [uses, setUses] = useState(0);
	const store = async (values: Draft) => put(await post<Draft>(PATH, values));
	const search = async () => {
		setFound(undefined);
		setSearching(true);
		announce(t("mbus.searching"));
		const result = await post<Found>("mbus/search", undefined, { timeoutMs: SEARCH_MS, lane: "meter" }).catch(
			asDeviceError,
		);
		setFound(result);
		setSearching(false);
	};
	const use = async (addresses: readonly string[]) => {
		try {
			await store({ secondary: addresses.join(" ") });
			setFound(undefined);
			setUses(uses + 1);
			announce(t("saved"));
		} catch (reason) {
			setFound(asDeviceError(reason));
		}
	};
	return (
		<Card title={t("protocol.mbus")}>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<Form
					key={uses}
					fields={FIELDS}
					values={value}
					submit={store}
					actions={
						<Button name="search" busy={isSearching && t("mbus.searching")} onClick={search}>
							{t("mbus.search")}
						</Button>
					}
				>
					{found !== undefined &&
						("addresses" in found ? <Result {...found} use={use} /> : <ErrorNotice error={found} />)}
				</Form>
			)}
		</Card>
	);
}

function Result({ addresses, complete, use }: Found & { use(addresses: readonly string[]): void }) {
	const list = addresses.map((address) => address.slice(0, IDENT_DIGITS)).join(", ");
	return (
		<Notice kind={addresses.length > 0 && complete ? "good" : "warning"}>
			<p>{list === "" ? t("mbus.none") : t("mbus.found", { list })}</p>
			{!complete && <p>{t("mbus.more")}</p>}
			{list !== "" && (
				<Button name="use" onClick={() => use(addresses)}>
					{t("mbus.use")}
				</Button>
			)}
		</Notice>
	);
}
