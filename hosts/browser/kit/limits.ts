/** Makes form fields with the bounds, patterns and choices that the API's description states for a body. */
import type { FieldSpec } from "./fields.js";
import { formOf } from "./forms.js";

type Limits = Pick<FieldSpec, "min" | "max" | "pattern">;

/** `body` is one of bodies.ts. Properties that a field states itself take precedence. */
export function fieldsOf<Body extends object>(
	body: Body & Readonly<Record<keyof Body, Limits>>,
	fields: readonly (FieldSpec & { readonly name: keyof Body })[],
): readonly FieldSpec[] {
	return fields.map((field) => {
		const { min, max, pattern }: Limits = body[field.name];
		const form = pattern && formOf(pattern);
		return {
			...(min === undefined ? {} : { min }),
			...(max === undefined ? {} : { max }),
			...(pattern === undefined ? {} : { pattern }),
			...(form === undefined ? {} : { form }),
			...field,
		};
	});
}

export function choicesOf<Value extends string | number>(
	{ choices }: { readonly choices: readonly Value[] },
	labelOf: (value: Value) => string,
): readonly { readonly value: Value; readonly label: string }[] {
	return choices.map((value) => ({ value, label: labelOf(value) }));
}
