/** Password changes in both forms (API text, Authentication 5 and 8). */
import assert from "node:assert/strict";
import {
	innerOf,
	isEmpty,
	isError,
	PASSWORD,
	proofOf,
	type Reply,
	succeeded,
	type TestGateway,
	USERNAME,
} from "./gateway.js";

const OPEN = { token: null };
const NEW = "another password";
const HASH = "ab".repeat(32);

/** Changes the password, and restores the label's. */
export class ChangedPassword {
	readonly #gateway: () => TestGateway;
	now = PASSWORD;

	constructor(gateway: () => TestGateway) {
		this.#gateway = gateway;
	}

	/** Challenge body that changes the password; `old` may be wrong. */
	async body(password: string, old = this.now) {
		const { nonce, salt } = await this.#gateway().read("system/challenge", OPEN);
		return { nonce, proof: proofOf(old, salt, nonce), new_hash: innerOf(password, salt).toString("hex") };
	}

	async to(password: string): Promise<void> {
		const body = await this.body(password);
		this.#gateway().plant(password);
		this.#gateway().plant(body.new_hash);
		isEmpty(await this.post(body));
		this.now = password;
	}

	post(body: unknown): Promise<Reply> {
		return this.#gateway().post("system/password", body, OPEN);
	}

	login(password: string): Promise<Reply> {
		return this.#gateway().post("system/login", { username: USERNAME, password }, OPEN);
	}

	/** Restores the label's password, whatever the present one is. */
	async restore(): Promise<void> {
		while (this.now !== PASSWORD) {
			const reply = await this.post({ old_password: this.now, new_password: PASSWORD });
			if (reply.status === 429) await this.#gateway().pass(Number(reply.headers.get("retry-after")) * 1000);
			else {
				isEmpty(reply);
				this.now = PASSWORD;
			}
		}
	}
}

