/** A button that fetches a file from the gateway and saves it. */
import { useState } from "preact/hooks";
import { Button, ErrorNotice } from "./components.js";
import { type DeviceError, get } from "./device.js";
import { saveFile } from "./save-file.js";
import { t } from "./text.js";
import { asDeviceError } from "./use-device.js";

/** Timeout of the request. It is long, because the chip generates the file while sending it. */
const FILE_MS = 60_000;

interface FetchButtonProps {
	/** Path without `/api/v1/`. */
	readonly path: string;
	readonly label: string;
}

export function FetchButton({ path, label }: FetchButtonProps) {
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
			{error && <ErrorNotice error={error} />}
			<div class="actions">
				<Button name="save" busy={busy && t("loading")} onClick={save}>
					{label}
				</Button>
			</div>
		</>
	);
}
