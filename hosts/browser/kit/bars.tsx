/**
 * Amounts over time as bars, drawn as SVG at the available width in pixels. The chart works with mouse and finger. For
 * keyboard and screen reader it is a slider: the arrow keys move from bar to bar, and each bar is described in words.
 */
import { useRef, useState } from "preact/hooks";
import { ticksOf, useWidth } from "./curve.js";

export interface Bar {
	/** Beginning of the bar on the time axis, in any unit of constant length. */
	readonly from: number;
	readonly to: number;
	/** Heights above and below the zero line. Neither of them is negative. */
	readonly up: number;
	readonly down: number;
	/**
	 * `gap` means that it is unknown how the amount is spread over this time. `soft` means that the amount is less
	 * certain than others.
	 */
	readonly kind: "plain" | "soft" | "gap";
	/** True if the bar is marked, for example because the meter was exchanged. */
	readonly isMarked: boolean;
	readonly text: string;
}

export interface Tick {
	readonly at: number;
	readonly text: string;
}

/** An amount of another time for comparison. */
export type OtherBar = Pick<Bar, "from" | "to" | "up">;

interface BarsProps {
	readonly bars: readonly Bar[];
	/** Pale bars behind the others. */
	readonly before?: readonly OtherBar[];
	/** Amounts that are drawn as a short line at their height. */
	readonly ago?: readonly OtherBar[];
	readonly from: number;
	readonly to: number;
	readonly ticks: readonly Tick[];
	/** Description for screen readers. */
	readonly description: string;
	/** Index of the bar that is chosen at first; without it, or if it is -1, the latest one. */
	readonly first?: number;
	format(value: number): string;
	/** Called when a bar is tapped, or at Enter. */
	readonly onOpen?: ((index: number) => void) | undefined;
	/** Called at a swipe, and at Page Up (-1) and Page Down (1). */
	readonly onTurn?: ((step: number) => void) | undefined;
}

const HEIGHT = 240;
const TOP = 14;
const BOTTOM = 26;
/** Width of a digit in the font size of the style sheet, pixels. */
const DIGIT = 7.5;
/** Bars wider than this, in pixels, get larger gaps between them. */
const WIDE = 8;

/** A pointer that moves by more than this between pressing and releasing does not tap, pixels. */
const TAP = 10;
/** A swipe is at least this long, pixels, and takes at most this time, ms. */
const SWIPE = 50;
const SWIPE_MS = 500;

const KEYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

export function Bars(props: BarsProps) {
	const { bars, description, first = -1 } = props;
	const { element, width, scale } = useWidth();
	/** Index of the chosen bar. Undefined means the first or latest bar, even when more bars arrive. */
	const [chosen, setChosen] = useState<number>();
	const index = Math.min(chosen ?? (first < 0 ? bars.length : first), bars.length - 1);
	const press = (event: KeyboardEvent) => {
		if (event.key === "Enter") props.onOpen?.(index);
		if (event.key === "PageUp" || event.key === "PageDown") {
			event.preventDefault();
			props.onTurn?.(event.key === "PageUp" ? -1 : 1);
		}
		const step = KEYS[event.key];
		const next = event.key === "Home" ? 0 : event.key === "End" ? bars.length - 1 : index + (step ?? Number.NaN);
		if (Number.isNaN(next)) return;
		event.preventDefault();
		setChosen(Math.max(0, Math.min(bars.length - 1, next)));
	};
	return (
		<>
			<div
				class="curve bars"
				ref={element}
				role="slider"
				tabIndex={0}
				aria-label={description}
				aria-valuemin={1}
				aria-valuemax={bars.length}
				aria-valuenow={index + 1}
				aria-valuetext={bars[index].text}
				onKeyDown={press}
			>
				{width > 0 && <Drawing {...props} {...{ width, scale }} chosen={index} onChoose={setChosen} />}
			</div>
			<p class="chosen">
				{bars[index].text
					.replace(/([,:]) /g, "$1\n")
					.split("\n")
					.map((part) => (
						<>
							<span>{part}</span>{" "}
						</>
					))}
			</p>
		</>
	);
}

interface DrawingProps extends BarsProps {
	readonly width: number;
	readonly scale: number;
	readonly chosen: number;
	onChoose(index: number): void;
}

