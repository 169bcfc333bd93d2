/** The diagnostic report for the manufacturer. */
import { useState } from "preact/hooks";
import { Card, ErrorNotice, Notice } from "../kit/components.js";
import { type DeviceError, post } from "../kit/device.js";
import { FetchButton } from "../kit/fetch-button.js";
import { Field, type FieldSpec } from "../kit/fields.js";
import type { Control, Version } from "../kit/replies.js";
import { t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";

const PATH = "iec62056/control";
const LOG: FieldSpec = { name: "report_log", label: "control.log", help: "report.log", kind: "toggle" };

export function ReportCard() {
	const { value, put } = useDevice<Control>(PATH);
	const { value: version } = useDevice<Version>("system/version");
	const [error, setError] = useState<DeviceError>();
	const record = (log_en: boolean) => {
		setError(undefined);
		post<Control>(PATH, { log_en }).then(put, (reason) => setError(asDeviceError(reason)));
	};
	return (
		<Card title={t("report.title")}>
			<p>{t("report.intro")}</p>
			<ul>
				{t("report.list")
					.split("; ")
					.map((part) => (
						<li key={part}>{part}</li>
					))}
			</ul>
			<p>{t("report.not")}</p>
			{value && <Field spec={LOG} value={value.log_en === true} onInput={(on) => record(on === true)} />}
			{error && <ErrorNotice error={error} />}
			<p>{t("report.send")}</p>
			{version?.report_available === false ? (
				<Notice kind="info">{t("report.none")}</Notice>
			) : (
				<FetchButton path="system/diagnostic" label={t("report.go")} />
			)}
		</Card>
	);
}
