/** A page of settings: its changed forms are saved together, by one bar. */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { announce, Button } from "./components.js";
import { type DeviceError, OFFLINE } from "./device.js";
import { Store, useStore } from "./store.js";
import { t } from "./text.js";
import { useUnsaved } from "./unsaved.js";

/** A form, as the bar sees it. */
export interface Savable {
	/** Element of the form, which needs `tabIndex={-1}`. The bar shows the heading of its card. */
	readonly place: RefObject<HTMLElement | null>;
	/** False if the form has a button of its own. */
	readonly isInBar: boolean;
	/** Checks the input, and shows the faults. Returns true if there are none. */
	check(): boolean;
	/** Sends the input, and shows the outcome. Returns the error if the input was not saved. */
	save(): Promise<DeviceError | undefined>;
	/** Shows the stored values again. */
	discard(): void;
}

/** Forms with unsaved input on the page that is shown. */
const changed = new Store<readonly RefObject<Savable>[]>([]);
/** Name of the form that is being saved, and its number; otherwise empty. */
const saving = new Store("");

/** Protects the form's unsaved input, and registers the form with the bar meanwhile. */
export function useSavable(isUnsaved: boolean, form: Savable): void {
	useUnsaved(isUnsaved);
	const latest = useRef(form);
	latest.current = form;
	useLayoutEffect(() => {
		if (!isUnsaved || !form.isInBar) return;
		changed.set([...changed.value, latest]);
		return () => changed.set(changed.value.filter((other) => other !== latest));
	}, [isUnsaved, form.isInBar]);
}

export function focusFault({ current }: RefObject<HTMLElement | null>): void {
	setTimeout(() => current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}

const placeOf = ({ current }: RefObject<Savable>) => current!.place;
const nameOf = (form: RefObject<Savable>) => placeOf(form).current?.closest(".card")?.querySelector("h2")?.textContent;

/** Returns the changed forms from the bottom of the page to its top. */
function fromBottom(): readonly RefObject<Savable>[] {
	const isAbove = (one: RefObject<Savable>, other: RefObject<Savable>) =>
		placeOf(one).current!.compareDocumentPosition(placeOf(other).current!) & Node.DOCUMENT_POSITION_FOLLOWING;
	return [...changed.value].sort((one, other) => (isAbove(one, other) ? 1 : -1));
}

/** Moves the focus to the topmost form if it was in the bar, which has gone. */
function keepFocus(forms: readonly RefObject<Savable>[]): void {
	setTimeout(() => {
		if (document.activeElement === document.body) placeOf(forms.at(-1)!).current?.focus({ preventScroll: true });
	});
}

/**
 * Saves all changed forms of the page, unless one has a fault. Begins at the bottom, because the topmost form may remove
 * other forms (protocol), or change the gateway's address (cable).
 */
export async function saveAll(): Promise<void> {
	const forms = fromBottom();
	if (forms.length === 0 || saving.value !== "") return;
	const faulty = forms.filter(({ current }) => !current!.check());
	if (faulty.length > 0) return focusFault(placeOf(faulty.at(-1)!));
	for (const [index, form] of forms.entries()) {
		saving.set(`${nameOf(form)} (${index + 1}/${forms.length})`);
		const error = await form.current!.save();
		if (error?.code === OFFLINE) break;
	}
	saving.set("");
	keepFocus(forms);
}

function discardAll(): void {
	const forms = fromBottom();
	for (const { current } of forms) current!.discard();
	keepFocus(forms);
}

export function SettingsPage({ children }: { children: ComponentChildren }) {
	return (
		<>
			<div class="cards settings">{children}</div>
			<Bar />
		</>
	);
}

function Bar() {
	const forms = useStore(changed);
	const now = useStore(saving);
	const isShown = forms.length > 0;
	useEffect(() => {
		if (isShown) announce(t("unsaved.text"));
	}, [isShown]);
	if (!isShown) return null;
	return (
		<section class="card saves" aria-label={t("save")}>
			<span>{now || t("unsaved.list", { list: forms.map(nameOf).join(", ") })}</span>
			<div class="actions">
				<Button name="save" kind="main" busy={now && t("saving")} onClick={saveAll}>
					{t("save")}
				</Button>
				{!now && (
					<Button name="discard" onClick={discardAll}>
						{t("unsaved.discard")}
					</Button>
				)}
			</div>
		</section>
	);
}
