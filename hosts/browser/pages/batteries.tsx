/** Live values for batteries and wallboxes, and the addresses of the devices that may request them. */
import { useState } from "preact/hooks";
import { LIVE_METER, LIVE_METER_CLIENTS } from "../kit/bodies.js";
import { Button, Card, ErrorNotice, Notice, Pending } from "../kit/components.js";
import { post } from "../kit/device.js";
import { type Draft, Field, type FieldSpec } from "../kit/fields.js";
import { Form, SettingsCard } from "../kit/form.js";
import { formatAge, formatNumber } from "../kit/format.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { useHasPart } from "../kit/live.js";
import type { LiveClients, LiveStatus } from "../kit/replies.js";
import { SettingsPage } from "../kit/saves.js";
import { language, t } from "../kit/text.js";
import { asDeviceError, useDevice, usePoll } from "../kit/use-device.js";
import { useKeptFocus } from "../kit/use-kept-focus.js";
import { IPV4_FORM } from "./wifi.js";

const POLL_MS = 2_000;
const CLIENTS = "live-meter/clients";
/** Devices with the dialects that they need. No dialect was tested with the real device (docs/live-values.md). */
const DEVICES: readonly (readonly [name: string, dialects: Draft])[] = [
	["Marstek Venus, B2500", { shelly: true, shelly_udp_port: 1010 }],
	["Marstek B2500 (FW ≥ 226)", { shelly: true, shelly_udp_port: 2220 }],
	["Marstek (CT002, CT003)", { ct002: true }],
	["Marstek Jupiter", { ecotracker: true }],
	["Hoymiles MS-A2", { ecotracker: true }],
	["EcoFlow STREAM", { ecotracker: true }],
	["Jackery SolarVault 3", { ecotracker: true }],
	["Solakon One", { ecotracker: true }],
	["Growatt NOAH, NEXA", { shelly: true, shelly_udp_port: 0 }],
	["Indevolt", { shelly: true, shelly_udp_port: 0 }],
	["Alfen, SmartEVSE", { homewizard: true }],
	["SMA", { sma: true }],
	["Kostal", { sma: true }],
	["OpenDTU-OnBattery", { sma: true }],
	["Fronius GEN24", { sunspec: true }],
	["Victron GX (ESS)", { em24: true }],
	["evcc", { sunspec: true }],
	["DSMR, vzlogger", { telegrams: true }],
];
const DIALECTS = {
	ecotracker: "live.ecotracker",
	shelly: "live.shelly",
	homewizard: "live.homewizard",
	sma: "live.sma",
	sunspec: "live.sunspec",
	telegrams: "live.telegrams",
	em24: "live.em24",
	ct002: "live.ct002",
} as const;
type DialectName = keyof typeof DIALECTS;
const DIALECT_NAMES = Object.keys(DIALECTS) as DialectName[];
const isAnyOn = (draft: Draft) => DIALECT_NAMES.some((name) => draft[name] === true);

/** `has` tells whether the firmware has a dialect. */
const fieldsFor = (has: (name: string) => boolean): readonly FieldSpec[] => [
	{
		name: "device",
		label: "live.device",
		help: "live.device.help",
		kind: "choice",
		choices: [
			{ value: "", label: "–" },
			...DEVICES.filter(([, dialects]) => Object.keys(dialects).every(has)).map(([name]) => ({
				value: name,
				label: name,
			})),
		],
		implies: (chosen) => DEVICES.find(([name]) => name === chosen)?.[1] ?? {},
	},
	...fieldsOf(LIVE_METER, [
		...DIALECT_NAMES.filter(has).map((name) => ({ name, label: DIALECTS[name], kind: "toggle" as const })),
		{
			name: "shelly_udp_port",
			label: "live.port",
			kind: "choice",
			choices: choicesOf(LIVE_METER.shelly_udp_port, (port) => (port === 0 ? t("off") : String(port))),
			when: ({ shelly, sma, ct002 }) => shelly === true && sma !== true && ct002 !== true,
		},
		{ name: "inverted", label: "live.inverted", kind: "toggle", when: isAnyOn },
		{ name: "offset_w", label: "live.offset", help: "live.offset.help", kind: "number", unit: "W", when: isAnyOn },
		{
			name: "total_on",
			label: "live.total",
			kind: "choice",
			choices: choicesOf(LIVE_METER.total_on, (place) => t(`live.total.${place}`)),
			when: isAnyOn,
		},
		{ name: "pause_ms", label: "live.pause", kind: "number", unit: "ms", when: isAnyOn },
		{ name: "max_age_secs", label: "live.age", help: "live.age.help", kind: "number", unit: "s", when: isAnyOn },
	]),
];

export function Batteries() {
	const [isOn, setOn] = useState(false);
	const has = useHasPart();
	return (
		<SettingsPage>
			<div class="column">
				<SettingsCard
					title={t("live.title")}
					intro={t("live.intro")}
					path="live-meter"
					fields={fieldsFor(has)}
					onValue={(values) => setOn(isAnyOn(values))}
					onDraft={(draft) => setOn(isAnyOn(draft))}
				>
					{isOn && <Notice kind="warning">{t("live.warning")}</Notice>}
				</SettingsCard>
			</div>
			<div class="column">
				<ClientsCard />
			</div>
		</SettingsPage>
	);
}

