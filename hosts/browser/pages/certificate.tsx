/** The gateway's certificate. */

import { useId, useState } from "preact/hooks";
import { Button, Card, ErrorNotice, Fact, Facts, Notice, Pending } from "../kit/components.js";
import { awaitRestart, DeviceError, post } from "../kit/device.js";
import { Confirm } from "../kit/dialog.js";
import { FetchButton } from "../kit/fetch-button.js";
import { formatDate } from "../kit/format.js";
import { status } from "../kit/live.js";
import type { Certificate } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { useUnsaved } from "../kit/unsaved.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";
import { joinPEM, refusalKey } from "./refusals.js";

const PATH = "system/certificate";
/** If the certificate is valid for less than this time, there is a warning. */
const SOON_S = 30 * 86_400;

/**
 * Waits for the restart with the new certificate. If the browser does not trust the new certificate, the page cannot
 * detect the restart. Therefore the user gets a link.
 */
function awaitCertificate({ reboot }: Certificate): void {
	if (reboot) awaitRestart({ reason: "certificate", addresses: [`${location.origin}/`] });
}

export function CertificateCard() {
	const { value, error, reload, put } = useDevice<Certificate>(PATH);
	const [asking, setAsking] = useState(false);
	const goBack = async () => {
		const reply = await post<Certificate>(`${PATH}/reset`);
		put(reply);
		awaitCertificate(reply);
	};
	return (
		<Card title={t("cert.title")}>
			<p>{t("cert.intro")}</p>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<>
					<Validity certificate={value} />
					<Details certificate={value} />
					<FetchButton path={`${PATH}/file`} label={t("cert.save")} />
					{value.custom && (
						<div class="actions">
							<Button name="certificate_reset" onClick={() => setAsking(true)}>
								{t("cert.reset")}
							</Button>
						</div>
					)}
					<h3>{t("cert.upload")}</h3>
					{value.upload_allowed ? (
						<Upload maxSize={value.max_size} onInstalled={put} />
					) : (
						<Notice kind="info">{t("cert.plain")}</Notice>
					)}
				</>
			)}
			{asking && (
				<Confirm title={t("cert.reset.ask")} action={t("cert.reset")} run={goBack} onClose={() => setAsking(false)}>
					<p>{t("cert.reset.text")}</p>
				</Confirm>
			)}
		</Card>
	);
}

function Validity({ certificate: { valid_to, last_error } }: { certificate: Certificate }) {
	const now = useStore(status);
	const nowS = now?.clock_valid ? now.timestamp : Date.now() / 1000;
	const leftS = Date.parse(valid_to) / 1000 - nowS;
	return (
		<>
			{leftS <= 0 && <Notice kind="warning">{t("cert.expired")}</Notice>}
			{leftS > 0 && leftS < SOON_S && (
				<Notice kind="warning">{t("cert.soon", { time: formatDate(valid_to, language) })}</Notice>
			)}
			{last_error !== undefined && (
				<Notice kind="warning">
					<p>{t("cert.failed")}</p>
					<details>
						<summary>{t("details")}</summary>
						<p lang="en">{last_error}</p>
					</details>
				</Notice>
			)}
		</>
	);
}

function Details({ certificate }: { certificate: Certificate }) {
	const { custom, subject, issuer, valid_from, valid_to, key_type, key_bits, fingerprint, chain_length } = certificate;
	return (
		<Facts>
			<Fact name={t("use.what")}>{t(custom ? "cert.custom" : "cert.own")}</Fact>
			<Fact name={t("cert.subject")}>{subject}</Fact>
			<Fact name={t("cert.issuer")}>{issuer}</Fact>
			<Fact name={t("cert.from")}>{formatDate(valid_from, language)}</Fact>
			<Fact name={t("cert.to")}>{formatDate(valid_to, language)}</Fact>
			<Fact name={t("cert.key")}>{t("cert.key.value", { type: key_type, bits: String(key_bits) })}</Fact>
			{fingerprint !== "" && (
				<Fact name={t("cert.fingerprint")}>
					<code class="fingerprint">{fingerprint}</code>
				</Fact>
			)}
			{chain_length > 1 && <Fact name={t("cert.chain")}>{chain_length}</Fact>}
		</Facts>
	);
}

interface UploadProps {
	/** Size limit of certificates and key together, bytes. */
	readonly maxSize: number;
	onInstalled(reply: Certificate): void;
}

function Upload({ maxSize, onInstalled }: UploadProps) {
	const [files, setFiles] = useState<readonly string[]>([]);
	const [pasted, setPasted] = useState("");
	const [busy, setBusy] = useState(false);
	const [refusal, setRefusal] = useState<string | DeviceError>();
	const id = useId();
	useUnsaved(pasted !== "");
	const choose = async (list: FileList | null) => {
		setRefusal(undefined);
		// Only the beginning of a file is read, because a larger file is not PEM text.
		const texts = [...(list ?? [])].map((file) => file.slice(0, 4 * maxSize).text());
		setFiles(await Promise.all(texts));
	};
	const install = async (event: Event) => {
		event.preventDefault();
		if (busy) return;
		const text = joinPEM([...files, pasted]);
		if (text.trim() === "") return setRefusal(t("cert.empty"));
		if (text.length > maxSize) return setRefusal(t("refusal.large", { max: maxSize }));
		setBusy(true);
		setRefusal(undefined);
		try {
			const reply = await post<Certificate>(PATH, undefined, { text });
			setPasted("");
			onInstalled(reply);
			awaitCertificate(reply);
		} catch (reason) {
			setRefusal(refusalOf(asDeviceError(reason), maxSize));
		} finally {
			setBusy(false);
		}
	};
	return (
		<form onSubmit={install}>
			<p class="help">{t("cert.upload.help")}</p>
			<div class="field">
				<label for={id}>{t("cert.files")}</label>
				<input
					id={id}
					name="files"
					type="file"
					multiple
					accept=".pem,.crt,.cer,.key,.txt"
					onChange={(event) => choose(event.currentTarget.files)}
				/>
			</div>
			<div class="field">
				<label for={`${id}-text`}>{t("cert.paste")}</label>
				<textarea
					id={`${id}-text`}
					name="pem"
					rows={4}
					autocomplete="off"
					spellcheck={false}
					value={pasted}
					onInput={(event) => {
						setPasted(event.currentTarget.value);
						setRefusal(undefined);
					}}
				/>
			</div>
			{typeof refusal === "string" && <Notice kind="error">{refusal}</Notice>}
			{refusal instanceof DeviceError && <ErrorNotice error={refusal} />}
			<div class="actions">
				<Button type="submit" busy={busy && t("cert.installing")}>
					{t("cert.install")}
				</Button>
			</div>
		</form>
	);
}

/**
 * Returns the reason of the refusal in the user's language if there is a text for it, otherwise the gateway's error.
 */
function refusalOf(error: DeviceError, maxSize: number): string | DeviceError {
	if (error.status === 413) return t("refusal.large", { max: maxSize });
	if (error.status !== 400) return error;
	const key = refusalKey(error.message);
	return key === undefined ? error.message : t(key, { max: maxSize });
}
