/**
 * Types of the functions that carry out the XS worker's commands. They are derived from the layouts in
 * worker/protocol.ts.
 */
import { decodeValues, encodeValues, type Layout, type ValuesOf } from "./worker/layout.js";
import {
	COMMAND_HEADER_BYTES,
	COMMANDS,
	type Command,
	REPLY_ABSENT,
	REPLY_ERROR,
	REPLY_OK,
	REPLY_RANGE_ERROR,
} from "./worker/protocol.js";

/** If the command has a result and the function returns undefined, the reply is REPLY_ABSENT. */
type Handler<C> =
	C extends Command<infer Takes, infer Gives>
		? (id: number, ...values: ValuesOf<Takes>) => Gives["length"] extends 0 ? void : ValuesOf<Gives> | undefined
		: never;

export type CommandTable = { readonly [Name in keyof typeof COMMANDS]: Handler<(typeof COMMANDS)[Name]> };

interface Row {
	readonly command: Command;
	readonly run: (id: number, ...values: unknown[]) => readonly unknown[] | undefined;
}

export class CommandRunner {
	readonly #rows: Row[] = [];

	constructor(table: CommandTable) {
		for (const [name, command] of Object.entries<Command>(COMMANDS)) {
			if (this.#rows[command.code]) throw new Error(`two commands have the code ${command.code}`);
			this.#rows[command.code] = { command, run: table[name as keyof CommandTable] as unknown as Row["run"] };
		}
	}

	run(message: Uint8Array): Uint8Array {
		try {
			const row = this.#rows[message[0]];
			if (!row) throw new Error(`command of unknown kind ${message[0]}`);
			const { takes, gives } = row.command;
			const id = new DataView(message.buffer, message.byteOffset).getUint32(1, true);
			return replyOf(gives, row.run(id, ...decodeValues<Layout>(takes, message, COMMAND_HEADER_BYTES)));
		} catch (error) {
			const kind = error instanceof RangeError ? REPLY_RANGE_ERROR : REPLY_ERROR;
			const text = error instanceof Error ? error.message : String(error);
			return Buffer.concat([Uint8Array.of(kind), Buffer.from(text)]);
		}
	}
}

function replyOf(gives: Layout, values: readonly unknown[] | undefined): Uint8Array {
	if (values === undefined && gives.length > 0) return Uint8Array.of(REPLY_ABSENT);
	const reply = encodeValues(gives, values ?? [], 1);
	reply[0] = REPLY_OK;
	return reply;
}
