/**
 * Reads a backup as it arrives (backup.ts), for restore.ts: nothing of it is held but the values of settings that this
 * firmware has. What a newer one has beside them is skipped, and named in `ignored`.
 */
import { bodyField, CHOICE, type Field, type Setting, type SettingField } from "../config/schema.js";
import type { ConfigStore } from "../config/store.js";
import type { BodySink } from "../http/handler.js";
import type { TextCodec } from "../io/host.js";
import {
	JSONReader,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_FALSE,
	TOKEN_MORE,
	TOKEN_NAME,
	TOKEN_OBJECT_END,
	TOKEN_OBJECT_START,
	TOKEN_TRUE,
} from "../json/reader.js";
import { BACKUP_FORM, PRODUCT } from "./backup.js";
import { BACKUP_GROUPS, type BackupGroup, isSetting } from "./backup-groups.js";
import { type BodyTable, type BodyValues, LONG_BODY_LIMIT } from "./body.js";
import { INVALID_FIELD, INVALID_JSON, MISSING_FIELD } from "./errors.js";
import { FieldReader } from "./field-reader.js";
import { describeMissing, valueIn } from "./field-value.js";
import { SCRATCH } from "./validate.js";

/** A list of numbers in a list of objects in a group is 6 deep; what is skipped may be deeper. */
const DEPTH = 8;
/** Objects open inside a group. */
const GROUP_DEPTH = 3;
const SETTINGS = "settings";
/** Names that are told of what was ignored, and bytes of the longest. */
const IGNORED_LIMIT = 16;
const NAME_LIMIT = 64;

const FORM = bodyField<number>({ name: "backup", kind: CHOICE, choices: Object.freeze([BACKUP_FORM]) });
const FOR = bodyField<string>({ name: "product", kind: CHOICE, choices: Object.freeze([PRODUCT]) });
const HEAD: BodyTable = Object.freeze({
	fields: Object.freeze([FORM, FOR]),
	required: Object.freeze([FORM.name, FOR.name]),
	limit: LONG_BODY_LIMIT,
});

/* What comes next. */
const NOWHERE = 0;
const IN_HEAD = 1;
const BEFORE_SETTINGS = 2;
const IN_SETTINGS = 3;
const BEFORE_GROUP = 4;
const IN_GROUP = 5;

/** A group of the file over the settings that there are: what the file does not say stays. */
export class GroupValues implements BodyValues {
	readonly group: BackupGroup;
	/** Of the fields of `group.table`; undefined: the file does not say. */
	readonly values: (Setting | undefined)[] = [];
	/** Whether there was one, of each of `group.secrets`. */
	readonly flags: (boolean | undefined)[] = [];
	readonly #config: ConfigStore;

	constructor(group: BackupGroup, config: ConfigStore) {
		this.group = group;
		this.#config = config;
	}

	/** What the file says. */
	given<Value extends Setting>(field: Field<Value>): Value | undefined {
		return valueIn(this.group.table.fields, this.values, field);
	}

	/** The file has a secret of this name. */
	hasNamed(name: string): boolean {
		return this.values[this.group.table.fields.findIndex((field) => field.name === name)] !== undefined;
	}

	/** From now on it is as if the file said so. */
	set(field: SettingField, value: Setting | undefined): void {
		this.values[this.group.table.fields.indexOf(field)] = value;
	}

	/** The secrets that are here were given for the address or network of the file. */
	get isFitting(): boolean {
		const { boundTo } = this.group;
		const address = boundTo && this.given(boundTo);
		return boundTo === undefined || address === undefined || address === this.#config.get(boundTo);
	}

	/** What its route is to believe a POST has said. */
	get<Value extends Setting>(field: Field<Value>): Value | undefined {
		const given = this.given(field);
		// Of what is the unit's own the route is told nothing: it has no word for that.
		if (given !== undefined) return (given as Setting) === "" && this.isOwn(field) ? undefined : given;
		if (!this.isFitting && this.group.secrets.some(({ name }) => name === field.name)) {
			// No password; of a certificate, whose field in a body is no setting, no bytes.
			return (isSetting(field) ? "" : new Uint8Array(0)) as unknown as Value;
		}
		if (!isSetting(field)) return undefined;
		const kept = this.#config.get(field);
		return (kept as Setting) === "" && this.isOwn(field) ? undefined : kept;
	}

	private isOwn(field: Field): boolean {
		return this.group.own.some((one) => one === field);
	}
}

export class RestoreReader implements BodySink {
	readonly limit = LONG_BODY_LIMIT;
	/** Those that the file has. */
	readonly groups: GroupValues[] = [];
	/** Names of what this firmware does not know. */
	readonly ignored: string[] = [];
	/** What is wrong with the file; "" for nothing. */
	code = "";
	message = "";
	field: string | undefined;
	readonly #config: ConfigStore;
	readonly #text: TextCodec;
	readonly #done: () => void;
	readonly #reader = new JSONReader({ maxDepth: DEPTH, scratch: SCRATCH });
	readonly #head: FieldReader;
	readonly #fields: FieldReader;
	#where = NOWHERE;
	#hasSettings = false;
	/** Of the group that is read. */
	#values: GroupValues | undefined;
	/** Which of its flags comes next; -1: none. */
	#flag = -1;

