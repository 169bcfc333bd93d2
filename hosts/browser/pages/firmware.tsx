/** Firmware updates from a file or by download. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { SYSTEM_UPGRADE } from "../kit/bodies.js";
import { Button, Card, ErrorNotice, Fact, Facts, Notice, type NoticeKind, Pending } from "../kit/components.js";
import { awaitRestart, type DeviceError, post, reachable } from "../kit/device.js";
import { Dialog } from "../kit/dialog.js";
import type { Draft } from "../kit/fields.js";
import { FilePick } from "../kit/file-pick.js";
import { compareVersions, FIRMWARE_HEAD, type FirmwareFile, firmwareOf } from "../kit/firmware-file.js";
import { SettingsCard } from "../kit/form.js";
import { formatNumber } from "../kit/format.js";
import { forget, keep, kept } from "../kit/kept.js";
import { fieldsOf } from "../kit/limits.js";
import { refresh, status, useHasPart } from "../kit/live.js";
import { formatPercent } from "../kit/percent.js";
import type { Version } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { isText, language, t } from "../kit/text.js";
import { uploading, useUnsaved } from "../kit/unsaved.js";
import { CANCELLED, type Upload, upload } from "../kit/upload.js";
import { asDeviceError, errorText, useDevice, usePoll } from "../kit/use-device.js";
import type { TextKey } from "../text/all.js";

/** Name of the value that survives the restart (kept.ts): the update that is expected. */
const EXPECTED = "update";
/** Value of `ota_last_error` after a roll-back. */
const ROLLED_BACK = "rolled_back";
/** Errors after which the user can download the file instead of the gateway. */
const UNFETCHED: readonly string[] = ["ota_unreachable", "ota_not_found"];
/** Interval of requests while the gateway receives or tries a file. */
const POLL_MS = 2_000;

interface Expected {
	readonly version: string;
	readonly from: string;
}

export function FirmwareCard() {
	const { value: running, error, reload } = useDevice<Version>("system/version");
	return (
		<Card title={t("update.title")}>
			{running === undefined ? <Pending error={error} reload={reload} /> : <Update running={running} />}
		</Card>
	);
}

interface Chosen {
	readonly file: File;
	/** Metadata of the file; undefined if it is not a firmware file. */
	readonly firmware: FirmwareFile | undefined;
}

function Update({ running }: { running: Version }) {
	const [chosen, setChosen] = useState<Chosen>();
	const [error, setError] = useState<DeviceError>();
	/** Number of bytes that the browser has sent. Undefined if there is no upload. */
	const [sent, setSent] = useState<number>();
	/** Version that the gateway downloads because the page requested it. */
	const [asked, setAsked] = useState("");
	const way = useRef<Upload | undefined>(undefined);
	const isBusy = sent !== undefined;
	// As early as `useUnsaved`: the question that it raises depends on both.
	useLayoutEffect(() => uploading.set(isBusy), [isBusy]);
	useUnsaved(isBusy);
	useEffect(() => () => way.current?.cancel(), []);

	const choose = async (file: File) => {
		setError(undefined);
		const head = await file.slice(0, FIRMWARE_HEAD).arrayBuffer();
		const taken = { file, firmware: firmwareOf(head) };
		setChosen(taken);
		return taken;
	};
	const install = async (version: string) => {
		setError(undefined);
		forget(EXPECTED);
		try {
			await post("system/upgrade/install");
			setAsked(version);
		} catch (reason) {
			setError(asDeviceError(reason));
		}
		await refresh().catch(() => undefined);
	};
	const send = async (file: File, { version }: FirmwareFile) => {
		setError(undefined);
		setSent(0);
		forget(EXPECTED);
		let failure: DeviceError | undefined;
		try {
			way.current = upload("system/ota", file, setSent);
			await way.current.done;
			keep(EXPECTED, { version, from: running.firmware.version });
		} catch (reason) {
			failure = asDeviceError(reason);
			setError(failure);
			refresh().catch(() => undefined);
		}
		setSent(undefined);
		// The dialog must first close and return the focus.
		if (failure === undefined) setTimeout(() => awaitRestart({ reason: "update", addresses: [] }));
	};
	return (
		<>
			{!isBusy && <TransferProgress asked={asked} from={running.firmware.version} />}
			{error === undefined && <Outcome running={running} />}
			{!isBusy && <NewerVersion address={running.upgrade_url} onInstall={install} />}
			<Facts>
				<Fact name={t("update.installed")}>{running.firmware.version}</Fact>
				<Fact name={t("about.model")}>{running.device.model}</Fact>
			</Facts>
			<p>{t("update.intro")}</p>
			<FilePick name="firmware" label={t("update.file")} accept=".ota" onFile={choose} />
			{chosen && <Content chosen={chosen} running={running} onSend={send} />}
			{error && <Refusal error={error} />}
			{isBusy && chosen?.firmware && (
				<Sending
					sent={sent}
					bytes={chosen.file.size}
					version={chosen.firmware.version}
					cancel={() => way.current?.cancel()}
				/>
			)}
		</>
	);
}

