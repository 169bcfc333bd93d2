/** Debian's Chromium, for the tests and the benchmark of the page. */
import { existsSync } from "node:fs";

/** The headless shell is preferred, because the tests of the page take only half the processor time with it. */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export const CHROMIUM = PROGRAMS.find((path) => existsSync(path)) ?? "";
export const NO_CHROMIUM = `none of ${PROGRAMS.join(", ")} is installed`;
