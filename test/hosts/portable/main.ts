/** The conformance suite's script for the XS worker. */
import { serve } from "../../../hosts/node/worker/serve.js";
import { CheckRunner } from "./check.js";
import { checks } from "./checks.js";

serve((host) => new CheckRunner(host, checks));
