import { BODY_CHUNKED, BODY_DATA, BODY_END, BODY_ERROR, BodyDecoder } from "../../modules/http/body.js";
import { HEAD_DONE, HEAD_MORE, RequestHead } from "../../modules/http/head.js";
import { feeds, REFUSED } from "../feeds.js";
import { bytesOf, textOf } from "../latin1.js";
import { text } from "./fake.js";

feeds("a body in chunks", {
	open: () => {
		const decoder = new BodyDecoder();
		let meanings: string[] = [];
		let data = "";
		let isBroken = false;
		let wasFed = false;
		decoder.begin(BODY_CHUNKED);
		return {
			take: (bytes, start, end) => {
				wasFed = true;
				for (let at = start; at < end && !isBroken; at = decoder.position) {
					const result = decoder.next(bytes, at, end);
					if (result === BODY_DATA) data += textOf(bytes, decoder.dataStart, decoder.dataEnd);
					isBroken = result === BODY_ERROR;
					if (result !== BODY_END) continue;
					meanings.push(data);
					// A connection resets its decoder in the same way before the next request.
					data = "";
					wasFed = false;
					decoder.begin(BODY_CHUNKED);
				}
			},
			settle: () => {
				const result = wasFed ? [...meanings, REFUSED] : meanings;
				meanings = [];
				data = "";
				isBroken = wasFed = false;
				decoder.begin(BODY_CHUNKED);
				return result;
			},
		};
	},
	frame: bytesOf('5;a="b"\r\nhello\r\n00A\r\n 123456789\r\n0;x\r\nTrailer: y\r\n\r\n'),
	meaning: "hello 123456789",
	bits: 8,
	checked: false,
	streams: false,
});

feeds("the head of a request", {
	open: () => {
		const buffer = new Uint8Array(1024);
		const origin = { remoteAddress: "192.0.2.1", viaAccessPoint: false };
		const head = new RequestHead(buffer, text, origin, true);
		let length = 0;
		let result = HEAD_MORE;
		head.begin();
		return {
			take: (bytes, start, end) => {
				buffer.set(bytes.subarray(start, end), length);
				length += end - start;
				if (result === HEAD_MORE) result = head.parse(length);
			},
			settle: () => {
				const { method, path, contentLength } = head;
				const fields = [head.query("lang"), head.header("host"), head.header("authorization")];
				const meanings = `${method} ${path} ${contentLength} ${fields.join(" ")}`;
				const isDone = result === HEAD_DONE;
				const isEmpty = length === 0;
				head.begin();
				length = 0;
				result = HEAD_MORE;
				if (isEmpty) return [];
				return [isDone ? meanings : REFUSED];
			},
		};
	},
	frame: bytesOf(
		"POST /api/v1/iec62056/read?lang=de HTTP/1.1\r\nHost: gateway.local\r\nContent-Length: 7\r\nAuthorization: Bearer 00ff\r\n\r\n",
	),
	meaning: "3 /api/v1/iec62056/read 7 de gateway.local Bearer 00ff",
	bits: 8,
	checked: false,
	streams: false,
	garbage: [bytesOf("\r\n")],
});