export function passwordChecks(gateway: () => TestGateway): void {
	const password = new ChangedPassword(gateway);
	const { post, login } = { post: password.post.bind(password), login: password.login.bind(password) };
	const isAlive = async (token: string) => (await gateway().get("meter/protocol", { token })).status === 200;
	const isUnchanged = async () => succeeded(await login(PASSWORD));

	describe("password change", () => {
		afterEach(() => password.restore());
		after(() => gateway().restartWithout("access"));

		describe("by challenge", () => {
			it("makes logins accept the new password and reject the old one", async () => {
				await password.to(NEW);
				isError(await login(PASSWORD), 401, "invalid_proof");
				succeeded(await login(NEW));
			});
			it("keeps the salt", async () => {
				const { salt } = await gateway().read("system/challenge", OPEN);
				await password.to(NEW);
				assert.equal((await gateway().read("system/challenge", OPEN)).salt, salt);
			});
			it("accepts proof and hash in upper case", async () => {
				const { nonce, proof, new_hash } = await password.body(NEW);
				isEmpty(await post({ nonce, proof: proof.toUpperCase(), new_hash: new_hash.toUpperCase() }));
				password.now = NEW;
				succeeded(await login(NEW));
			});
			it("accepts a password of any characters, as the client hashed it", async () => {
				const strange = 'pässwörd \u4e2d\u{1f600} "\\';
				await password.to(strange);
				succeeded(await login(strange));
			});
			it("may set the same password again", async () => {
				await password.to(PASSWORD);
				await isUnchanged();
			});
			it("rejects a wrong proof with 401, and uses up the nonce", async () => {
				const body = await password.body(NEW, "wrong");
				isError(await post(body), 401, "invalid_proof");
				const { salt } = await gateway().read("system/challenge", OPEN);
				isError(await post({ ...body, proof: proofOf(PASSWORD, salt, body.nonce) }), 401, "nonce_invalid");
				await isUnchanged();
			});
			it("rejects a nonce that was used or never issued", async () => {
				const body = await password.body(PASSWORD);
				isEmpty(await post(body));
				isError(await post({ ...body, new_hash: HASH }), 401, "nonce_invalid");
				const { salt } = await gateway().read("system/challenge", OPEN);
				for (const nonce of ["", "x", "0".repeat(64), body.nonce.toUpperCase()]) {
					isError(await post({ nonce, proof: proofOf(PASSWORD, salt, nonce), new_hash: HASH }), 401, "nonce_invalid");
				}
				await isUnchanged();
			});
			it("shares its nonces with the login", async () => {
				const { nonce, proof, new_hash } = await password.body(NEW);
				succeeded(await gateway().post("system/login", { username: USERNAME, nonce, proof }, OPEN));
				isError(await post({ nonce, proof, new_hash }), 401, "nonce_invalid");
			});
			it("rejects the hash of the empty password, without using up the nonce", async () => {
				const { salt } = await gateway().read("system/challenge", OPEN);
				const body = await password.body(NEW);
				const new_hash = innerOf("", salt).toString("hex");
				for (const hash of [new_hash, new_hash.toUpperCase()]) {
					isError(await post({ ...body, new_hash: hash }), 400, "invalid_field", "new_hash");
				}
				isEmpty(await post(body));
				password.now = NEW;
			});
		});

		describe("in plaintext", () => {
			it("works over HTTPS with passwords of 8 to 128 characters", async () => {
				for (const next of ["12345678", "x".repeat(128), "ü".repeat(8), NEW]) {
					gateway().plant(next);
					isEmpty(await post({ old_password: password.now, new_password: next }));
					password.now = next;
					succeeded(await login(next));
				}
			});
			it("rejects a new password that is shorter, longer or empty, and counts no failure", async () => {
				for (const next of ["", "x", "1234567", "x".repeat(129)]) {
					for (let i = 0; i < 3; i++) {
						const reply = await post({ old_password: PASSWORD, new_password: next });
						isError(reply, 400, "invalid_field", "new_password");
					}
				}
				await isUnchanged();
			});
			it("rejects a wrong old password with 403", async () => {
				for (const old of ["wrong", "", `${PASSWORD} `]) {
					isError(await post({ old_password: old, new_password: NEW }), 403, "invalid_proof");
				}
				await isUnchanged();
			});
			it("is not used for a request that has part of the other form", async () => {
				const plain = { old_password: PASSWORD, new_password: NEW };
				isError(await post({ ...plain, new_hash: HASH }), 400, "missing_field", "nonce");
				isError(await post({ ...plain, nonce: "x" }), 400, "missing_field", "proof");
				isError(await post({ ...plain, proof: "x" }), 400, "missing_field", "nonce");
				isError(await post({ ...plain, nonce: "x", proof: "x", new_hash: HASH }), 401, "nonce_invalid");
				await isUnchanged();
			});
		});

		describe("fields", () => {
			const whole = { nonce: "x", proof: "00", new_hash: HASH };

			it("are all required in either form", async () => {
				const { nonce, proof, new_hash } = whole;
				isError(await post({}), 400, "missing_field", "nonce");
				isError(await post({ username: USERNAME }), 400, "missing_field", "nonce");
				isError(await post({ proof, new_hash }), 400, "missing_field", "nonce");
				isError(await post({ nonce, new_hash }), 400, "missing_field", "proof");
				isError(await post({ nonce, proof }), 400, "missing_field", "new_hash");
				isError(await post({ old_password: PASSWORD }), 400, "missing_field", "new_password");
				isError(await post({ new_password: NEW }), 400, "missing_field", "old_password");
				await isUnchanged();
			});
			for (const field of ["nonce", "proof", "new_hash", "old_password", "new_password"]) {
				it(`${field} must be text`, async () => {
					for (const value of [null, 0, 1.5, true, [], [HASH], {}, { a: HASH }]) {
						isError(await post({ ...whole, [field]: value }), 400, "invalid_field", field);
					}
				});
			}
			it("new_hash must be 64 hex digits, even if the proof is right", async () => {
				const body = await password.body(NEW);
				for (const hash of ["", "00", HASH.slice(1), `${HASH}0`, HASH.replace(/.$/, "g"), HASH.replace(/^./, " ")]) {
					isError(await post({ ...body, new_hash: hash }), 400, "invalid_field", "new_hash");
				}
				isEmpty(await post({ ...body, new_hash: (await password.body(PASSWORD)).new_hash }));
				await isUnchanged();
			});
			it("are accepted up to their greatest length and rejected beyond it", async () => {
				for (const field of ["nonce", "proof"]) {
					isError(await post({ ...whole, [field]: "a".repeat(128) }), 401, "nonce_invalid");
					isError(await post({ ...whole, [field]: "a".repeat(129) }), 400, "invalid_field", field);
				}
				isError(await post({ old_password: "a".repeat(128), new_password: NEW }), 403, "invalid_proof");
				isError(await post({ old_password: "a".repeat(129), new_password: NEW }), 400, "invalid_field", "old_password");
			});
			it("are ignored if they are unknown", async () => {
				const body = await password.body(NEW);
				isEmpty(await post({ ...body, username: "nobody", password: 1, salt: null }));
				password.now = NEW;
			});
		});

		it("needs no token and ignores an invalid one", async () => {
			const body = { old_password: PASSWORD, new_password: PASSWORD };
			isEmpty(await gateway().post("system/password", body, { token: "nonsense" }));
		});
		it("ends all sessions in either form, including that of the client that changed it", async () => {
			for (const change of [
				() => password.to(NEW),
				async () => isEmpty(await post({ old_password: NEW, new_password: NEW })),
			]) {
				const { token } = succeeded(await login(password.now));
				const other = succeeded(await login(password.now)).token;
				assert.ok(await isAlive(token));
				await change();
				assert.equal(await isAlive(token), false);
				assert.equal(await isAlive(other), false);
			}
		});
		it("ends no session if it fails", async () => {
			isError(await post({ old_password: "wrong", new_password: NEW }), 403, "invalid_proof");
			isError(await post(await password.body(NEW, "wrong")), 401, "invalid_proof");
			assert.ok(await isAlive(gateway().token));
		});
		it("survives a restart, and the status shows that the password is not the label's", async () => {
			await password.to(NEW);
			await gateway().restart();
			isError(await login(PASSWORD), 401, "invalid_proof");
			const { token } = succeeded(await login(NEW));
			assert.equal((await gateway().read("system/status", { token })).password_default, false);
		});
		it("counts its failures together with those of logins, in both forms", async () => {
			const spare = await password.body(NEW);
			isError(await login("guess"), 401, "invalid_proof");
			isError(await post({ old_password: "guess", new_password: NEW }), 403, "invalid_proof");
			isError(await post(await password.body(NEW, "guess")), 401, "invalid_proof");
			isError(await post({ old_password: "guess", new_password: NEW }), 403, "invalid_proof");
			isError(await login("guess"), 401, "invalid_proof");
			const right = { old_password: PASSWORD, new_password: NEW };
			for (const blocked of [await post(spare), await post(right), await login(PASSWORD)]) {
				isError(blocked, 429, "too_many_attempts");
				assert.equal(blocked.headers.get("retry-after"), "1");
			}
			assert.ok(await isAlive(gateway().token));
			await gateway().pass(1050);
			// The nonce was not used up, and success resets the limiter.
			isEmpty(await post(spare));
			password.now = NEW;
			for (let i = 0; i < 4; i++) isError(await login("guess"), 401, "invalid_proof");
			succeeded(await login(NEW));
		});
	});
}

export function plainPasswordChecks(gateway: () => TestGateway): void {
	const password = new ChangedPassword(gateway);
	const plain = { secure: false, token: null };

	describe("password change over plain HTTP", () => {
		afterEach(() => password.restore());
		after(() => gateway().restartWithout("access"));

		it("works by challenge", async () => {
			const body = await password.body(NEW);
			isEmpty(await gateway().post("system/password", body, plain));
			password.now = NEW;
			succeeded(await password.login(NEW));
		});
		it("rejects plaintext passwords, whether right or wrong, complete or not", async () => {
			for (const body of [
				{ old_password: PASSWORD, new_password: NEW },
				{ old_password: "wrong", new_password: NEW },
				{ old_password: PASSWORD, new_password: "" },
				{ old_password: PASSWORD },
				{ new_password: NEW },
			]) {
				for (let i = 0; i < 3; i++)
					isError(await gateway().post("system/password", body, plain), 403, "https_required");
			}
			// None of these counted as a failed attempt.
			succeeded(await password.login(PASSWORD));
		});
	});
}
