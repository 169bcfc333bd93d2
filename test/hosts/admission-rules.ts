/**
 * Rules of the admission queue (hosts/native/admission-queue.h), as scripts. The native queue and that of the simulator
 * must both obey them. Each line is a command with an address or with a number of milliseconds:
 *
 *   connect A   a connection from A; its first bytes arrive at once       trust A   a valid token was shown from A
 *   admit       admits the next connection                                forget    a token was revoked
 *   wait MS     advances the time                                         answer A  a connection from A got a reply
 *
 * `admitted`: addresses in the order of `admit`, "-" if none waits. `dropped`: dropped connections, by the number of
 * their `connect` command from 0 on.
 */
export interface AdmissionRule {
	readonly title: string;
	readonly places: number;
	readonly commands: string;
	readonly admitted: string;
	readonly dropped?: string;
}

const LIFE_MS = 1_800_000;

export const ADMISSION_RULES: readonly AdmissionRule[] = [
	{
		title: "admits addresses in turn, and connections of one address in their order",
		places: 8,
		commands:
			"connect a,connect a,connect a,connect b,connect c,connect b,admit,admit,admit,admit,admit,admit,admit,connect c,connect b,connect d,admit,admit,admit",
		admitted: "a b c a b a - d c b",
	},
	{
		title: "admits a trusted address first, but another one after four admissions in a row",
		places: 8,
		commands:
			"trust f,connect a,connect b,connect f,connect f,connect f,connect f,connect f,connect f,admit,admit,admit,admit,admit,admit,admit,admit",
		admitted: "f f f f a f f b",
	},
	{
		title: "admits trusted addresses in turn, then others in turn",
		places: 8,
		commands:
			"trust f,trust g,connect s,connect t,connect f,connect f,connect f,connect g,admit,admit,admit,admit,admit,admit",
		admitted: "f g f f s t",
	},
	{
		title: "admits another address although a trusted one connects again at once",
		places: 6,
		commands:
			"trust f,connect f,connect f,admit,connect new,connect f,admit,connect f,admit,connect f,admit,connect f,admit,admit",
		admitted: "f f f f new f",
	},
	{
		title: "drops a connection of the address that has had most turns for one of a trusted address",
		places: 4,
		commands: "trust f,connect d,admit,connect a,connect b,connect c,connect d,connect f,admit,admit,admit,admit,admit",
		admitted: "d f a b c -",
		dropped: "4",
	},
	{
		title: "admits the address that has had the fewest turns without a token first",
		places: 4,
		commands:
			"connect a,admit,connect a,admit,connect b,admit,connect a,connect b,connect c,admit,admit,admit,trust a,forget,connect a,connect b,admit,admit",
		admitted: "a a b c b a a b",
	},
	{
		title: "when full, keeps a new address, and drops the one that has had most turns",
		places: 3,
		commands:
			"connect a,admit,connect b,admit,connect b,admit,connect a,connect b,connect c,connect d,admit,connect a,connect e,admit,admit,admit,admit",
		admitted: "a b b c d e a -",
		dropped: "4 7",
	},
	{
		title: "counts no turn of a connection that is answered promptly",
		places: 4,
		commands:
			"connect a,admit,answer a,connect a,admit,answer a,connect b,admit,connect b,connect a,connect c,admit,admit,admit",
		admitted: "a a b c a b",
	},
	{
		title: "forgets half of the turns each five minutes",
		places: 4,
		commands: `${"connect a,admit,".repeat(4)}${"connect b,admit,".repeat(3)}wait 300000,connect b,admit,connect a,connect b,admit,admit`,
		admitted: "a a a a b b b b a b",
	},
	{
		title: "when full, drops a connection of the address that has the most, trusted or not",
		places: 4,
		commands:
			"trust f,connect f,connect f,connect f,connect a,connect b,connect c,connect b,admit,admit,admit,admit,admit",
		admitted: "f a b c -",
		dropped: "2 1 6",
	},
	{
		title: "when full, drops a connection of another address rather than of a trusted address that has as many",
		places: 3,
		commands: "connect a,connect b,connect c,trust f,connect f,admit,admit,admit,admit",
		admitted: "f a b -",
		dropped: "2",
	},
	{
		title: "trusts no address after a token was revoked, until a token is shown again",
		places: 4,
		commands: "trust f,forget,connect a,connect f,admit,admit,trust f,connect a,connect f,admit,admit",
		admitted: "a f f a",
	},
	{
		title: "trusts no address that has shown no token for half an hour",
		places: 4,
		commands: `trust f,wait ${LIFE_MS - 1000},connect a,connect f,admit,admit,connect a,connect f,trust f,wait 2000,connect f,admit,admit,admit,wait ${LIFE_MS},connect b,connect f,admit,admit`,
		admitted: "f a f f a b f",
	},
	{
		title: "trusts the four addresses that have shown a token last",
		places: 8,
		commands:
			"trust a,wait 1,trust b,wait 1,trust c,wait 1,trust d,wait 1,trust a,wait 1,trust e,connect b,connect x,connect a,connect e,admit,admit,admit,admit",
		admitted: "a e b x",
	},
];
