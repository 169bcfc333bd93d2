/** Form for the electricity prices that the gateway stores. */
import { useState } from "preact/hooks";
import { PRICES } from "../kit/bodies.js";
import { Button, Card, Notice, Pending } from "../kit/components.js";
import { decimalCell, microOf } from "../kit/csv.js";
import { post } from "../kit/device.js";
import { Confirm } from "../kit/dialog.js";
import type { Draft, FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { formatDate, withMinus } from "../kit/format.js";
import type { PricePeriod, Prices } from "../kit/replies.js";
import { language, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";

const PATH = "prices";
const { periods: LIST } = PRICES;
const CURRENCIES = ["EUR", "PLN", "CHF", "CZK", "DKK", "GBP", "HUF", "NOK", "SEK", "USD"];

/**
 * Field for a decimal number. `pattern` limits the digits before the point, so that the number is within the gateway's
 * bounds.
 */
const decimal = (pattern: RegExp) =>
	({ kind: "text", inputmode: "decimal", pattern, form: { says: "price.form" } }) as const;
const PER_KWH = decimal(/^\s*-?\d{1,3}([.,]\d{0,6})?\s*$/);

function fieldsOf(currency: string): readonly FieldSpec[] {
	const currencies = new Set([currency, ...CURRENCIES]);
	return [
		{ name: "from", label: "price.from", kind: "date", required: true },
		{ name: "import_micro", label: "price.import", ...PER_KWH, required: true },
		{ name: "import_t2_micro", label: "price.tariff2", ...PER_KWH },
		{ name: "export_micro", label: "price.export", ...PER_KWH },
		{ name: "base_micro", label: "price.base", ...decimal(/^\s*\d{1,5}([.,]\d{0,6})?\s*$/) },
		{
			name: "base_per",
			label: "price.per",
			kind: "choice",
			choices: LIST.items.base_per.choices.map((value) => ({ value, label: t(`per.${value}`) })),
		},
		{
			name: "currency",
			label: "price.currency",
			kind: "choice",
			choices: [...currencies].map((value) => ({ value, label: value })),
		},
	];
}

/** Returns the text for an input, or "" if there is no price. */
function typed(micro: number | undefined): string {
	return micro === undefined ? "" : decimalCell(String(micro / 1e6), language);
}

function draftOf({ from, import_micro, import_t2_micro, export_micro, base_micro, base_per = "month" }: PricePeriod) {
	return {
		from,
		base_per,
		import_micro: typed(import_micro),
		import_t2_micro: typed(import_t2_micro),
		export_micro: typed(export_micro),
		base_micro: typed(base_micro),
	};
}

function periodOf(draft: Draft): PricePeriod {
	const micro = (name: string) => microOf(String(draft[name]));
	return {
		from: String(draft["from"]),
		import_micro: micro("import_micro"),
		...(draft["import_t2_micro"] === "" ? {} : { import_t2_micro: micro("import_t2_micro") }),
		export_micro: micro("export_micro") || 0,
		base_micro: micro("base_micro") || 0,
		base_per: draft["base_per"] === "year" ? "year" : "month",
	};
}

function textOf(period: PricePeriod, currency: string): string {
	const { import_micro, import_t2_micro, export_micro, base_micro, base_per = "month" } = period;
	const format = new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: 6 });
	const priced = (name: string, micro: number) => `${name}: ${withMinus(format.format(micro / 1e6))}`;
	const parts = [priced(t("price.import"), import_micro)];
	if (import_t2_micro !== undefined) parts.push(priced(t("counter.tariff", { n: 2 }), import_t2_micro));
	if (export_micro) parts.push(priced(t("price.export"), export_micro));
	if (base_micro) parts.push(priced(`${t("price.per")} ${t(`per.${base_per}`)}`, base_micro));
	return parts.join(" · ");
}

export function PriceCard() {
	const { value, error, reload, put } = useDevice<Prices>(PATH);
	const [changing, setChanging] = useState<PricePeriod>();
	const [removing, setRemoving] = useState<PricePeriod>();
	if (value === undefined) {
		return (
			<Card title={t("price.title")}>
				<Pending error={error} reload={reload} />
			</Card>
		);
	}
	const { periods, currency } = value;
	const send = async (next: Prices) => put(await post<Prices>(PATH, next));
	const newest = [...periods].sort((one, other) => other.from.localeCompare(one.from));
	const isFull = periods.length >= LIST.max;
	const save = async (draft: Draft) => {
		const period = periodOf(draft);
		const others = periods.filter((one) => one !== changing && one.from !== period.from);
		await send({ periods: [...others, period], currency: String(draft["currency"]) });
		setChanging(undefined);
	};
	const dayOf = ({ from }: PricePeriod) => formatDate(from, language);
	return (
		<Card title={t("price.title")}>
			<p class="help">{t("price.help")}</p>
			<ul class="rows lines">
				{newest.map((period) => (
					<li key={period.from}>
						<div>
							<b>{t("price.since", { day: dayOf(period) })}</b>
							<small>{textOf(period, currency)}</small>
						</div>
						<Button
							name="change"
							aria-label={`${t("price.change")}: ${dayOf(period)}`}
							onClick={() => setChanging(period)}
						>
							{t("price.change")}
						</Button>
						<Button name="remove" aria-label={`${t("remove")}: ${dayOf(period)}`} onClick={() => setRemoving(period)}>
							{t("remove")}
						</Button>
					</li>
				))}
			</ul>
			{isFull && changing === undefined ? (
				<Notice kind="info">{t("price.full", { n: periods.length })}</Notice>
			) : (
				<>
					{changing && <h3>{`${t("price.change")}: ${dayOf(changing)}`}</h3>}
					<Form
						// A new key resets the form after each change.
						key={JSON.stringify([periods, changing])}
						fields={fieldsOf(currency)}
						values={{ ...(changing === undefined ? { base_per: "month" } : draftOf(changing)), currency }}
						doneText=""
						submit={save}
						actions={changing && <Button onClick={() => setChanging(undefined)}>{t("cancel")}</Button>}
					/>
				</>
			)}
			{removing && (
				<Confirm
					title={t("price.remove.ask", { day: dayOf(removing) })}
					action={t("remove")}
					danger
					run={() => send({ periods: periods.filter((one) => one !== removing), currency })}
					onClose={() => setRemoving(undefined)}
				>
					<p>{t("price.help")}</p>
				</Confirm>
			)}
		</Card>
	);
}
