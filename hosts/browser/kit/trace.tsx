/** A line of power over time without axes, drawn as SVG. */

export interface Point {
	/** Unix ms by this browser's clock. */
	readonly atMs: number;
	readonly value: number;
}

interface TraceProps {
	/** At least two. */
	readonly points: readonly Point[];
	/** Description for screen readers. */
	readonly description: string;
}

const WIDTH = 1000;
const HEIGHT = 100;

/** Longest time between two points that a line may join, ms: a meter may be read each hour. */
const GAP_MS = 2 * 3_600_000;

/** A line that is stretched to the space it has. The import is above the axis, the export below it. */
export function Trace({ points, description }: TraceProps) {
	const values = points.map(({ value }) => value);
	const low = Math.min(0, ...values);
	const high = Math.max(1, ...values);
	const startMs = points[0].atMs;
	const spanMs = Math.max(1, points[points.length - 1].atMs - startMs);
	const y = (value: number) => ((high - value) / (high - low)) * HEIGHT;
	const x = ({ atMs }: Point) => Math.round(((atMs - startMs) / spanMs) * WIDTH);
	const runs: Point[][] = [];
	for (const [i, point] of points.entries()) {
		if (i === 0 || point.atMs > points[i - 1].atMs + GAP_MS) runs.push([]);
		runs[runs.length - 1].push(point);
	}
	const area = (kind: string, within: (value: number) => number) =>
		runs.map((run) => {
			const line = run.map((point) => `${x(point)},${y(within(point.value)).toFixed(1)}`).join(" ");
			const ends = `${x(run[run.length - 1])},${y(0)} ${x(run[0])},${y(0)}`;
			return <polygon key={run[0].atMs} class={kind} points={`${line} ${ends}`} />;
		});
	return (
		<svg
			class="trace"
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			preserveAspectRatio="none"
			role="img"
			aria-label={description}
		>
			{area("up", (value) => Math.max(0, value))}
			{area("down", (value) => Math.min(0, value))}
		</svg>
	);
}
