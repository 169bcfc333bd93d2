/** Limits of modules/product/product.ts, and the places that show it. */
import assert from "node:assert/strict";
import { SECURITY_PATH, securityText } from "../modules/api/security-text.js";
import { JSONWriter } from "../modules/json/writer.js";
import { writeOrigin } from "../modules/mqtt/messages.js";
import { MAKER, PRODUCT, SECURITY_CONTACT, SUPPORT_END } from "../modules/product/product.js";
import { isError } from "./api/gateway.js";
import { VirtualGateway } from "./api/virtual-gateway.js";
import { textCodec } from "./config/memory-storage.js";

const BUILT_MS = Date.UTC(2026, 10, 27, 12);

describe("product", () => {
	it("has names and an address that all their places accept", () => {
		for (const name of [PRODUCT, MAKER]) assert.match(name, /^[A-Za-z0-9 .\-_&'()/:]{1,32}$/);
		assert.match(SECURITY_CONTACT, /^((mailto:|https:)[!-~]{1,92})?$/);
		if (SUPPORT_END !== "") assert.equal(new Date(SUPPORT_END).toISOString().slice(0, 10), SUPPORT_END);
	});

	it("gives the address for reports as RFC 9116 wants it: with Contact and Expires, within a year", () => {
		assert.equal(
			securityText("mailto:security@example.org", BUILT_MS, textCodec),
			"Contact: mailto:security@example.org\nExpires: 2027-11-27T12:00:00Z\nPreferred-Languages: en\n",
		);
	});

	it("has security.txt over HTTPS without a token if there is an address, and only then", async () => {
		const gateway = new VirtualGateway();
		await gateway.pass(1000);
		const reply = await gateway.get(SECURITY_PATH, { token: null });
		if (SECURITY_CONTACT === "") isError(reply, 404, "not_found");
		else assert.ok(reply.text.startsWith(`Contact: ${SECURITY_CONTACT}\n`), reply.text);
		const plain = await gateway.get(SECURITY_PATH, { token: null, secure: false });
		assert.equal(plain.status, 301);
		assert.match(plain.headers.get("location") ?? "", /^https:.*\/\.well-known\/security\.txt$/);
		await gateway.stop();
	});

	it("is announced by mDNS, with its maker, and the address if there is one", async () => {
		const gateway = new VirtualGateway();
		await gateway.pass(60_000);
		const sent = gateway.world.udp.sent.map(({ bytes }) => Buffer.from(bytes).toString("latin1"));
		const announced = sent.findLast((text) => text.includes("_smgw")) ?? assert.fail("no announcement");
		for (const part of [`${PRODUCT} `, `maker=${MAKER}`]) assert.ok(announced.includes(part), part);
		assert.equal(announced.includes("security="), SECURITY_CONTACT !== "");
		await gateway.stop();
	});

	it("is the origin of the MQTT discovery, with the address if that is a web address", () => {
		const origin = (contact: string) => {
			const writer = new JSONWriter(textCodec);
			const bytes = new Uint8Array(200);
			writer.begin(bytes, 0, bytes.length, 0);
			writeOrigin(writer, "1.2.3", contact);
			return JSON.parse(Buffer.from(bytes.subarray(0, writer.position)).toString());
		};
		assert.deepEqual(origin("https://example.org/security"), {
			name: PRODUCT,
			sw: "1.2.3",
			url: "https://example.org/security",
		});
		for (const contact of ["", "mailto:security@example.org"])
			assert.deepEqual(origin(contact), { name: PRODUCT, sw: "1.2.3" });
	});
});
