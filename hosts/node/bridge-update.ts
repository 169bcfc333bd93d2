/** The worker's commands about firmware slots and inflaters. */
import type { CommandTable } from "./bridge-commands.js";
import type { BridgeDeps } from "./bridge-handles.js";

type Names =
	| ("update" | "updateKeys" | "updateActivate" | "updateConfirm" | "updateRollBack")
	| ("inflater" | "inflate" | "inflaterEmpty" | "inflaterReset");

/** On a host without updates the worker sends none of these commands. */
export function updateCommands({ host, handles }: BridgeDeps): Pick<CommandTable, Names> {
	const update = () => host.update!;
	return {
		update: () => [update().state, update().securityLevel, update().givenUp],
		updateKeys: () => [Buffer.concat(update().keys), Buffer.concat(update().revoked)],
		updateActivate: (_id, length) => update().activate(length),
		updateConfirm: () => update().confirm(),
		updateRollBack: () => update().rollBack(),
		inflater: (id) => {
			handles.open(id, (handle) => {
				const inflater = update().inflater();
				handle.inflater = inflater;
				handle.close = () => inflater.close();
			});
		},
		inflate: (id, bytes) => {
			const inflater = handles.find(id, "inflater");
			const before = inflater.filled;
			const taken = inflater.write(bytes, 0, bytes.length);
			return [taken, Number(inflater.isDone), inflater.ring.subarray(before, inflater.filled)];
		},
		inflaterEmpty: (id) => handles.find(id, "inflater").empty(),
		inflaterReset: (id) => handles.find(id, "inflater").reset(),
	};
}
