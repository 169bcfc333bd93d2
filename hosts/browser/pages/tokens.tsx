/** Long-lived tokens: list, creation with the value shown once, revocation. */
import { useState } from "preact/hooks";
import { SYSTEM_TOKENS } from "../kit/bodies.js";
import { post, remove } from "../kit/device.js";
import { Confirm, Dialog } from "../kit/dialog.js";
import { Form } from "../kit/form.js";
import { formatMoment } from "../kit/format.js";
import { fieldsOf } from "../kit/limits.js";
import { Button, Card, CopyButton, Notice, Pending } from "../kit/parts.js";
import type { NewToken, Token, Tokens as TokenList } from "../kit/replies.js";
import { language, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { useKeptFocus } from "../kit/use-kept-focus.js";
import { useZone } from "../kit/zone.js";

const PATH = "system/tokens";

const FIELDS = fieldsOf(SYSTEM_TOKENS, [
	{
		name: "name",
		label: "tokens.name",
		help: "tokens.name.help",
		kind: "text",
		required: true,
	},
]);

export function TokensCard() {
	const { value, error, reload } = useDevice<TokenList>(PATH);
	const [made, setMade] = useState<NewToken>();
	const [revoking, setRevoking] = useState<Token>();
	const { place, keep } = useKeptFocus(value?.tokens.length);
	const create = async (values: object) => {
		setMade(await post<NewToken>(PATH, values));
		reload();
	};
	const closeMade = () => {
		setMade(undefined);
		keep();
	};
	const revoke = async (id: string) => {
		await remove(`${PATH}/${id}`);
		reload();
	};
	return (
		<Card title={t("tokens.title")}>
			<p>{t("tokens.intro")}</p>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<div ref={place} tabIndex={-1}>
					<Tokens list={value} onRevoke={setRevoking} />
					{value.tokens.length >= value.max ? (
						<Notice kind="info">{t("error.token_slots_full")}</Notice>
					) : (
						<Form
							// Empty again after each token.
							key={value.tokens.length}
							fields={FIELDS}
							values={{}}
							submitLabel={t("tokens.create")}
							busyLabel={t("tokens.creating")}
							doneText=""
							submit={create}
						/>
					)}
				</div>
			)}
			{made && <MadeToken made={made} onClose={closeMade} />}
			{revoking && (
				<Confirm
					title={t("tokens.revoke.ask", { name: revoking.name })}
					action={t("tokens.revoke")}
					danger
					run={() => revoke(revoking.id)}
					onClose={() => setRevoking(undefined)}
				>
					<p>{t("tokens.revoke.text")}</p>
				</Confirm>
			)}
		</Card>
	);
}

function Tokens({ list, onRevoke }: { list: TokenList; onRevoke: (token: Token) => void }) {
	const { max, tokens } = list;
	const { timeZone } = useZone();
	if (tokens.length === 0) return <p class="help">{t("tokens.none")}</p>;
	return (
		<>
			<ul class="rows">
				{tokens.map((token) => (
					<li key={token.id}>
						<div>
							<b>{token.name}</b>
							<small>
								{token.created > 0
									? t("tokens.created", { time: formatMoment(token.created, language, timeZone) })
									: t("tokens.timeless")}
							</small>
						</div>
						<Button name="revoke" aria-label={`${t("tokens.revoke")}: ${token.name}`} onClick={() => onRevoke(token)}>
							{t("tokens.revoke")}
						</Button>
					</li>
				))}
			</ul>
			<p class="help">{t("tokens.count", { n: tokens.length, max })}</p>
		</>
	);
}

/** Left only by its button: the value never comes again. */
function MadeToken({ made: { name, token }, onClose }: { made: NewToken; onClose: () => void }) {
	// -k: the gateway's own certificate is vouched for by nobody.
	const option = location.protocol === "https:" ? "-k " : "";
	const example = `curl ${option}-H "Authorization: Bearer ${token}" ${location.origin}/api/v1/iec62056/last`;
	return (
		<Dialog title={t("tokens.made", { name })} textFirst>
			<Notice kind="warning">{t("tokens.once")}</Notice>
			<pre class="token">{token}</pre>
			<div class="actions">
				<CopyButton text={() => token} label={t("tokens.copy")} />
			</div>
			<p>{t("tokens.example")}</p>
			<pre>{example}</pre>
			<div class="actions">
				<CopyButton text={() => example} label={t("tokens.example.copy")} />
				<Button kind="main" name="stored" onClick={onClose}>
					{t("tokens.stored")}
				</Button>
			</div>
		</Dialog>
	);
}