/** Returns undefined if the file is for this gateway and complete, otherwise a text about the problem. */
function faultOf(file: File, { board, bytes }: FirmwareFile, running: Version): TextKey | undefined {
	if (board !== running.device.device_id) return "error.ota_wrong_device";
	return file.size === bytes ? undefined : "error.ota_invalid_image";
}

interface NewerProps {
	readonly address: string;
	onInstall(version: string): Promise<void>;
}

/** Offers the newer version. After a failed download, also shows a link to the file. */
function NewerVersion({ address, onInstall }: NewerProps) {
	const { upgrade_version: version = "", ota_state, ota_last_error = "" } = useStore(status) ?? {};
	if (version === "" || ota_state !== "idle") return null;
	return (
		<Notice kind="info">
			<p>{t("update.newer", { version })}</p>
			<Button name="fetch" kind="main" onClick={() => onInstall(version)}>
				{t("update.go", { version })}
			</Button>
			{UNFETCHED.includes(ota_last_error) && (
				<>
					<p>{t("update.unfetched")}</p>
					<a href={address} rel="noreferrer">
						{t("update.fetch")}
					</a>
				</>
			)}
		</Notice>
	);
}

interface ContentProps {
	readonly chosen: Chosen;
	readonly running: Version;
	onSend(file: File, firmware: FirmwareFile): void;
}

function Content({ chosen: { file, firmware }, running, onSend }: ContentProps) {
	if (firmware === undefined) return <Notice kind="error">{t("update.foreign")}</Notice>;
	const { version, board, chip } = firmware;
	const isOurs = board === running.device.device_id;
	const fault = faultOf(file, firmware, running);
	const present = running.firmware.version;
	const doubt =
		version === present ? "update.same" : compareVersions(version, present) < 0 ? "update.older" : undefined;
	return (
		<>
			<Facts>
				<Fact name={t("update.version")}>{version}</Fact>
				<Fact name={t("update.board")}>{isOurs ? running.device.model : `${chip} (${board})`}</Fact>
				<Fact name={t("update.size")}>{formatSize(file.size)}</Fact>
			</Facts>
			{fault !== undefined ? (
				<Notice kind="error">{t(fault)}</Notice>
			) : (
				<>
					{doubt && <Notice kind="warning">{t(doubt)}</Notice>}
					<p class="help">{t("update.time")}</p>
					<div class="actions">
						<Button kind="main" name="update" onClick={() => onSend(file, firmware)}>
							{t("update.go", { version })}
						</Button>
					</div>
				</>
			)}
		</>
	);
}

/** Returns true if the connection was lost, or if the gateway has timed out. */
const isCut = ({ status }: DeviceError) => status === 0 || status === 408;

/** Tells why an upload failed. If the connection was lost, the gateway's status may have a more precise reason. */
function Refusal({ error }: { error: DeviceError }) {
	const known = `error.${useStore(status)?.ota_last_error}`;
	if (error.code === CANCELLED) return <Notice kind="info">{t("update.unchanged")}</Notice>;
	const isNever = error.code === "unsupported";
	const text = isNever ? t("update.never") : isCut(error) && isText(known) ? t(known) : errorText(error);
	return <ErrorNotice error={error} text={`${text} ${t("update.unchanged")}`} />;
}

interface SendingProps {
	readonly sent: number;
	readonly bytes: number;
	readonly version: string;
	cancel(): void;
}

