/** A file that the gateway makes, saved by the press of a button. */
import { useState } from "preact/hooks";
import { type DeviceError, get } from "./device.js";
import { Button, ErrorNotice } from "./parts.js";
import { saveFile } from "./save-file.js";
import { t } from "./text.js";
import { asDeviceError } from "./use-device.js";

/** The chip puts them together while they are sent. */
const FILE_MS = 60_000;

interface FetchButtonProps {
	/** Path of its GET, without `/api/v1/`. */
	readonly path: string;
	readonly label: string;
	/** In place of that for `unsupported`. */
	readonly unsupported?: string;
}

export function FetchButton({ path, label, unsupported }: FetchButtonProps) {
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<DeviceError>();
	const save = async () => {
		setBusy(true);
		setError(undefined);
		try {
			const file = await get<File>(path, { isFile: true, timeoutMs: FILE_MS });
			saveFile(file.name, file);
		} catch (reason) {
			setError(asDeviceError(reason));
		}
		setBusy(false);
	};
	return (
		<>
			{error && <ErrorNotice error={error} text={error.code === "unsupported" ? unsupported : undefined} />}
			<div class="actions">
				<Button name="save" busy={busy && t("loading")} onClick={save}>
					{label}
				</Button>
			</div>
		</>
	);
}
