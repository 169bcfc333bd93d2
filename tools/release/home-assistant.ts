/**
 * The archive of the integration for Home Assistant (hosts/homeassistant): the contents of
 * `custom_components/smart_meter_gateway`, with the version and the name of the product in its manifest. HACS and owners
 * unpack it there. The same sources make the same bytes.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Zippable, zipSync } from "fflate";
import { PRODUCT } from "../../modules/product/product.js";

export const DOMAIN = "smart_meter_gateway";
export const ARCHIVE = `${DOMAIN}.zip`;

const SHIPPED = /\.(py|json|yaml)$/;
/** Icon in Home Assistant, from the page; Home Assistant looks for it in the folder `brand`. */
const ICON = ["hosts", "browser", "icon.png"];
/** The first time that a ZIP file can hold, local time. */
const TIME = new Date(1980, 0, 1);

export function makeArchive(root: string, version: string): Uint8Array {
	const folder = join(root, "hosts", "homeassistant", "custom_components", DOMAIN);
	const files: Zippable = {};
	for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
		if (!SHIPPED.test(name) || !statSync(join(folder, name)).isFile()) continue;
		files[name.replaceAll("\\", "/")] = readFileSync(join(folder, name));
	}
	const manifest = { ...JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")), name: PRODUCT, version };
	files["manifest.json"] = Buffer.from(`${JSON.stringify(manifest, undefined, "\t")}\n`);
	files["brand/icon.png"] = readFileSync(join(root, ...ICON));
	files.LICENSE = readFileSync(join(root, "LICENSE"));
	return zipSync(files, { mtime: TIME });
}
