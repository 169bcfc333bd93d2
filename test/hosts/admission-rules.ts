/**
 * Rules of an admission queue (hosts/native/admission-queue.h), as scripts that every queue must obey: the native one
 * and the simulator's. Each line is a command with an address or with a number of milliseconds:
 *
 *   come A     a connection from A, whose first bytes arrive at once     know A     a valid token was shown from A
 *   take       admits the next one                                       forget     a token was revoked
 *   pass MS    advances the time
 *
 * `taken`: addresses in the order of `take`, "-" if none waits. `left`: dropped connections, by the number of their
 * `come` line from 0 on.
 */
export interface AdmissionRule {
	readonly title: string;
	readonly places: number;
	readonly commands: string;
	readonly taken: string;
	readonly left?: string;
}

const LIFE_MS = 1_800_000;

export const ADMISSION_RULES: readonly AdmissionRule[] = [
	{
		title: "admits addresses in turn, and connections of one address in their order",
		places: 8,
		commands:
			"come a,come a,come a,come b,come c,come b,take,take,take,take,take,take,take,come c,come b,come d,take,take,take",
		taken: "a b c a b a - d c b",
	},
	{
		title: "admits a trusted address first, but another one after four admissions in a row",
		places: 8,
		commands: "know f,come a,come b,come f,come f,come f,come f,come f,come f,take,take,take,take,take,take,take,take",
		taken: "f f f f a f f b",
	},
	{
		title: "admits trusted addresses in turn, then others in turn",
		places: 8,
		commands: "know f,know g,come s,come t,come f,come f,come f,come g,take,take,take,take,take,take",
		taken: "f g f f s t",
	},
	{
		title: "admits another address although a trusted one connects again at once",
		places: 6,
		commands: "know f,come f,come f,take,come new,come f,take,come f,take,come f,take,come f,take,take",
		taken: "f f f f new f",
	},
	{
		title: "admits a trusted address's newest connection first, and drops one of another address for it",
		places: 4,
		commands: "know f,come a,come b,come c,come d,take,come e,come f,take,come g,come f,take,take",
		taken: "a f f b",
		left: "4 6",
	},
	{
		title: "when full, drops a connection of the address that has the most, trusted or not",
		places: 4,
		commands: "know f,come f,come f,come f,come a,come b,come c,come b,take,take,take,take,take",
		taken: "f a b c -",
		left: "2 1 6",
	},
	{
		title: "when full, drops another address's connection rather than that of a trusted address with as many",
		places: 3,
		commands: "come a,come b,come c,know f,come f,take,take,take,take",
		taken: "f a b -",
		left: "2",
	},
	{
		title: "when full, rejects a new address if each connection is of a different address",
		places: 3,
		commands: "come a,come b,come c,come d,take,take,take,take",
		taken: "a b c -",
		left: "3",
	},
	{
		title: "trusts no address after a token was revoked, until a token is shown again",
		places: 4,
		commands: "know f,forget,come a,come f,take,take,know f,come a,come f,take,take",
		taken: "a f f a",
	},
	{
		title: "trusts no address that has shown no token for half an hour",
		places: 4,
		commands: `know f,pass ${LIFE_MS - 1000},come a,come f,take,take,come a,come f,know f,pass 2000,come f,take,take,take,pass ${LIFE_MS},come b,come f,take,take`,
		taken: "f a f f a b f",
	},
	{
		title: "trusts the four addresses that have shown a token last",
		places: 8,
		commands:
			"know a,pass 1,know b,pass 1,know c,pass 1,know d,pass 1,know a,pass 1,know e,come b,come x,come a,come e,take,take,take,take",
		taken: "a e b x",
	},
];
