import { JSONReader, TOKEN_END, TOKEN_ERROR, TOKEN_MORE, TOKEN_NUMBER } from "../../modules/json/reader.js";
import { feeds, REFUSED } from "../feeds.js";
import { bytesOf, textOf } from "../latin1.js";

/** `TOKEN_NAME` and `TOKEN_STRING`: tokens with a text. */
const TEXTS = [7, 8];

feeds("a JSON document", {
	open: () => {
		const reader = new JSONReader();
		let tokens: string[] = [];
		let last = TOKEN_MORE;
		let isEmpty = true;
		reader.begin();
		const readOn = (): void => {
			while (last !== TOKEN_ERROR && last !== TOKEN_END) {
				last = reader.next();
				if (last === TOKEN_MORE) return;
				if (TEXTS.includes(last)) tokens.push(textOf(reader.text, 0, reader.length));
				else tokens.push(last === TOKEN_NUMBER ? `${reader.number}` : `<${last}>`);
			}
		};
		return {
			take: (bytes, start, end) => {
				isEmpty = false;
				if (last === TOKEN_ERROR) return;
				reader.push(bytes, start, end);
				readOn();
			},
			settle: () => {
				if (last !== TOKEN_ERROR) {
					reader.finish();
					readOn();
				}
				let meanings: string[] = [];
				if (!isEmpty) meanings = [last === TOKEN_END ? tokens.join(" ") : REFUSED];
				reader.begin();
				tokens = [];
				last = TOKEN_MORE;
				isEmpty = true;
				return meanings;
			},
		};
	},
	frame: bytesOf('{"baudrate_max": 9600, "list": [true, false, null, -1.5e1, {}], "device_address": "12\\u00e9 \\"x"}'),
	meaning: '<3> baudrate_max 9600 list <5> <10> <11> <12> -15 <3> <4> <6> device_address 12\xc3\xa9 "x <4> <1>',
	bits: 8,
	checked: false,
	streams: false,
	garbage: [bytesOf("\r\n\t ")],
});
