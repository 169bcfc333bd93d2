/** docs/integrations.md: what can be said of its files without the programs that they are for (test/peers runs these). */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openAPI } from "../api/openapi.js";
import { readTemplates } from "../peers/templates.js";
