/** Route `system/version`: running firmware, device, and address of newer firmware. */
import type { Exchange } from "../../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../../api/members.js";
import { SCOPE_FULL } from "../../../auth/scope.js";
import type { JSONWriter } from "../../../json/writer.js";
import { MAKER, PRODUCT, SECURITY_CONTACT, SUPPORT_END } from "../../../product/product.js";
import { UTC_LENGTH, writeUTC } from "../../../time/iso.js";
import { buildNumber } from "../../../update/version.js";
import { upgradeURLOf } from "../upgrade.js";

/** Manufacturer code for tests (Connectivity Standards Alliance), until one is assigned. */
const MANUFACTURER_ID = 0xfff1;
/** Offsets of the date and of the time in `2026-11-20T05:39:38Z`. */
const DATE_END = 10;
const TIME_START = 11;
const TIME_END = 19;

export function getVersion(exchange: Exchange): void {
	const { config, info, text } = exchange.core;
	const wholeURL = upgradeURLOf(config, info);
	const isOwner = exchange.core.scopeOf(exchange.token) === SCOPE_FULL;
	// The query of a signed address is a secret, so only the owner sees it.
	const upgradeURL = isOwner ? wholeURL : withoutQuery(wholeURL);
	const built = new Uint8Array(UTC_LENGTH);
	writeUTC(built, 0, info.builtUtcMs);
	const date = text.decode(built, 0, DATE_END);
	const time = text.decode(built, TIME_START, TIME_END);
	const component = (writer: JSONWriter, name: string) => {
		writer.key(name);
		writer.beginObject();
		textMember(writer, "version", info.firmwareVersion);
		textMember(writer, "date", date);
		textMember(writer, "time", time);
		writer.endObject();
	};
	exchange.object((writer) => {
		component(writer, "firmware");
		// The page is part of the firmware and comes from the same build.
		component(writer, "frontend");
		writer.key("device");
		writer.beginObject();
		numberMember(writer, "manufacturer_id", MANUFACTURER_ID);
		numberMember(writer, "device_id", info.deviceId);
		textMember(writer, "manufacturer", info.manufacturer);
		textMember(writer, "model", info.model);
		textMember(writer, "serial", info.serial);
		textMember(writer, "product", PRODUCT);
		textMember(writer, "maker", MAKER);
		textMember(writer, "security_contact", SECURITY_CONTACT);
		textMember(writer, "support_end", SUPPORT_END);
		writer.endObject();
		numberMember(writer, "build_number", buildNumber(info.firmwareVersion));
		textMember(writer, "upgrade_url", upgradeURL);
		booleanMember(writer, "report_available", info.reportKey !== "");
	});
}

function withoutQuery(url: string): string {
	return url.split("?", 1)[0].split("#", 1)[0];
}
