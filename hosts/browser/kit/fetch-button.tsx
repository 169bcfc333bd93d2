/** A file that the gateway makes, saved by the press of a button. */
import { useState } from "preact/hooks";
import { type DeviceError, get } from "./device.js";
import { Button, ErrorNotice } from "./parts.js";
import { saveFile } from "./save-file.js";
import { t } from "./text.js";
import { asDeviceError } from "./use-device.js";

interface FetchButtonProps {
	/** Of its GET, without `/api/v1/`. */
	readonly path: string;
	/** What the file is, and its ending: the day stands between. */
	readonly name: string;
	readonly ending: string;
	readonly label: string;
	/** In place of the text for an error of this code. */
	readonly texts?: Readonly<Record<string, string>>;
}

export function FetchButton({ path, name, ending, label, texts }: FetchButtonProps) {
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<DeviceError>();
	const save = async () => {
		setBusy(true);
		setError(undefined);
		try {
			const day = new Date().toISOString().slice(0, 10);
			saveFile(
				`smart-meter-gateway-${name}-${day}.${ending}`,
				await get<Blob>(path, { isFile: true, timeoutMs: FILE_MS }),
			);
		} catch (reason) {
			setError(asDeviceError(reason));
		}
		setBusy(false);
	};
	return (
		<>
			{error && <ErrorNotice error={error} text={texts?.[error.code]} />}
			<div class="actions">
				<Button name={name} busy={busy && t("loading")} onClick={save}>
					{label}
				</Button>
			</div>
		</>
	);
}

/** The chip puts them together while they are sent. */
const FILE_MS = 60_000;
