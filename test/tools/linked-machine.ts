/** C source of a preloaded machine, as the SDK's linker writes it. */

/** Returns the C expression with which a slot refers to another slot. */
export const to = (place: number) => `(txSlot*)&gxHeap[${place}]`;
export const NAMES = ["a", "b", "c", "d"];

export const BUILDERS = [
	"{ fx_a, 1, xsID_a }",
	"{ fxDeadStrip, 1, xsID_b }",
	"{ fxDeadStrip, 2, xsID_c }",
	"{ fx_d, 1, xsID_d }",
];

/** A machine as the linker writes it: the given slots, then its names. */
export function machineOf(slots: readonly string[]): string {
	const keys = NAMES.map((name) => slotOf("KEY_X", `.key = { "${name}", 0x1 }`));
	const inside = [...slots, ...keys].map((line, index) => `/* ${String(index + 1).padStart(4, "0")} */\t${line}`);
	const count = inside.length + 2;
	return `#define mxHeapCount ${count}

static const xsHostBuilder gxBuilders[${BUILDERS.length}] = {
${BUILDERS.map((row) => `\t${row},\n`).join("")}};

static const txSlot gxHeap[mxHeapCount] = {
/* 0000 */\t{ NULL, {.ID = XS_NO_ID, .flag = XS_NO_FLAG, .kind = XS_REFERENCE_KIND}, .value = { .reference = ${to(count)} } },
${inside.join("\n")}
/* ${count - 1} */\t{ NULL, {.ID = XS_NO_ID, .flag = XS_NO_FLAG, .kind = XS_REFERENCE_KIND}, .value = { .reference = NULL } }};

static const txSlot gxStack[mxStackCount] = {
	{ NULL, {.ID = XS_NO_ID, .flag = 0x0, .kind = XS_REFERENCE_KIND}, .value = { .reference = ${to(1)} } },
	{ NULL, {.ID = XS_NO_ID, .flag = 0x0, .kind = XS_HOST_FUNCTION_KIND}, .value = { .hostFunction = { &gxBuilders[2], 7 }}},
};

static const txID gxColors[mxKeysCount] ICACHE_FLASH1_ATTR = {
	0,
${NAMES.map(() => "\t9,\n").join("")}};

static const txSlot* const gxKeys[mxKeysCount] ICACHE_FLASH1_ATTR = {
	NULL,
${NAMES.map((_, index) => `\t${to(slots.length + 1 + index)}`).join(",\n")}
};
`;
}

export function slotOf(
	kind: string,
	value: string,
	{ next, id = "XS_NO_ID", flag = 0x8b }: Partial<SlotHead> = {},
): string {
	const place = next === undefined ? "NULL" : to(next);
	return `{ ${place}, {.ID = ${id}, .flag = 0x${flag.toString(16)}, .kind = XS_${kind}_KIND}, .value = { ${value} } },`;
}

export interface SlotHead {
	next: number;
	id: string;
	flag: number;
}
