/** Form for the electricity prices that the gateway stores. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
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
import type { PricePreviewProps } from "./use.js";

const PATH = "prices";
/** First day of a price that has no beginning. */
const ALWAYS = "2000-01-01";
const { periods: LIST } = PRICES;
/** Currencies, with the highest price of 1 kWh that is taken without a question. */
const CURRENCIES = { EUR: 2, PLN: 8, CHF: 2, CZK: 50, DKK: 15, GBP: 2, HUF: 800, NOK: 20, SEK: 20, USD: 2 };

/**
 * Field for a decimal number. `pattern` limits the digits before the point, so that the number is within the gateway's
 * bounds.
 */
const decimal = (pattern: RegExp) =>
	({ kind: "text", inputmode: "decimal", pattern, form: { says: "price.form" } }) as const;
const PER_KWH = decimal(/^\s*-?\d{1,3}([.,]\d{0,6})?\s*$/);

/** `isFirst`: the price may have no beginning, because it is the oldest. */
function fieldsOf(currency: string, unit: string, isFirst: boolean): readonly FieldSpec[] {
	const currencies = new Set([currency, ...Object.keys(CURRENCIES)]);
	return [
		{ name: "from", label: isFirst ? "price.from.first" : "price.from", kind: "date", required: !isFirst },
		{ name: "import_micro", label: "price.import", ...PER_KWH, unit, required: true },
		{ name: "import_t2_micro", label: "price.tariff2", ...PER_KWH, unit },
		{ name: "export_micro", label: "price.export", ...PER_KWH, unit },
		{ name: "base_micro", label: "price.base", ...decimal(/^\s*\d{1,5}([.,]\d{0,6})?\s*$/), unit },
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
		from: from === ALWAYS ? "" : from,
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
		from: String(draft["from"] || ALWAYS),
		import_micro: micro("import_micro"),
		...(draft["import_t2_micro"] === "" ? {} : { import_t2_micro: micro("import_t2_micro") }),
		export_micro: micro("export_micro") || 0,
		base_micro: micro("base_micro") || 0,
		base_per: draft["base_per"] === "year" ? "year" : "month",
	};
}

/** Returns the unit of an amount of money, for example €. */
function symbolOf(currency: string): string {
	const parts = new Intl.NumberFormat(language, { style: "currency", currency }).formatToParts(0);
	return parts.find(({ type }) => type === "currency")?.value ?? currency;
}

/** Returns true if a price was probably typed in hundredths, as bills give it. */
function isMuch({ import_micro, import_t2_micro = 0, export_micro = 0 }: PricePeriod, currency: string): boolean {
	const limit = CURRENCIES[currency as keyof typeof CURRENCIES] ?? Number.POSITIVE_INFINITY;
	return Math.max(import_micro, import_t2_micro, export_micro) > limit * 1e6;
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
	const [draft, setDraft] = useState<Draft>();
	/** Prices that are high, until the owner has confirmed them. */
	const [asking, setAsking] = useState<Draft>();
	const [Preview, setPreview] = useState<ComponentType<PricePreviewProps>>();
	useEffect(() => {
		import("./use.js").then(
			({ PricePreview }) => setPreview(() => PricePreview),
			() => undefined,
		);
	}, []);
	if (value === undefined) {
		return (
			<Card title={t("price.title")}>
				<Pending error={error} reload={reload} />
			</Card>
		);
	}
	const { periods, currency } = value;
	const typedCurrency = String(draft?.["currency"] ?? currency);
	const send = async (next: Prices) => put(await post<Prices>(PATH, next));
	const newest = [...periods].sort((one, other) => other.from.localeCompare(one.from));
	const isFull = periods.length >= LIST.max;
	const oldest = newest.at(-1);
	const isFirst = oldest === undefined || oldest === changing;
	const save = async (draft: Draft) => {
		const period = periodOf(draft);
		const others = periods.filter((one) => one !== changing && one.from !== period.from);
		await send({ periods: [...others, period], currency: String(draft["currency"]) });
		setChanging(undefined);
		setDraft(undefined);
	};
	const submit = async (draft: Draft) => {
		if (isMuch(periodOf(draft), String(draft["currency"]))) setAsking(draft);
		else await save(draft);
	};
	const change = (period: PricePeriod | undefined) => {
		setChanging(period);
		setDraft(period && { ...draftOf(period), currency });
	};
	const sinceOf = (period: PricePeriod) =>
		period.from === ALWAYS ? t("price.always") : t("price.since", { day: formatDate(period.from, language) });
	return (
		<Card title={t("price.title")}>
			<p class="help">{t("price.help")}</p>
			<ul class="rows lines">
				{newest.map((period) => (
					<li key={period.from}>
						<div>
							<b>{sinceOf(period)}</b>
							<small>{textOf(period, currency)}</small>
						</div>
						<Button
							name="change"
							aria-label={`${t("price.change")}: ${sinceOf(period)}`}
							onClick={() => change(period)}
						>
							{t("price.change")}
						</Button>
						<Button name="remove" aria-label={`${t("remove")}: ${sinceOf(period)}`} onClick={() => setRemoving(period)}>
							{t("remove")}
						</Button>
					</li>
				))}
			</ul>
			{isFull && changing === undefined ? (
				<Notice kind="info">{t("price.full", { n: periods.length })}</Notice>
			) : (
				<>
					{changing && <h3>{`${t("price.change")}: ${sinceOf(changing)}`}</h3>}
					<Form
						// A new key resets the form after each change.
						key={JSON.stringify([periods, changing])}
						fields={fieldsOf(currency, symbolOf(typedCurrency), isFirst)}
						values={{ ...(changing === undefined ? { base_per: "month" } : draftOf(changing)), currency }}
						doneText=""
						submit={submit}
						onDraft={setDraft}
						actions={changing && <Button onClick={() => change(undefined)}>{t("cancel")}</Button>}
					>
						{draft && Preview && <Preview period={periodOf(draft)} currency={typedCurrency} />}
					</Form>
				</>
			)}
			{asking && (
				<Confirm
					title={t("price.much", { price: textOf(periodOf(asking), String(asking["currency"])) })}
					action={t("save")}
					run={() => save(asking)}
					onClose={() => setAsking(undefined)}
				>
					<p>{t("price.much.help")}</p>
				</Confirm>
			)}
			{removing && (
				<Confirm
					title={t("price.remove.ask", { price: sinceOf(removing) })}
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
