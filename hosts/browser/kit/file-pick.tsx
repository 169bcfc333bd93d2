/** File input. The user chooses a file, or drops it on the field. */
import { useId } from "preact/hooks";
import { t } from "./text.js";

interface FilePickProps {
	readonly name: string;
	readonly label: string;
	/** Permitted types of files, as in `accept` of HTML. */
	readonly accept: string;
	onFile(file: File): void;
}

export function FilePick({ name, label, accept, onFile }: FilePickProps) {
	const id = useId();
	return (
		<div class="field drop">
			<label for={id}>{label}</label>
			<input
				id={id}
				name={name}
				type="file"
				accept={accept}
				aria-describedby={`${id}-help`}
				onChange={({ currentTarget: { files } }) => {
					if (files?.length) onFile(files[0]);
				}}
			/>
			<small id={`${id}-help`}>{t("file.drop")}</small>
		</div>
	);
}
