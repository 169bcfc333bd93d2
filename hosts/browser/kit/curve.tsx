/**
 * A curve of values over time, drawn as SVG at the available width in pixels, so that its text has the same size on
 * every screen.
 */
import { useEffect, useRef, useState } from "preact/hooks";

export interface Point {
	/** Unix ms by this browser's clock. */
	readonly atMs: number;
	readonly value: number;
}

interface CurveProps {
	readonly points: readonly Point[];
	/** Description for screen readers. */
	readonly description: string;
	format(value: number): string;
	formatTime(ms: number): string;
}

const HEIGHT = 200;
const BOTTOM = 26;
const TOP = 10;
const RIGHT = 10;
/** Width of a digit in the font size of the style sheet, pixels. */
const DIGIT = 7.5;
/** Smallest distance between two time labels, pixels. */
const TIME_WIDTH = 150;
/** The points are marked if there are at most this many. */
const MARKED_LIMIT = 30;

/** Returns at most six round numbers that cover the range. */
export function ticksOf(low: number, high: number): number[] {
	const span = high - low || 10;
	const power = 10 ** Math.floor(Math.log10(span / 3));
	const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 4) ?? power * 10;
	const first = Math.floor(low / step);
	const count = Math.max(1, Math.ceil(high / step) - first);
	return Array.from({ length: count + 1 }, (_, index) => (first + index) * step);
}

/** Returns the width of an element in pixels, and a reference to attach to the element. */
export function useWidth() {
	const element = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(0);
	useEffect(() => {
		if (element.current === null) return;
		const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)));
		observer.observe(element.current);
		return () => observer.disconnect();
	}, []);
	return { element, width };
}

export function Curve(props: CurveProps) {
	const { element, width } = useWidth();
	return (
		<div class="curve" ref={element}>
			{width > 0 && <Drawing {...props} width={width} />}
		</div>
	);
}

function Drawing({ points, description, format, formatTime, width }: CurveProps & { readonly width: number }) {
	const values = points.map(({ value }) => value);
	const ticks = ticksOf(Math.min(0, ...values), Math.max(0, ...values));
	const low = ticks[0];
	const high = ticks[ticks.length - 1];
	const labels = ticks.map(format);
	const left = Math.max(...labels.map(({ length }) => length)) * DIGIT + 10;
	const right = width - RIGHT;
	const startMs = points[0].atMs;
	const spanMs = Math.max(1, points[points.length - 1].atMs - startMs);
	const x = (ms: number) => left + ((ms - startMs) / spanMs) * (right - left);
	const y = (value: number) => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
	const line = points.map(({ atMs, value }) => `${x(atMs).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
	const marked = points.length <= MARKED_LIMIT ? points : points.slice(-1);
	const parts = Math.max(1, Math.min(6, Math.floor((right - left) / TIME_WIDTH)));
	return (
		<svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} role="img" aria-label={description}>
			{ticks.map((tick, index) => (
				<g key={tick}>
					<line class={tick === 0 ? "axis" : "grid"} x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
					<text x={left - 8} y={y(tick) + 4} text-anchor="end">
						{labels[index]}
					</text>
				</g>
			))}
			{Array.from({ length: parts + 1 }, (_, part) => (
				<text
					key={part}
					x={left + (part / parts) * (right - left)}
					y={HEIGHT - 6}
					text-anchor={part === 0 ? "start" : part === parts ? "end" : "middle"}
				>
					{formatTime(startMs + (part / parts) * spanMs)}
				</text>
			))}
			<polygon class="area" points={`${left},${y(0)} ${line} ${right},${y(0)}`} />
			<polyline class="line" points={line} />
			{marked.map(({ atMs, value }, index) => (
				<circle key={atMs} class="end" cx={x(atMs)} cy={y(value)} r={index === marked.length - 1 ? 4 : 2.5} />
			))}
		</svg>
	);
}