const ADDRESS_FIELDS = fieldsOf(LIVE_METER_CLIENTS.clients.items, [
	{
		name: "address",
		label: "network.ip",
		help: "live.address.help",
		kind: "text",
		pattern: IPV4_FORM,
		form: { says: "form.ipv4" },
		required: true,
	},
]);

const WHOLE = 100;
/** Shares in per cent. 0 stands for no share. */
const SHARES = [0, 10, 20, 25, 30, 33, 40, 50, 60, 67, 75, 80, 90, WHOLE];

type Client = LiveClients["clients"][number];

/** Returns the client with a share in per cent, or without one if it is 0. */
const withShare = ({ address }: Client, share: number): Client =>
	share > 0 ? { address, share_percent: share } : { address };

/** Field for a client's share. It offers shares only up to the one that the other clients leave. */
function shareField(clients: readonly Client[], { share_percent: own = 0 }: Client): FieldSpec {
	const left = clients.reduce((sum, { share_percent = 0 }) => sum - share_percent, WHOLE + own);
	const shares = [...new Set([...SHARES, own])].filter((share) => share <= left).sort((a, b) => a - b);
	const choices = shares.map((share) => ({
		value: share,
		label: share === 0 ? t("live.share.all") : `${share} %`,
	}));
	return { name: "share_percent", label: "live.share", kind: "choice", choices };
}

function ClientsCard() {
	const list = useDevice<LiveClients>(CLIENTS);
	const status = useDevice<LiveStatus>("live-meter/status");
	usePoll(status.reload, POLL_MS);
	const [failure, setFailure] = useState<unknown>();
	const clients = list.value?.clients ?? [];
	const { place, keep } = useKeptFocus(clients.length);
	const store = async (next: readonly Client[]) => {
		setFailure(undefined);
		keep();
		list.put(await post<LiveClients>(CLIENTS, { clients: next }));
		await status.reload();
	};
	const change = (next: readonly Client[]) => store(next).catch(setFailure);
	const refused = status.value?.refused;
	return (
		<Card title={t("live.clients")}>
			<p>{t("live.clients.intro")}</p>
			{list.value === undefined || status.value === undefined ? (
				<Pending error={list.error ?? status.error} reload={list.reload} />
			) : (
				<div ref={place} tabIndex={-1}>
					<ul class="rows">
						{clients.map((client) => (
							<li key={client.address}>
								<div>
									<b>{client.address}</b>
									<RequestStatus status={status.value!} address={client.address} />
									<Field
										spec={shareField(clients, client)}
										value={client.share_percent ?? 0}
										onInput={(share) =>
											change(clients.map((one) => (one === client ? withShare(one, Number(share)) : one)))
										}
									/>
								</div>
								<Button
									name="remove"
									aria-label={`${t("remove")}: ${client.address}`}
									onClick={() => change(clients.filter((one) => one !== client))}
								>
									{t("remove")}
								</Button>
							</li>
						))}
					</ul>
					{clients.length > 1 && (
						<>
							<p>{t("live.share.help")}</p>
							<Button
								name="equal"
								onClick={() => change(clients.map((one) => withShare(one, Math.floor(WHOLE / clients.length))))}
							>
								{t("live.equal")}
							</Button>
						</>
					)}
					{refused && (
						<Notice kind="info">
							<p>
								{t("live.refused", {
									address: refused.address,
									time: formatAge(refused.asked_secs, language, t("read.fresh")),
								})}
							</p>
							<Button name="allow" onClick={() => change([...clients, { address: refused.address }])}>
								{t("live.allow")}
							</Button>
						</Notice>
					)}
					{failure !== undefined && <ErrorNotice error={asDeviceError(failure)} />}
					{clients.length < LIVE_METER_CLIENTS.clients.max && (
						<Form
							// A new key empties the field after each address that was added.
							key={clients.length}
							fields={ADDRESS_FIELDS}
							values={{}}
							submitLabel={t("add")}
							doneText=""
							submit={({ address }) => store([...clients, { address: String(address) }])}
						/>
					)}
				</div>
			)}
		</Card>
	);
}

/** Shows the interval of requests in each dialect, and the value that was sent last. */
function RequestStatus({ status, address }: { status: LiveStatus; address: string }) {
	const own = status.clients.filter((client) => client.address === address);
	if (own.length === 0) return <small>{t("live.silent")}</small>;
	return own.map(({ dialect, every_ms, power, answered_secs }) => (
		<small key={dialect}>
			{t(DIALECTS[dialect as DialectName])}
			{every_ms > 0 && ` · ${t("live.every", { n: formatNumber(every_ms / 1000, language, 1) })}`}
			{` · ${
				power === null || answered_secs === null
					? t("live.nothing")
					: `${formatNumber(power, language, 0)} W, ${formatAge(answered_secs, language, t("read.fresh"))}`
			}`}
		</small>
	));
}
