/**
 * Omissions from the page of a firmware without some parts (tools/sdk/omissions.ts). The page lacks the components of
 * these parts, which it would never show, and the texts that nothing else uses.
 */

/** Modules of hosts/browser that are used by only one part or protocol, by the name of that part or protocol. */
const COMPONENTS: Readonly<Record<string, readonly string[]>> = {
	backfill: ["pages/backfill.tsx"],
	hawkbit: ["pages/hawkbit.tsx"],
	"live-meter": ["pages/batteries.tsx"],
	mbus: ["pages/meter-mbus.tsx"],
	mqtt: ["pages/mqtt.tsx"],
	prices: ["pages/prices.tsx"],
	zigbee: ["pages/zigbee.tsx", "pages/zigbee-map.tsx"],
};

/** Returns those names that make a difference to the page, in a fixed order. */
export function pageOmissions(names: readonly string[]): readonly string[] {
	return Object.keys(COMPONENTS).filter((name) => names.includes(name));
}

export function omittedModules(names: readonly string[]): readonly string[] {
	return pageOmissions(names).flatMap((name) => COMPONENTS[name]);
}

/**
 * Returns a module that replaces an omitted one. Its components show nothing. Throws an Error if the source exports
 * anything else.
 */
export function standInFor(source: string): string {
	const names = [...source.matchAll(/^export function ([A-Z]\w*)\(/gm)].map(([, name]) => name);
	if (names.length === 0 || names.length !== source.match(/^export /gm)?.length)
		throw new Error(`A module that a page can lack exports more than components: ${names.join(", ")}`);
	return names.map((name) => `export const ${name} = () => null;\n`).join("");
}