	/** `done` is told once, when the file has come to its end. */
	constructor(config: ConfigStore, text: TextCodec, done: () => void) {
		this.#config = config;
		this.#text = text;
		this.#done = done;
		this.#reader.begin();
		this.#head = new FieldReader(this.#reader, text, 1);
		this.#head.begin(HEAD, []);
		this.#fields = new FieldReader(this.#reader, text, GROUP_DEPTH);
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#reader.push(bytes, start, end);
		this.read();
	}

	end(): void {
		this.#reader.finish();
		this.read();
		if (this.code === "") this.check(this.#head, "");
		if (this.code === "") this.#head.end();
		if (this.code === "") this.check(this.#head, "");
		if (this.code === "" && !this.#hasSettings) this.fail(MISSING_FIELD, describeMissing(SETTINGS), SETTINGS);
		this.#done();
	}

	private read(): void {
		for (;;) {
			const token = this.#reader.next();
			if (token === TOKEN_MORE || token === TOKEN_END) return;
			if (token === TOKEN_ERROR) {
				// Whatever was wrong before: it is no JSON at all.
				this.fail(INVALID_JSON, "The body is not well-formed JSON, or nested too deep.");
				return;
			}
			if (this.code === "") this.take(token);
		}
	}

	private take(token: number): void {
		const isStart = token === TOKEN_OBJECT_START;
		const { depth } = this.#reader;
		switch (this.#where) {
			case NOWHERE:
				if (isStart) this.#where = IN_HEAD;
				else this.fail(INVALID_JSON, "The body must be a JSON object.");
				break;
			case IN_HEAD:
				if (token === TOKEN_NAME && depth === 1 && this.#reader.textEquals(SETTINGS)) this.#where = BEFORE_SETTINGS;
				else this.#head.take(token);
				break;
			case BEFORE_SETTINGS:
				this.#hasSettings = true;
				if (isStart) this.#where = IN_SETTINGS;
				else this.fail(INVALID_FIELD, "settings must be an object of groups.", SETTINGS);
				break;
			case IN_SETTINGS:
				if (token === TOKEN_NAME) this.name();
				else this.#where = IN_HEAD;
				break;
			case BEFORE_GROUP:
				if (isStart) this.#where = IN_GROUP;
				else this.fail(INVALID_FIELD, `${this.path} must be an object of settings.`, this.path);
				break;
			default:
				if (token !== TOKEN_OBJECT_END || depth >= GROUP_DEPTH) this.member(token);
				else this.#where = IN_SETTINGS;
		}
	}

	/** Of a group. One that comes again goes on where it ended. */
	private name(): void {
		const group = BACKUP_GROUPS.find(({ path }) => this.#reader.textEquals(path));
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
		this.#fields.begin(group.table, values.values);
		this.#where = BEFORE_GROUP;
	}

	private get path(): string {
		return this.#values?.group.path ?? "";
	}

	private member(token: number): void {
		const prefix = `${this.path}.`;
		if (this.#flag >= 0) this.flag(token, prefix);
		else if (token === TOKEN_NAME && this.#reader.depth === GROUP_DEPTH && this.isFlag()) return;
		else {
			if (!this.#fields.take(token)) this.ignore(prefix);
			this.check(this.#fields, prefix);
		}
	}

	/** Whether the name that was just read is that of a flag, whose value is the next token. */
	private isFlag(): boolean {
		const secrets = this.#values?.group.secrets ?? [];
		this.#flag = secrets.findIndex(({ name }) => this.#reader.textEquals(`${name}_set`));
		return this.#flag >= 0;
	}

	private flag(token: number, prefix: string): void {
		const name = `${this.#values?.group.secrets[this.#flag].name}_set`;
		if (token !== TOKEN_TRUE && token !== TOKEN_FALSE) {
			this.fail(INVALID_FIELD, `${name} must be true or false.`, prefix + name);
		} else if (this.#values !== undefined) this.#values.flags[this.#flag] = token === TOKEN_TRUE;
		this.#flag = -1;
	}

	/** The name that was just read. */
	private ignore(prefix: string): void {
		const { text, length, truncated } = this.#reader;
		if (this.ignored.length === IGNORED_LIMIT) return;
		const name = truncated || length > NAME_LIMIT ? "…" : this.#text.decode(text, 0, length);
		this.ignored.push(prefix + name);
	}

	private check({ refused, refusal, missing }: FieldReader, prefix: string): void {
		if (refused !== "") this.fail(INVALID_FIELD, refusal, prefix + refused);
		else if (missing !== "") this.fail(MISSING_FIELD, describeMissing(missing), prefix + missing);
	}

	private fail(code: string, message: string, field?: string): void {
		this.code = code;
		this.message = message;
		this.field = field;
	}
}