function Drawing(props: DrawingProps) {
	const { bars, before = [], ago = [], from, to, ticks, format, chosen, onChoose, onOpen, onTurn } = props;
	const { width, scale } = props;
	const pressed = useRef({ x: 0, ms: 0 });
	const sure = bars.filter(({ kind }) => kind !== "gap");
	// The axis below 0 ends at the deepest bar. A whole step for a little export would flatten the bars above 0.
	const low = -Math.max(0, ...sure.map(({ down }) => down));
	const all = ticksOf(low, Math.max(0, ...[...sure, ...before, ...ago].map(({ up }) => up)));
	const high = all[all.length - 1];
	const steps = all.filter((step) => step >= low);
	const labels = steps.map((step) => format(Math.abs(step)));
	const left = Math.max(...labels.map(({ length }) => length)) * DIGIT + 10;
	const right = width - 4;
	const longest = Math.max(0, ...ticks.map(({ text }) => text.length)) * DIGIT;
	const every = Math.ceil((longest * ticks.length) / (right - left));
	const x = (at: number) => left + ((at - from) / (to - from)) * (right - left);
	const y = (value: number) => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
	const nearest = ({ currentTarget, clientX }: PointerEvent) => {
		const at = (clientX - (currentTarget as Element).getBoundingClientRect().left) / scale;
		const distance = (bar: Bar) => Math.max(x(bar.from) - at, at - x(bar.to));
		return bars.reduce((best, bar, index) => (distance(bar) < distance(bars[best]) ? index : best), 0);
	};
	const choose = (event: PointerEvent) => onChoose(nearest(event));
	const press = (event: PointerEvent) => {
		pressed.current = { x: event.clientX, ms: event.timeStamp };
		choose(event);
	};
	const release = (event: PointerEvent) => {
		const { x: start, ms } = pressed.current;
		const moved = event.clientX - start;
		if (Math.abs(moved) < TAP) onOpen?.(nearest(event));
		else if (Math.abs(moved) > SWIPE && event.timeStamp - ms < SWIPE_MS) onTurn?.(moved < 0 ? 1 : -1);
	};
	return (
		<svg
			viewBox={`0 0 ${width} ${HEIGHT}`}
			width={width * scale}
			height={HEIGHT * scale}
			class={onOpen && "opens"}
			aria-hidden="true"
			onPointerMove={choose}
			onPointerDown={press}
			onPointerUp={release}
		>
			{steps.map((step, index) => (
				<g key={step}>
					<line class="grid" x1={left} x2={right} y1={y(step)} y2={y(step)} />
					<text x={left - 8} y={y(step) + 4} text-anchor="end">
						{labels[index]}
					</text>
				</g>
			))}
			{ticks
				.filter((_, index) => index % every === 0)
				.map(({ at, text }) => (
					<text key={at} x={x(at)} y={HEIGHT - 6} text-anchor="middle">
						{text}
					</text>
				))}
			{before.map((bar) => (
				<rect
					key={bar.from}
					class="before"
					x={x(bar.from)}
					width={Math.max(0.5, x(Math.min(to, bar.to)) - x(bar.from) - 1)}
					y={y(bar.up)}
					height={y(0) - y(bar.up)}
				/>
			))}
			{bars.map((bar, index) => {
				const start = x(Math.max(from, bar.from));
				const room = x(Math.min(to, bar.to)) - start;
				const isInFront = before.length > 0 && room > WIDE;
				const air = isInFront ? room * 0.4 : room > WIDE ? 2 : Math.min(1, room / 4);
				const box = { x: start + air / 2, width: Math.max(0.5, room - air) };
				return (
					<g key={bar.from} class={`${bar.kind}${index === chosen ? " chosen" : ""}`}>
						{bar.kind === "gap" ? (
							<rect class="gap" {...box} y={TOP} height={HEIGHT - TOP - BOTTOM} />
						) : (
							<>
								<rect class="up" {...box} y={y(bar.up)} height={y(0) - y(bar.up)} />
								<rect class="down" {...box} y={y(0)} height={y(-bar.down) - y(0)} />
							</>
						)}
						{bar.isMarked && <circle cx={start + room / 2} cy={6} r={4} />}
						{index === chosen && <path class="pointer" d={`M${start + room / 2} ${HEIGHT - BOTTOM + 1}l4 7h-8z`} />}
					</g>
				);
			})}
			{ago.map((bar) => (
				<path key={bar.from} class="ago" d={`M${x(bar.from)} ${y(bar.up)}H${x(Math.min(to, bar.to)) - 1}`} />
			))}
			<line class="axis" x1={left} x2={right} y1={y(0)} y2={y(0)} />
		</svg>
	);
}
