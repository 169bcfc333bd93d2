/** Properties of the wizard's steps, and the button that all of them share. */
import type { ComponentChildren } from "preact";
import { Button } from "../kit/components.js";
import type { NetworkStatus } from "../kit/replies.js";
import { t } from "../kit/text.js";

export interface StepProps {
	/** Called when the step is done or skipped. */
	next(): void;
	/** Button that leads to the previous step. The first step has none. */
	readonly back: ComponentChildren;
	/** The button `back`, and the button that skips the step. */
	readonly actions: ComponentChildren;
	/** For the last step: called when the gateway has joined a Wi-Fi network. */
	readonly onJoined: (status: NetworkStatus) => void;
}

/** Button for a step in which nothing is left to do. */
export function ContinueButton({ next, label, back }: Pick<StepProps, "next" | "back"> & { label?: string }) {
	return (
		<div class="actions">
			<Button name="next" kind="main" onClick={next}>
				{label ?? t("wizard.next")}
			</Button>
			{back}
		</div>
	);
}
