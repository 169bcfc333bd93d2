/** A file of the user's: chosen, or dropped. */
import { useId, useState } from "preact/hooks";
import { t } from "./text.js";

interface FilePickProps {
	readonly name: string;
	readonly label: string;
	/** As of the element. */
	readonly accept: string;
	onFile(file: File): void;
}

export function FilePick({ name, label, accept, onFile }: FilePickProps) {
	const [isOver, setOver] = useState(false);
	const id = useId();
	const over = (is: boolean) => (event: Event) => {
		event.preventDefault();
		setOver(is);
	};
	return (
		<div
			class={isOver ? "field drop over" : "field drop"}
			onDragOver={over(true)}
			onDragLeave={over(false)}
			onDrop={(event) => {
				over(false)(event);
				const files = event.dataTransfer?.files;
				const input = event.currentTarget.querySelector("input");
				if (!files?.length || input === null) return;
				input.files = files;
				onFile(files[0]);
			}}
		>
			<label for={id}>{label}</label>
			<input
				id={id}
				name={name}
				type="file"
				accept={accept}
				onChange={({ currentTarget: { files } }) => {
					if (files?.length) onFile(files[0]);
				}}
			/>
			<small>{t("file.drop")}</small>
		</div>
	);
}
