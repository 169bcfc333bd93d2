/** Test of an output: GET <output>/send publishes immediately and returns the result. */
import { BUSY, UNSUPPORTED } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { numberMember, textMember } from "../../api/members.js";
import { type Operation, route } from "../../api/route.js";
import { METHOD_GET } from "../../http/request.js";
import { RETCODE_OK } from "../../publish/connect-failures.js";
import type { SendTest } from "../../publish/output.js";
import type { OutputPart, Sending } from "./output-part.js";

export function sendRoute(path: string): Operation {
	return route(METHOD_GET, path, send, { waits: true });
}

/**
 * Starts a test. Its reply may be delayed (output.ts), because it reveals whether a server answers at the configured
 * address.
 */
function send(exchange: Exchange<OutputPart<Sending>>): void {
	const { sender, texts } = exchange.part;
	const { enabled, disabled, name, taken, hasStatus } = texts;
	if (!exchange.core.config.get(enabled)) {
		exchange.fail(400, disabled, `${name} is not enabled.`);
		return;
	}
	if (sender === undefined) {
		exchange.fail(501, UNSUPPORTED, "Nothing is sent in safe mode. Restart the device to leave it.");
		return;
	}
	const test: SendTest = {
		finished: (failure, status) =>
			exchange.object((writer) => {
				numberMember(writer, "retcode", failure?.retcode ?? RETCODE_OK);
				if (hasStatus) numberMember(writer, "http_status_code", status);
				textMember(writer, "code", failure?.code ?? "ok");
				textMember(writer, "message", failure?.message ?? taken);
			}),
	};
	exchange.response.onCancelled = () => sender.cancel(test);
	if (sender.test(test)) return;
	exchange.response.header("Retry-After", "10");
	exchange.fail(503, BUSY, `${name} is being tested, or was a moment ago; try again in ten seconds.`);
}
