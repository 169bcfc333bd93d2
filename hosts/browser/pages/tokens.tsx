/** Long-lived tokens, and the link that makes another device a display. */

import { useEffect, useState } from "preact/hooks";
import { SYSTEM_TOKENS } from "../kit/bodies.js";
import { Button, Card, ErrorNotice, Notice, Pending } from "../kit/components.js";
import { CopyButton } from "../kit/copy-button.js";
import { post, remove } from "../kit/device.js";
import { Confirm, Dialog } from "../kit/dialog.js";
import { Form } from "../kit/form.js";
import { formatMoment } from "../kit/format.js";
import { fieldsOf } from "../kit/limits.js";
import { keepFailure } from "../kit/login.js";
import type { NewToken, Token, Tokens as TokenList } from "../kit/replies.js";
import { displayLink, forgetReader, reader } from "../kit/session.js";
import { useStore } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { errorText, useDevice } from "../kit/use-device.js";
import { useKeptFocus } from "../kit/use-kept-focus.js";
import { useZone } from "../kit/zone.js";

const PATH = "system/tokens";

const FIELDS = fieldsOf(SYSTEM_TOKENS, [
	{
		name: "name",
		label: "tokens.name",
		help: "form.signs",
		kind: "text",
		required: true,
	},
	{
		name: "scope",
		label: "tokens.scope",
		kind: "radio",
		choices: SYSTEM_TOKENS.scope.choices.map((value) => ({
			value,
			label: t(`tokens.scope.${value}`),
			...(value === "read" ? { help: t("tokens.scope.read.help") } : {}),
		})),
	},
]);

export function TokensCard() {
	const { value, error, reload } = useDevice<TokenList>(PATH);
	const keepError = useStore(keepFailure);
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
		if (id === reader()?.id) forgetReader();
		reload();
	};
	return (
		<Card title={t("tokens.title")}>
			<p>{t("tokens.intro")}</p>
			{keepError && <ErrorNotice error={keepError} text={`${t("login.keep.failed")} ${errorText(keepError)}`} />}
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<div ref={place} tabIndex={-1}>
					<Tokens list={value} onRevoke={setRevoking} />
					{value.tokens.length >= value.max ? (
						<Notice kind="info">{t("error.token_slots_full")}</Notice>
					) : (
						<Form
							// A new key clears the form after each token that was made.
							key={value.tokens.length}
							fields={FIELDS}
							values={{ scope: "read" }}
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
	const own = reader()?.id;
	const { timeZone } = useZone();
	if (tokens.length === 0) return <p class="help">{t("tokens.none")}</p>;
	return (
		<>
			<ul class="rows">
				{tokens.map((token) => (
					<li key={token.id}>
						<div>
							<b>{token.name}</b> {token.scope === "read" && <span class="mark">{t("tokens.scope.read")}</span>}{" "}
							{token.id === own && <span class="mark">{t("tokens.this")}</span>}
							<small>
								{token.created > 0
									? t("tokens.created", { time: formatMoment(token.created, language, timeZone) })
									: t("read.timeless")}
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

/** Shows a new token. Only the button closes this dialog, because the token cannot be shown again. */
function MadeToken({ made, onClose }: { made: NewToken; onClose: () => void }) {
	const { name, token, scope } = made;
	return (
		<Dialog title={t("tokens.made", { name })} textFirst>
			<Notice kind="warning">{t("tokens.once")}</Notice>
			{scope === "read" && <DisplayLink token={token} />}
			<pre class="token">{token}</pre>
			<div class="actions">
				<CopyButton text={() => token} label={t("tokens.copy")} />
			</div>
			<div class="actions">
				<Button kind="main" name="stored" onClick={onClose}>
					{t("tokens.stored")}
				</Button>
			</div>
		</Dialog>
	);
}

/** Shows the link that makes a device a display, also as a QR code for the device's camera. */
function DisplayLink({ token }: { token: string }) {
	const link = displayLink(token);
	return (
		<>
			<p>{t("display.how")}</p>
			<QRCode text={link} label={t("display.code")} />
			<p>
				<a class="link" href={link} target="_blank" rel="noreferrer">
					{link}
				</a>
			</p>
			<div class="actions">
				<CopyButton text={() => link} />
			</div>
		</>
	);
}

/** Width of the white margin in modules (ISO/IEC 18004). */
const QUIET = 4;

/** A QR code. It is black on white in every theme, because cameras need this contrast. */
function QRCode({ text, label }: { text: string; label: string }) {
	const [drawing, setDrawing] = useState<{ readonly size: number; readonly path: string }>();
	useEffect(() => {
		// If the code cannot be loaded, only the link is shown.
		import("lean-qr/nano").then(
			({ generate }) => {
				const code = generate(text);
				const { size } = code;
				const cells = Array.from({ length: size * size }, (_, at) => [at % size, Math.floor(at / size)]);
				const dark = cells.filter(([x, y]) => code.get(x, y));
				setDrawing({ size, path: dark.map(([x, y]) => `M${x + QUIET} ${y + QUIET}h1v1h-1z`).join("") });
			},
			() => undefined,
		);
	}, [text]);
	if (drawing === undefined) return null;
	const side = drawing.size + 2 * QUIET;
	return (
		<svg class="code" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shape-rendering="crispEdges">
			<rect width={side} height={side} fill="#fff" />
			<path d={drawing.path} fill="#000" />
		</svg>
	);
}
