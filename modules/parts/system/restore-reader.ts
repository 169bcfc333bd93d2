/**
 * Parses a backup (backup.ts) as it arrives, for restore.ts. Settings that this firmware does not have are skipped and
 * listed in `ignored`. The first error is reported. If the JSON is malformed anywhere in the file, only that is
 * reported.
 */

import { type BackupGroup, isSetting } from "../../api/backup-group.js";
import { type BodyValues, LONG_BODY_LIMIT, type LongText } from "../../api/body.js";
import { INVALID_FIELD, INVALID_JSON, MISSING_FIELD } from "../../api/errors.js";
import { FieldReader } from "../../api/field-reader.js";
import { describeMissing } from "../../api/field-value.js";
import { SCRATCH } from "../../api/validate.js";
import type { Field, Setting, SettingField } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import type { BodySink } from "../../http/handler.js";
import type { TextCodec } from "../../io/host.js";
import {
	JSONReader,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_FALSE,
	TOKEN_MORE,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_OBJECT_END,
	TOKEN_OBJECT_START,
	TOKEN_TRUE,
} from "../../json/reader.js";
import type { Part } from "../../part/part.js";
import { SETTINGS_FILES } from "../../provision/settings-files.js";
import { BACKUP_FORM, groupsOf } from "./backup.js";

/**
 * Maximum depth of nesting. A list of numbers in a list of objects in a group has 6. The values of unknown settings may
 * have more.
 */
const DEPTH = 8;
const GROUP_DEPTH = 3;
const IGNORED_LIMIT = 16;
const NAME_LIMIT = 64;

const AT_START = 0;
const IN_FILE = 1;
const AT_FORM = 2;
const AT_SETTINGS = 3;
const IN_SETTINGS = 4;
const AT_GROUP = 5;
const IN_GROUP = 6;
const AT_FLAG = 7;

/** Values of a group. A setting that is not in the file has its present value. */
export class GroupValues implements BodyValues {
	readonly group: BackupGroup;
	/** Values of `group.table`; undefined for values that are not in the file. */
	readonly values: (Setting | undefined)[] = [];
	/** For each of `group.secrets`: true if it was set when the file was made; undefined if the file does not tell. */
	readonly flags: (boolean | undefined)[] = [];
	readonly #config: ConfigStore;

	constructor(group: BackupGroup, config: ConfigStore) {
		this.group = group;
		this.#config = config;
	}

	given<Value extends Setting>({ name }: Field<Value>): Value | undefined {
		return this.values[this.group.table.fields.findIndex((field) => field.name === name)] as Value | undefined;
	}

	set(field: SettingField, value: Setting | undefined): void {
		this.values[this.group.table.fields.indexOf(field)] = value;
	}

	get isFitting(): boolean {
		const { boundTo } = this.group;
		const address = boundTo && this.given(boundTo);
		return boundTo === undefined || address === undefined || address === this.#config.get(boundTo);
	}

	get<Value extends Setting>(field: Field<Value>): Value | undefined {
		const { own, secrets } = this.group;
		let value: Setting | undefined = this.given(field);
		if (value === undefined && !this.isFitting && secrets.some(({ name }) => name === field.name)) {
			// The secret belongs to another address, so it is cleared. The cleared value is "" for a password. For a
			// certificate it is empty bytes, because its body field is not a setting.
			value = isSetting(field) ? "" : new Uint8Array(0);
		}
		if (value === undefined && isSetting(field)) value = this.#config.get(field as SettingField);
		// In a backup, fields in `own` may be empty, which means that the unit uses its own value. They are then treated as
		// omitted, because the route would refuse an empty text.
		return (value === "" && own.some((one) => one === (field as Field)) ? undefined : value) as Value | undefined;
	}
}

export class RestoreReader implements BodySink {
	readonly limit = LONG_BODY_LIMIT;
	readonly groups: GroupValues[] = [];
	readonly ignored: string[] = [];
	code = "";
	message = "";
	field: string | undefined;
	readonly #config: ConfigStore;
	readonly #text: TextCodec;
	readonly #all: readonly BackupGroup[];
	readonly #done: () => void;
	readonly #openerOf: ((group: BackupGroup) => () => LongText) | undefined;
	readonly #reader = new JSONReader({ maxDepth: DEPTH, scratch: SCRATCH });
	readonly #fields: FieldReader;
	#where = AT_START;
	#isOurs = false;
	#hasSettings = false;
	#values: GroupValues;
	#flag = 0;

