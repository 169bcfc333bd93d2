/** Parts of charts with axes. */
import { useEffect, useRef, useState } from "preact/hooks";

/** Returns at most six round numbers that cover the range. */
export function ticksOf(low: number, high: number): number[] {
	const span = high - low || 10;
	const power = 10 ** Math.floor(Math.log10(span / 3));
	const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 4) ?? power * 10;
	const first = Math.floor(low / step);
	const count = Math.max(1, Math.ceil(high / step) - first);
	return Array.from({ length: count + 1 }, (_, index) => (first + index) * step);
}

/** Font size for which charts are drawn, pixels. */
const FONT = 13;

/**
 * Returns the width of an element for drawings whose text has FONT pixels, and the scale at which they are shown:
 * larger text enlarges the whole drawing. Also returns a reference to attach to the element.
 */
export function useWidth() {
	const element = useRef<HTMLDivElement>(null);
	const [{ width, scale }, setSize] = useState({ width: 0, scale: 1 });
	useEffect(() => {
		const { current } = element;
		if (current === null) return;
		const observer = new ResizeObserver(([entry]) => {
			const scale = Number.parseFloat(getComputedStyle(current).fontSize) / FONT;
			setSize({ width: Math.round(entry.contentRect.width / scale), scale });
		});
		observer.observe(current);
		return () => observer.disconnect();
	}, []);
	return { element, width, scale };
}
