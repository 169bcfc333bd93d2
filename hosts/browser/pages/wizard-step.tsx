/** Properties of the wizard's steps, and the button that all of them share. */
import type { ComponentChildren } from "preact";
import { Button } from "../kit/components.js";
import type { NetworkStatus } from "../kit/replies.js";
import { t } from "../kit/text.js";

export interface StepProps {
	/** Called when the step is done or skipped. */
	next(): void;
	/** Button to the previous step; none in the first step. */
	readonly back: ComponentChildren;
	/** `back`, and the button that skips the step. */
	readonly actions: ComponentChildren;
	/** Last step: the gateway has joined a Wi-Fi network. */
	readonly onJoined: (status: NetworkStatus) => void;
}

/** For a step in which nothing is left to do. */
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
