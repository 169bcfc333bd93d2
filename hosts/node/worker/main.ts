/** The script that the XS worker runs: the gateway. Bundled into one file by hosts/node/bundle.ts. */
import { Gateway } from "../../../modules/app/gateway.js";
import { Zigbee } from "../../../modules/zigbee/owner.js";
import { CablePolicy } from "../../../modules/wifi/cable.js";
import { serve } from "./serve.js";

serve((host) => new Gateway(host, Zigbee, CablePolicy));
