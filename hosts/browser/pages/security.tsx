/** Password, sessions, tokens and certificate. */

import { useState } from "preact/hooks";
import { announce, Button, Card, ErrorNotice, Pending } from "../kit/components.js";
import { type DeviceError, remove } from "../kit/device.js";
import { formatMoment } from "../kit/format.js";
import type { Sessions } from "../kit/replies.js";
import { SettingsPage } from "../kit/saves.js";
import { language, t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";
import { useKeptFocus } from "../kit/use-kept-focus.js";
import { useZone } from "../kit/zone.js";
import { CertificateCard } from "./certificate.js";
import { PasswordForm } from "./password-form.js";
import { TokensCard } from "./tokens.js";

export function Security() {
	// When the password changes, the other sessions end, so their list is loaded again.
	const [changes, setChanges] = useState(0);
	return (
		<SettingsPage>
			<div class="column">
				<Card title={t("login.password")}>
					<p>{t("security.password.help")}</p>
					<PasswordForm onChanged={() => setChanges((n) => n + 1)} />
				</Card>
				<SessionsCard key={changes} />
			</div>
			<div class="column">
				<TokensCard />
				<CertificateCard />
			</div>
		</SettingsPage>
	);
}

type Session = Sessions["sessions"][number];

function SessionsCard() {
	const { value, error, reload } = useDevice<Sessions>("system/sessions");
	const { place } = useKeptFocus(value?.sessions.length);
	const [ending, setEnding] = useState("");
	const [failure, setFailure] = useState<DeviceError>();
	const end = async (id: string) => {
		setEnding(id);
		setFailure(undefined);
		try {
			await remove(`system/sessions/${id}`);
			announce(t("sessions.ended"));
		} catch (reason) {
			const fault = asDeviceError(reason);
			// Status 404 is not a failure. It means that the session has ended in the meantime.
			if (fault.status !== 404) setFailure(fault);
		} finally {
			setEnding("");
			reload();
		}
	};
	return (
		<Card title={t("sessions.title")}>
			<p>{t("sessions.intro")}</p>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<div ref={place} tabIndex={-1}>
					<ul class="rows">
						{value.sessions.map((session) => (
							<li key={session.id}>
								<SessionText session={session} />
								{!session.current && (
									<Button
										name="end"
										aria-label={`${t("sessions.end")}: ${session.address}`}
										busy={ending === session.id && t("sessions.end")}
										onClick={() => end(session.id)}
									>
										{t("sessions.end")}
									</Button>
								)}
							</li>
						))}
					</ul>
				</div>
			)}
			{failure && <ErrorNotice error={failure} />}
		</Card>
	);
}

function SessionText({ session }: { session: Session }) {
	const { timeZone } = useZone();
	const { created, expires_in_secs, address, current } = session;
	const left = t("sessions.left", { n: Math.ceil(expires_in_secs / 60) });
	return (
		<div>
			<b>{address}</b> {current && <span class="mark">{t("tokens.this")}</span>}
			<small>
				{created > 0 && `${t("sessions.since", { time: formatMoment(created, language, timeZone) })} · `}
				{left}
			</small>
		</div>
	);
}
