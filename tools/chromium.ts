/** Debian's Chromium, for tests and for the benchmark of the page. */
import { existsSync } from "node:fs";

/** The headless shell comes first, because the tests of the page take half the processor time with it. */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export const CHROMIUM = PROGRAMS.find((path) => existsSync(path)) ?? "";
export const NO_CHROMIUM = `none of ${PROGRAMS.join(", ")} is installed`;
