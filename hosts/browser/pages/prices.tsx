/** Form for the prices that the gateway stores. */
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
import type { Medium } from "../kit/money.js";
import type { PricePeriod, Prices } from "../kit/replies.js";
import { language, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import type { PricePreviewProps } from "./use.js";

const PATH = "prices";
// The modules of the costs have these two as well. Importing them would move the costs into the script of the settings.
/** First day of a price that has no beginning. */
const ALWAYS = "2000-01-01";
const isWindow = ({ weekdays }: PricePeriod) => weekdays !== undefined;

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

/** Hundredths of currencies in which bills are written. */
const SMALL: Readonly<Record<string, string>> = {
	EUR: "ct",
	PLN: "gr",
	CHF: "Rp.",
	DKK: "øre",
	GBP: "p",
	NOK: "øre",
	SEK: "öre",
	USD: "¢",
};
const NAMES = { electricity: "use.energy", gas: "use.gas", water: "use.water", heat: "use.heat" } as const;
const WINDOW = "window";
/** Every day, Monday to Friday, weekend. */
const WEEKDAYS = [127, 31, 96];
const WEEK = [0, 1, 2, 3, 4, 5, 6];
const CLOCK = {
	kind: "text",
	pattern: /^([01]?\d|2[0-3]):(00|15|30|45)$|^24:00$/,
	form: { says: "price.clock" },
	required: true,
} as const;

const isUse =
	(...uses: readonly string[]) =>
	({ use }: Draft) =>
		uses.includes(String(use));
const OF_WINDOW = isUse(WINDOW);
const OF_PERIOD = (draft: Draft) => !OF_WINDOW(draft);
const OF_ENERGY = isUse("electricity");

/** `isFirst`: the price may have no beginning, because it is the oldest. */
function fieldsOf(
	{ use, weekdays, currency, small }: Draft,
	hasEnergy: boolean,
	isFirst: boolean,
): readonly FieldSpec[] {
	const whole = symbolOf(String(currency));
	const hundredth = SMALL[String(currency)];
	const unit = small === "1" && hundredth ? hundredth : whole;
	const currencies = new Set([String(currency), ...Object.keys(CURRENCIES)]);
	const uses = [...Object.entries(NAMES).map(([value, name]) => ({ value, label: t(name) }))];
	return [
		{
			name: "use",
			label: "use.what",
			kind: "choice",
			choices: hasEnergy ? [...uses, { value: WINDOW, label: t("price.window") }] : uses,
		},
		{
			name: "from",
			label: isFirst ? "price.from.first" : "price.from",
			kind: "date",
			required: !isFirst,
			when: OF_PERIOD,
		},
		{
			name: "weekdays",
			label: "price.days",
			kind: "choice",
			choices: [...new Set([...WEEKDAYS, Number(weekdays)])].map(weekdaysChoice),
			when: OF_WINDOW,
		},
		{ name: "start", label: "use.from", ...CLOCK, when: OF_WINDOW },
		{ name: "end", label: "use.to", ...CLOCK, when: OF_WINDOW },
		{
			name: "import_micro",
			label: use === "gas" || use === "water" ? "price.cubic" : "price.import",
			...PER_KWH,
			unit,
			required: true,
		},
		{ name: "import_t2_micro", label: "price.tariff2", ...PER_KWH, unit, when: OF_ENERGY },
		{ name: "export_micro", label: "price.export", ...PER_KWH, unit, when: OF_ENERGY },
		{
			name: "base_micro",
			label: "price.base",
			...decimal(/^\s*\d{1,5}([.,]\d{0,6})?\s*$/),
			unit: whole,
			when: OF_PERIOD,
		},
		{
			name: "base_per",
			label: "price.per",
			kind: "choice",
			choices: LIST.items.base_per.choices.map((value) => ({ value, label: t(`per.${value}`) })),
			when: OF_PERIOD,
		},
		{ name: "dynamic", label: "price.dynamic", help: "price.dynamic.help", kind: "toggle", when: OF_ENERGY },
		{
			name: "small",
			label: "price.unit",
			kind: "choice",
			choices: [{ value: "", label: whole }, ...(hundredth ? [{ value: "1", label: hundredth }] : [])],
		},
		{
			name: "currency",
			label: "price.currency",
			kind: "choice",
			choices: [...currencies].map((value) => ({ value, label: value })),
		},
	];
}

/** Returns the names of the weekdays, from Monday on (bit 0). */
function weekdaysText(mask: number): string {
	const format = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
	// 1970-01-05 was a Monday.
	const names = WEEK.filter((day) => mask & (1 << day)).map((day) => format.format((day + 4) * 86_400_000));
	return names.length === WEEK.length ? t("price.daily") : names.join(", ");
}

function weekdaysChoice(value: number) {
	return { value, label: weekdaysText(value) };
}

function clockText(minute = 0): string {
	return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

function minuteOf(clock: string): number {
	const [hour, minute] = clock.split(":").map(Number);
	return hour * 60 + minute;
}

/** Returns the text for an input, or "" if there is no price. `unit`: millionths of the currency in the unit. */
function typed(micro: number | undefined, unit: number): string {
	return micro === undefined ? "" : decimalCell(String(micro / unit), language);
}

function draftOf(period: PricePeriod, small: boolean): Draft {
	const { from, medium = "electricity", base_per = "month", weekdays = WEEKDAYS[0], start_minute, end_minute } = period;
	const unit = small ? 1e4 : 1e6;
	return {
		use: isWindow(period) ? WINDOW : medium,
		from: from === ALWAYS ? "" : from,
		base_per,
		import_micro: typed(period.import_micro, unit),
		import_t2_micro: typed(period.import_t2_micro, unit),
		export_micro: typed(period.export_micro, unit),
		base_micro: typed(period.base_micro, 1e6),
		dynamic: period.dynamic === true,
		weekdays,
		start: clockText(start_minute),
		end: clockText(end_minute),
		small: small ? "1" : "",
	};
}

/** `first`: first day of the period to which a window belongs. */
function periodOf(draft: Draft, first: string): PricePeriod {
	const micro = (name: string) => {
		const all = microOf(String(draft[name]));
		return draft["small"] && name !== "base_micro" ? Math.round(all / 100) : all;
	};
	const import_micro = micro("import_micro");
	if (OF_WINDOW(draft)) {
		const { weekdays, start, end } = draft;
		return {
			from: first,
			import_micro,
			weekdays: Number(weekdays),
			start_minute: minuteOf(String(start)) % 1440,
			end_minute: minuteOf(String(end)) || 1440,
		};
	}
	const isEnergy = OF_ENERGY(draft);
	return {
		from: String(draft["from"] || ALWAYS),
		import_micro,
		...(isEnergy ? {} : { medium: draft["use"] as Medium }),
		...(isEnergy && draft["import_t2_micro"] !== "" ? { import_t2_micro: micro("import_t2_micro") } : {}),
		export_micro: (isEnergy && micro("export_micro")) || 0,
		base_micro: micro("base_micro") || 0,
		base_per: draft["base_per"] === "year" ? "year" : "month",
		...(isEnergy && draft["dynamic"] ? { dynamic: true } : {}),
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
	const { medium, import_micro, import_t2_micro, export_micro, base_micro, base_per = "month" } = period;
	const format = new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: 6 });
	const priced = (name: string, micro: number) => `${name}: ${withMinus(format.format(micro / 1e6))}`;
	const parts = [priced(t(medium === "gas" || medium === "water" ? "price.cubic" : "price.import"), import_micro)];
	if (import_t2_micro !== undefined) parts.push(priced(t("counter.tariff", { n: 2 }), import_t2_micro));
	if (export_micro) parts.push(priced(t("price.export"), export_micro));
	if (base_micro) parts.push(priced(`${t("price.per")} ${t(`per.${base_per}`)}`, base_micro));
	if (period.dynamic) parts.push(t("price.dynamic"));
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
	const send = async (next: Prices) => put(await post<Prices>(PATH, next));
	const mediumOf = ({ medium = "electricity" }: PricePeriod) => medium;
	const order = (period: PricePeriod) =>
		`${9 - Object.keys(NAMES).indexOf(mediumOf(period))} ${period.from} ${isWindow(period) ? 0 : 1}`;
	const newest = [...periods].sort((one, other) => order(other).localeCompare(order(one)));
	const isFull = periods.length >= LIST.max;
	const isSmall = language === "de" && SMALL[currency] !== undefined;
	const latest = newest.find((one) => !isWindow(one) && mediumOf(one) === "electricity");
	// A new price begins with the last one, because usually few of its values change.
	const initial: Draft = {
		...(changing
			? draftOf(changing, isSmall)
			: { ...draftOf(latest ?? { from: ALWAYS, import_micro: Number.NaN }, isSmall), from: "" }),
		...(changing || latest ? {} : { import_micro: "" }),
		currency,
	};
	const now = draft ?? initial;
	const typedCurrency = String(now["currency"]);
	const period = periodOf(now, changing?.from ?? latest?.from ?? ALWAYS);
	const own = newest.filter((one) => !isWindow(one) && mediumOf(one) === mediumOf(period));
	const isFirst = own.length === 0 || own[own.length - 1] === changing;
	const save = async (draft: Draft) => {
		const period = periodOf(draft, changing?.from ?? latest?.from ?? ALWAYS);
		const isSame = (one: PricePeriod) =>
			one === changing || (one.from === period.from && mediumOf(one) === mediumOf(period) && !isWindow(one));
		const others = periods.filter((one) => (isWindow(period) ? one !== changing : !isSame(one)));
		// The windows of a period that now begins on another day stay its windows.
		const moved = others.map((one) =>
			changing && !isWindow(period) && isWindow(one) && one.from === changing.from && !period.medium
				? { ...one, from: period.from }
				: one,
		);
		await send({ periods: [...moved, period], currency: String(draft["currency"]) });
		setChanging(undefined);
		setDraft(undefined);
	};
	const submit = async (draft: Draft) => {
		if (isMuch(periodOf(draft, ALWAYS), String(draft["currency"]))) setAsking(draft);
		else await save(draft);
	};
	const change = (period: PricePeriod | undefined) => {
		setChanging(period);
		setDraft(period && { ...draftOf(period, isSmall), currency });
	};
	const sinceOf = (period: PricePeriod) => {
		if (isWindow(period)) {
			const { weekdays = 0, start_minute, end_minute } = period;
			return `${clockText(start_minute)} – ${clockText(end_minute)}, ${weekdaysText(weekdays)}`;
		}
		const since =
			period.from === ALWAYS ? t("price.always") : t("price.since", { day: formatDate(period.from, language) });
		return period.medium ? `${t(NAMES[period.medium])}: ${since}` : since;
	};
	const without = (period: PricePeriod) =>
		periods.filter(
			(one) => one !== period && (isWindow(period) || period.medium || !isWindow(one) || one.from !== period.from),
		);
	return (
		<Card title={t("price.title")}>
			<p class="help">{t("price.help")}</p>
			<ul class="rows lines">
				{newest.map((period) => (
					<li key={JSON.stringify(period)}>
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
						fields={fieldsOf(now, latest !== undefined, isFirst)}
						values={initial}
						submitLabel={t("save")}
						doneText=""
						submit={submit}
						onDraft={setDraft}
						actions={changing && <Button onClick={() => change(undefined)}>{t("cancel")}</Button>}
					>
						{draft && Preview && OF_ENERGY(draft) && <Preview period={period} currency={typedCurrency} />}
					</Form>
				</>
			)}
			{asking && (
				<Confirm
					title={t("price.much", { price: textOf(periodOf(asking, ALWAYS), String(asking["currency"])) })}
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
					run={() => send({ periods: without(removing), currency })}
					onClose={() => setRemoving(undefined)}
				>
					<p>{t("price.help")}</p>
				</Confirm>
			)}
		</Card>
	);
}
