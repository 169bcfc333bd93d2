/** The worker's script: the gateway. */
import { Gateway } from "../../../modules/app/gateway.js";
import { networkWithCable } from "../../../modules/parts/network/cable-part.js";
import { zigbeeBridge } from "../../../modules/parts/zigbee/bridge-part.js";
import { serve } from "./serve.js";

serve((host) => new Gateway(host, [zigbeeBridge(), networkWithCable()]));
