/**
 * A table that opens on a click. On a phone, each row becomes a block of lines, which begin with the column headings.
 */
import { t } from "./text.js";

interface TableProps {
	readonly heads: readonly string[];
	/**
	 * Cells of each row. The first cell names the row. The last cell is a remark, which may be empty. The others are
	 * numbers.
	 */
	readonly rows: readonly (readonly string[])[];
}

export function Table({ heads, rows }: TableProps) {
	const last = heads.length - 1;
	const kindOf = (place: number) => (place > 0 && place < last ? "number" : undefined);
	return (
		<details>
			<summary>{t("use.table")}</summary>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys (WCAG 2.1.1) */}
			<section class="scroll" aria-label={t("use.table")} tabIndex={0}>
				<table class="readings">
					<thead>
						<tr>
							{heads.map((head, place) => (
								<th key={place} scope="col" class={kindOf(place)}>
									{head}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{rows.map(([name, ...cells], index) => (
							<tr key={index}>
								<th scope="row">{name}</th>
								{cells.map((cell, i) => (
									<td key={i} class={kindOf(i + 1)} data-label={i + 1 < last ? heads[i + 1] : undefined}>
										{cell}
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</section>
		</details>
	);
}
