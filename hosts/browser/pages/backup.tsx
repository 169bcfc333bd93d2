/** Saves the settings to a file, and restores settings from a file. */
import { useState } from "preact/hooks";
import { announce, Button, Card, ErrorNotice, Fact, Facts, Notice } from "../kit/components.js";
import { awaitRestart, type DeviceError, post } from "../kit/device.js";
import { FetchButton } from "../kit/fetch-button.js";
import { FilePick } from "../kit/file-pick.js";
import { formatMoment } from "../kit/format.js";
import { forget, keep, kept } from "../kit/kept.js";
import { PLACES } from "../kit/place.js";
import type { Restored } from "../kit/replies.js";
import { language, t } from "../kit/text.js";
import { asDeviceError, errorText } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import type { TextKey } from "../text/all.js";

const RESTORED = "restored";
/** Size limit in bytes. The gateway accepts 16 KB. A much longer file is not a backup. */
const SIZE_LIMIT = 100_000;

interface Backup {
	readonly version?: string;
	readonly board?: string;
	/** Time of the backup, ISO 8601 in UTC; empty if unknown. */
	readonly created?: string;
	readonly settings: Readonly<Record<string, object>>;
}

/** Reads a backup. Returns undefined if the text is not a backup. */
function backupOf(text: string): Backup | undefined {
	try {
		const file = JSON.parse(text);
		return file.product === "smart-meter-gw" && typeof file.settings === "object" ? file : undefined;
	} catch {
		return undefined;
	}
}

export function BackupCard() {
	const [file, setFile] = useState<Backup | "foreign">();
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<DeviceError>();
	const [result, setResult] = useState(() => kept<Restored>(RESTORED));
	const show = (reply: Restored | undefined) => {
		if (reply === undefined) forget(RESTORED);
		else keep(RESTORED, reply);
		setResult(reply);
	};
	const choose = async (chosen: File) => {
		setError(undefined);
		show(undefined);
		setFile(backupOf(await chosen.slice(0, SIZE_LIMIT).text()) ?? "foreign");
	};
	const restore = async () => {
		setBusy(true);
		setError(undefined);
		try {
			const reply = await post<Restored>("system/backup", file);
			show(reply);
			setFile(undefined);
			announce(t("restore.done", { n: reply.restored }));
			if (reply.restart) awaitRestart({ reason: "restart", addresses: [] });
		} catch (reason) {
			setError(asDeviceError(reason));
		}
		setBusy(false);
	};
	return (
		<Card title={t("backup.title")}>
			<p>{t("backup.intro")}</p>
			<FetchButton path="system/backup" label={t("backup.go")} />
			<h3>{t("restore.title")}</h3>
			<FilePick name="restore" label={t("restore.file")} accept=".json" onFile={choose} />
			{file === "foreign" && <Notice kind="error">{t("restore.foreign")}</Notice>}
			{typeof file === "object" && (
				<>
					<Content file={file} />
					<p class="help">{t("restore.help")}</p>
				</>
			)}
			{error && (
				<ErrorNotice error={error} text={`${errorText(error)} ${error.field ?? ""} ${t("update.unchanged")}`} />
			)}
			{typeof file === "object" && (
				<div class="actions">
					<Button kind="main" name="put_back" busy={busy && t("restore.running")} onClick={restore}>
						{t("restore.go")}
					</Button>
				</div>
			)}
			{result && <Result result={result} onClose={() => show(undefined)} />}
		</Card>
	);
}

/** Returns the page for a group of settings. A group has the same name as the route that sets it. */
function placeOf(group: string) {
	const [area] = group.split("/");
	const name = area === "mqtt" ? "hub" : /^(dlms|iec62056)$/.test(area) ? "meter" : area;
	return PLACES.find((place) => place.name === name);
}

function Content({ file: { version, board, created = "", settings } }: { file: Backup }) {
	const { timeZone } = useZone();
	const madeMs = Date.parse(created);
	const places = Object.keys(settings).map(placeOf);
	return (
		<Facts>
			<Fact name={t("about.built")}>
				{Number.isNaN(madeMs) ? t("unknown") : formatMoment(madeMs / 1000, language, timeZone)}
			</Fact>
			<Fact name={t("about.firmware")}>{version ?? t("unknown")}</Fact>
			<Fact name={t("about.model")}>{board ?? t("unknown")}</Fact>
			<Fact name={t("restore.has")}>
				{PLACES.filter((place) => places.includes(place))
					.map(({ label }) => t(label))
					.join(", ")}
			</Fact>
		</Facts>
	);
}

/**
 * Texts of secrets. The keys are the group and the name of the secret, separated by a blank. If there were a point
 * between them, as in "hub.token", the build would mistake them for keys of texts (tools/page/archive.ts).
 */
const SECRETS: Readonly<Record<string, TextKey>> = {
	"hub token": "hub.token",
	"hub cert": "hub.cert.area",
	"mqtt password": "login.password",
	"mqtt cert": "hub.cert.area",
	"network/wifi password": "wifi.password",
	"network/ap ap_password": "network.ap.password",
	"dlms/config password": "dlms.password",
	"dlms/config block_cipher_key": "dlms.key",
	"dlms/config auth_key": "dlms.authkey",
};

function Result({ result, onClose }: { result: Restored; onClose: () => void }) {
	const { restored, enter_again, ignored } = result;
	return (
		<Notice kind={enter_again.length > 0 ? "warning" : "good"}>
			<p>{t("restore.done", { n: restored })}</p>
			{enter_again.length > 0 && (
				<>
					<p>{t("restore.again")}</p>
					<ul>
						{enter_again.map((secret) => {
							const [group, name] = secret.split(".");
							const place = placeOf(group);
							const key = SECRETS[`${group} ${name}`];
							return (
								<li key={secret}>
									<a href={`#/${place?.name}`}>{place && t(place.label)}</a>: {key ? t(key) : secret}
								</li>
							);
						})}
					</ul>
				</>
			)}
			{ignored.length > 0 && (
				<>
					<p>{t("restore.ignored")}</p>
					<p>
						<code>{ignored.join(", ")}</code>
					</p>
				</>
			)}
			<Button name="seen" onClick={onClose}>
				{t("hide")}
			</Button>
		</Notice>
	);
}
