/** Places of the API's description. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// biome-ignore lint/suspicious/noExplicitAny: JSON, whose form test/api/openapi.test.ts checks
export type Node = any;

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");
/** Written by hand (complete.ts). */
export const SOURCE = join(ROOT, "modules/api/description.json");
/** OpenAPI 3.1, made at each command (make.ts). */
export const COMPLETE = join(ROOT, ".build/openapi.json");
/** Made with it; imported by the page. */
export const PAGE_TYPES = ["replies.ts", "bodies.ts"].map((name) => join(ROOT, "hosts/browser/kit", name));
