/**
 * What is said to a ZNP coprocessor, in the commands of MT (TI's monitor and test interface of Z-Stack): their numbers,
 * and the sequences of them that start it, join and leave.
 *
 * A command is CMD0 << 8 | CMD1: CMD0 has the type in its upper 3 bits (1: request that is answered, 2: without an answer,
 * 3: the answer) and the subsystem in the lower 5. Numbers are little endian, addresses least significant byte first.
 */

/** The answer to a request is this above it. */
export const MT_ANSWER = 0x4000;

export const SYS_RESET = 0x4100;
export const SYS_RESET_IND = 0x4180;
export const SYS_VERSION = 0x2102;
export const SYS_GET_EXTADDR = 0x2104;
export const SYS_NV_READ = 0x2108;
/** A request that the chip does not know, or not so: reason, and the request's 2 bytes. */
export const RPC_ERROR = 0x6000;
export const AF_REGISTER = 0x2400;
export const AF_DATA_REQUEST = 0x2401;
export const AF_DATA_CONFIRM = 0x4480;
/**
 * AF_INCOMING_MSG_EXT (0x4482) is left alone: it brings what is longer than fits here, which of our clusters nothing is, and
 * what was sent from outside of the network (inter-PAN), which nobody may.
 */
export const AF_INCOMING_MSG = 0x4481;
export const ZDO_MGMT_LEAVE = 0x2534;
export const ZDO_EXT_NWK_INFO = 0x2550;
export const ZDO_STATE_CHANGE = 0x45c0;
export const ZDO_LEAVE_IND = 0x45c9;
export const BDB_START = 0x2f05;
export const BDB_RECOVER = 0x2f0a;
export const BDB_NOTIFY = 0x4f80;

/** Status of a BDB_NOTIFY, and what it is about. */
export const BDB_SUCCESS = 0;
export const BDB_IN_PROGRESS = 1;
export const BDB_RESTORED = 13;
export const BDB_STEERING = 1;
export const BDB_PARENT_LOST = 5;

/**
 * The sequences: requests in hexadecimal, with a space behind each. Their first letter may say: `!` its status must be 0;
 * `~` only an end device is told so; `#` the role takes the place of its last byte.
 */

/**
 * After each reset: version, own address, role (NV 0x0087); of an end device the time after which its parent may forget it
 * (2^13 minutes: three days of sleep and more) and how often it asks its parent (3 s: less than a parent keeps what is for
 * it); the endpoint, whose description is added by who sends it.
 */
export const BOOT = "2102 2104 2108870000 ~2f020d ~2f0c0100b80b0000 !2400 ";

/** Back into its network, if it has one; mode 0 opens none for others. */
export const RESTORE = "!2f0500 ";

/** The short address in it is put in by who sends it. */
export const LEAVE = "2534ffff000000000000000000 ";

/**
 * Makes the chip forget its network. The keys become zeros: of the network (NV 0x003A, 0x003B), and the link key that was agreed on
 * with the coordinator (0x0102). Two items are deleted, each by the two lengths that it has, with and without aligned memory
 * (CC2530): the network key with its counter (0x0082), which the next boot makes anew with zeros, and the NIB (0x0021), from which
 * the next start would restore the network. Then STARTUP_OPTION (0x0003): the next boot resets the settings (bit 0, which it
 * clears), the next start of BDB wipes the network (bit 1, which stays until then).
 */
export const WIPE =
	"21093a0000110000000000000000000000000000000000 21093b0000110000000000000000000000000000000000 " +
	"21090201001000000000000000000000000000000000 " +
	"211282001800 211282001500 211221007400 211221006e00 2107030001000103 !21090300000103 ";

/**
 * Before it joins: role (NV 0x0087), tells what the ZDO hears (0x008F), any network (0x0083) of channels 11 to 26 (0x0084), and
 * sends no many-to-one route requests, which are the concentrator's (0x0032). STARTUP_OPTION is left alone: with a 0 in it the
 * next start would go back to the old network.
 */
export const PAIR =
	"#2107870001000100 #21098700000100 21078f0001000101 21098f00000101 21078300020002ffff " +
	"210983000002ffff 2107840004000400f8ff07 21098400000400f8ff07 2107320001000100 21093200000100 ";

/** Any channel of 11 to 26 in the first go, none in a second one; network steering (mode 2). */
export const STEER = "!2f080100f8ff07 !2f080000000000 !2f0502 ";
