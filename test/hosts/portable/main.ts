/** The script that the XS worker runs for the conformance suite. */
import { serve } from "../../../hosts/node/worker/serve.js";
import { CheckRunner } from "./check.js";
import { checks } from "./checks.js";

serve((host) => new CheckRunner(host, checks));