function Sending({ sent, bytes, version, cancel }: SendingProps) {
	usePoll(refresh, POLL_MS);
	const { ota_state, ota_received = 0 } = useStore(status) ?? {};
	const isReachable = useStore(reachable);
	const isChecked = ota_state === "verifying" || ota_state === "restarting";
	// Bytes that the browser counts as sent may still be in its buffers.
	const arrived = ota_state === "receiving" ? ota_received : sent;
	return (
		<Dialog title={t("update.running", { version })} textFirst>
			<p role="status">{t(isChecked ? "update.checking" : "update.sending")}</p>
			<UploadProgress bytes={isChecked ? undefined : arrived} of={bytes} />
			{!isReachable && <Notice kind="warning">{t("error.offline")}</Notice>}
			<div class="actions">
				<Button name="cancel" disabled={isChecked} onClick={cancel}>
					{t("cancel")}
				</Button>
			</div>
		</Dialog>
	);
}

/** `bytes` is undefined while the gateway checks the file. */
function UploadProgress({ bytes, of }: { bytes: number | undefined; of: number }) {
	return (
		<div class="progress">
			<progress aria-label={t("update.title")} max={of} value={bytes} />
			{bytes !== undefined && (
				<small>
					{formatPercent(Math.floor((100 * bytes) / of))} · {formatSize(bytes)} / {formatSize(of)}
				</small>
			)}
		</div>
	);
}

/** Shows the progress while the gateway downloads the file or another client uploads it. A restart follows. */
function TransferProgress({ asked, from }: { asked: string; from: string }) {
	const { ota_state, ota_received, ota_total = 0 } = useStore(status) ?? {};
	const isChecked = ota_state === "verifying";
	const isComing = isChecked || ota_state === "receiving";
	// If the file was sent over Zigbee, the restart waits for the Zigbee coordinator.
	const isRestarting = asked !== "" && ota_state === "restarting";
	usePoll(async () => {
		if (isComing) await refresh();
	}, POLL_MS);
	useEffect(() => {
		if (!isRestarting) return;
		keep(EXPECTED, { version: asked, from });
		awaitRestart({ reason: "update", addresses: [] });
	}, [isRestarting]);
	if (!isComing) return null;
	return (
		<Notice kind="info">
			<p role="status">{t(isChecked ? "update.checking" : "update.coming")}</p>
			<UploadProgress bytes={isChecked || ota_total === 0 ? undefined : ota_received} of={ota_total} />
		</Notice>
	);
}

function Outcome({ running }: { running: Version }) {
	const { ota_state, ota_last_error = "" } = useStore(status) ?? {};
	const expected = kept<Expected>(EXPECTED);
	const isTrial = ota_state === "trial";
	const wasTrial = useRef(false);
	usePoll(async () => {
		if (isTrial) await refresh();
	}, POLL_MS);
	useEffect(() => {
		// The previous firmware has its own version of the page, so the page is reloaded.
		if (wasTrial.current && ota_last_error === ROLLED_BACK) location.reload();
		wasTrial.current = isTrial;
	}, [isTrial]);
	if (ota_state === undefined) return null;
	const { version } = running.firmware;
	const isBack = ota_last_error === ROLLED_BACK || (expected?.from === version && expected.version !== version);
	const [kind, text]: readonly [NoticeKind, string] = isTrial
		? ["info", t("update.trial", { version })]
		: isBack
			? ["warning", t("error.rolled_back", { version })]
			: ota_last_error !== ""
				? ["warning", `${t("update.last")} ${errorText({ code: ota_last_error })}`]
				: expected !== undefined
					? ["good", t("update.done", { version })]
					: ["info", ""];
	return <div role="status">{text !== "" && <Notice kind={kind}>{text}</Notice>}</div>;
}

/** Formats a size in megabytes. A firmware has one or two. */
function formatSize(bytes: number): string {
	return `${formatNumber(bytes / 1e6, language, 2, 2)} MB`;
}

const isChecking = (draft: Draft) => draft["upgrade_check_enabled"] === true;

const UPGRADE_FIELDS = fieldsOf(SYSTEM_UPGRADE, [
	{ name: "upgrade_check_enabled", label: "upgrade.check", kind: "toggle" },
	{
		name: "upgrade_url",
		label: "upgrade.url",
		help: "upgrade.url.help",
		kind: "text",
		refused: "upgrade.url.help",
		when: isChecking,
	},
	{
		name: "security_updates",
		label: "upgrade.security",
		help: "upgrade.security.help",
		kind: "toggle",
		when: isChecking,
	},
]);

export function UpgradeCard() {
	const hasPart = useHasPart();
	const fields = UPGRADE_FIELDS.filter(({ name }) => hasPart(name));
	return <SettingsCard title={t("upgrade.title")} path="system/upgrade" fields={fields} />;
}
