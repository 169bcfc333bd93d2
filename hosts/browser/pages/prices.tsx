/** The prices of electricity, which stay in this browser. */
import { useId } from "preact/hooks";
import { Choice } from "../kit/choices.js";
import { Card } from "../kit/parts.js";
import { CURRENCIES, priceOf, prices } from "../kit/prices.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";

export function PriceCard() {
	const now = useStore(prices);
	return (
		<Card title={t("price.title")} wide>
			<p class="help">{t("price.help")}</p>
			<div class="tools">
				<Price name="import" label={t("price.import")} />
				<Price name="export" label={t("price.export")} />
				<Choice
					label={t("price.currency")}
					name="currency"
					value={now.currency}
					ways={CURRENCIES.map((currency) => [currency, currency])}
					onChoose={(currency) => prices.set({ ...now, currency })}
				/>
			</div>
		</Card>
	);
}

function Price({ name, label }: { name: "import" | "export"; label: string }) {
	const now = useStore(prices);
	const id = useId();
	const isWrong = now[name] !== "" && priceOf(now[name]) === undefined;
	return (
		<label>
			{label}
			<input
				name={name}
				inputmode="decimal"
				autocomplete="off"
				aria-invalid={isWrong}
				aria-describedby={isWrong ? id : undefined}
				value={now[name]}
				onInput={(event) => prices.set({ ...now, [name]: event.currentTarget.value })}
			/>
			{isWrong && (
				<span class="fault" id={id}>
					{t("price.form")}
				</span>
			)}
		</label>
	);
}
