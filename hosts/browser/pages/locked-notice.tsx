/** Notice that the meter waits for its PIN. */

import { Notice } from "../kit/components.js";
import { display } from "../kit/session.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";

export function LockedNotice() {
	const isDisplay = useStore(display);
	return (
		<Notice kind="info">
			<p>{t("now.locked")}</p>
			{!isDisplay && <a href="#/meter">{t("pin.title")}</a>}
		</Notice>
	);
}
