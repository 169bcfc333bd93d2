/** The worker's script: the gateway. */
import { Gateway } from "../../../modules/app/gateway.js";
import { networkWithCable } from "../../../modules/wifi/cable-part.js";
import { zigbeeBridge } from "../../../modules/zigbee/bridge-part.js";
import { serve } from "./serve.js";

serve((host) => new Gateway(host, [zigbeeBridge(), networkWithCable()]));