	/**
	 * `done` is called once, at the end of the file. `openerOf` returns a function that creates the receiver of a group's
	 * certificate. If it is undefined, certificates are ignored.
	 */
	constructor(
		config: ConfigStore,
		text: TextCodec,
		parts: readonly Part[],
		done: () => void,
		openerOf?: (group: BackupGroup) => () => LongText,
	) {
		if (SETTINGS_FILES) this.#openerOf = openerOf;
		this.#config = config;
		this.#text = text;
		this.#all = groupsOf(parts);
		this.#done = done;
		this.#reader.begin();
		this.#fields = new FieldReader(this.#reader, text, GROUP_DEPTH);
		this.#values = new GroupValues(this.#all[0], config);
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#reader.push(bytes, start, end);
		this.read();
	}

	end(): void {
		this.#reader.finish();
		this.read();
		const missing = this.#isOurs ? "settings" : "backup";
		if (this.code === "" && !(this.#isOurs && this.#hasSettings))
			this.fail(MISSING_FIELD, describeMissing(missing), missing);
		this.#done();
	}

	private read(): void {
		for (;;) {
			const token = this.#reader.next();
			if (token === TOKEN_MORE || token === TOKEN_END) return;
			if (token === TOKEN_ERROR) {
				this.fail(INVALID_JSON, "The body is not well-formed JSON, or nested too deep.");
				return;
			}
			if (this.code === "") this.take(token);
		}
	}

	private take(token: number): void {
		const reader = this.#reader;
		const isStart = token === TOKEN_OBJECT_START;
		const { path, secrets } = this.#values.group;
		switch (this.#where) {
			case AT_START:
				this.#where = IN_FILE;
				if (!isStart) this.fail(INVALID_JSON, "The body must be a JSON object.");
				return;
			case IN_FILE:
				if (token !== TOKEN_NAME) return;
				if (reader.textEquals("settings")) this.#where = AT_SETTINGS;
				else if (reader.textEquals("backup")) this.#where = AT_FORM;
				else reader.skip();
				return;
			case AT_FORM:
				this.#where = IN_FILE;
				this.#isOurs = token === TOKEN_NUMBER && reader.number === BACKUP_FORM;
				if (!this.#isOurs)
					this.fail(INVALID_FIELD, "backup must be 1: of another form this firmware knows nothing.", "backup");
				return;
			case AT_SETTINGS:
				this.#where = IN_SETTINGS;
				this.#hasSettings = true;
				if (!isStart) this.fail(INVALID_FIELD, "settings must be an object of groups.", "settings");
				return;
			case IN_SETTINGS:
				if (token === TOKEN_NAME) this.begin();
				else this.#where = IN_FILE;
				return;
			case AT_GROUP:
				this.#where = IN_GROUP;
				if (!isStart) this.fail(INVALID_FIELD, `${path} must be an object of settings.`, path);
				return;
			case AT_FLAG:
				this.#where = IN_GROUP;
				this.#values.flags[this.#flag] = token === TOKEN_TRUE;
				if (token === TOKEN_TRUE || token === TOKEN_FALSE) return;
				this.fail(INVALID_FIELD, "It must be true or false.", `${path}.${secrets[this.#flag].name}_set`);
				return;
		}
		if (token === TOKEN_OBJECT_END && reader.depth < GROUP_DEPTH) {
			this.#where = IN_SETTINGS;
			return;
		}
		const isName = token === TOKEN_NAME && reader.depth === GROUP_DEPTH;
		this.#flag = isName ? secrets.findIndex(({ name }) => reader.textEquals(`${name}_set`)) : -1;
		if (this.#flag >= 0) {
			this.#where = AT_FLAG;
			return;
		}
		if (!this.#fields.take(token)) this.ignore(`${path}.`);
		const { refused, refusal, missing } = this.#fields;
		if (refused !== "") this.fail(INVALID_FIELD, refusal, `${path}.${refused}`);
		else if (missing !== "") this.fail(MISSING_FIELD, describeMissing(missing), `${path}.${missing}`);
	}

	private begin(): void {
		const group = this.#all.find(({ path }) => this.#reader.textEquals(path));
		if (group === undefined) {
			this.ignore("");
			this.#reader.skip();
			return;
		}
		let values = this.groups.find((one) => one.group === group);
		if (values === undefined) {
			values = new GroupValues(group, this.#config);
			this.groups.push(values);
		}
		this.#values = values;
		this.#fields.begin(group.table, values.values, SETTINGS_FILES ? this.#openerOf?.(group) : undefined);
		this.#where = AT_GROUP;
	}

	private ignore(prefix: string): void {
		const { text, length } = this.#reader;
		if (this.ignored.length === IGNORED_LIMIT) return;
		this.ignored.push(prefix + (length > NAME_LIMIT ? "…" : this.#text.decode(text, 0, length)));
	}

	private fail(code: string, message: string, field?: string): void {
		this.code = code;
		this.message = message;
		this.field = field;
	}
}
