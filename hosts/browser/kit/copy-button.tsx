/** A button that copies a text. */
import { useState } from "preact/hooks";
import { announce, Button } from "./components.js";
import { t } from "./text.js";

export function CopyButton({ text, label }: { text: () => string; label?: string }) {
	const [done, setDone] = useState(false);
	const copy = async () => {
		await copyText(text());
		setDone(true);
		announce(t("copied"));
		setTimeout(() => setDone(false), 2_000);
	};
	return <Button onClick={copy}>{done ? t("copied") : (label ?? t("copy"))}</Button>;
}

/** Without HTTPS, browsers support only the older `execCommand`. */
async function copyText(text: string): Promise<void> {
	if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
	const area = document.createElement("textarea");
	area.value = text;
	document.body.append(area);
	area.select();
	document.execCommand("copy");
	area.remove();
}
