/**
 * MT commands (TI's monitor and test interface of Z-Stack) for a ZNP coprocessor, and sequences of such commands.
 *
 * A command is CMD0 << 8 | CMD1. CMD0 has the type in its upper 3 bits (1: request with an answer, 2: request without
 * an answer, 3: answer) and the subsystem in the lower 5. Numbers are little-endian.
 */

/** Difference between the command of an answer and that of its request. */
export const MT_ANSWER = 0x4000;

export const SYS_RESET = 0x4100;
export const SYS_RESET_IND = 0x4180;
export const SYS_VERSION = 0x2102;
export const SYS_GET_EXTADDR = 0x2104;
export const SYS_NV_READ = 0x2108;
/** A request was rejected. The data are a reason and the 2 bytes of the rejected command. */
export const RPC_ERROR = 0x6000;
export const AF_REGISTER = 0x2400;
export const AF_DATA_REQUEST = 0x2401;
export const AF_DATA_CONFIRM = 0x4480;
/**
 * AF_INCOMING_MSG_EXT (0x4482) is ignored, because such frames are too long for the gateway, or come from outside the
 * network (inter-PAN).
 */
export const AF_INCOMING_MSG = 0x4481;
export const ZDO_MGMT_LEAVE = 0x2534;
export const ZDO_EXT_NWK_INFO = 0x2550;
export const ZDO_STATE_CHANGE = 0x45c0;
export const ZDO_LEAVE_IND = 0x45c9;
export const BDB_START = 0x2f05;
export const BDB_RECOVER = 0x2f0a;
export const BDB_NOTIFY = 0x4f80;

export const BDB_SUCCESS = 0;
export const BDB_IN_PROGRESS = 1;
export const BDB_RESTORED = 13;
/** Values in BDB_NOTIFY that name the process to which the status belongs. */
export const BDB_STEERING = 1;
export const BDB_PARENT_LOST = 5;

/**
 * The following sequences are requests in hexadecimal, with a space after each. Prefixes of a request: with `!`, the
 * status of the answer must be 0; with `~`, the request is sent only to end devices; with `#`, the role replaces the
 * last byte.
 */

/**
 * Sent after each reset. It reads the version, the chip's address and its role (NV 0x0087). For an end device, it sets
 * the time for which the parent remembers the device (2^13 minutes), and the poll interval (3 s, which is shorter than
 * the time for which a parent stores frames). The last request registers the endpoint; the code that sends it adds the
 * endpoint's description.
 */
export const BOOT = "2102 2104 2108870000 ~2f020d ~2f0c0100b80b0000 !2400 ";

/** Returns to the present network, if there is one (mode 0), without opening it to other devices. */
export const RESTORE = "!2f0500 ";

/** Leaves the network. The code that sends this request inserts the short address. */
export const LEAVE = "2534ffff000000000000000000 ";

/**
 * Forgets the network. Zeros overwrite the network keys (NV 0x003A, 0x003B) and the link key (0x0102). Two items are
 * deleted: the network key with its counter (0x0082), which the next boot creates again with zeros, and the NIB
 * (0x0021), from which the next start would restore the network. Each is deleted with both lengths that it can have,
 * because a CC2530 aligns data differently. Then STARTUP_OPTION (0x0003) is set. Its bit 0 makes the next boot reset
 * the settings, and is then cleared. Its bit 1 makes the next start of BDB erase the network, and stays set until then.
 */
export const WIPE =
	"21093a0000110000000000000000000000000000000000 21093b0000110000000000000000000000000000000000 " +
	"21090201001000000000000000000000000000000000 " +
	"211282001800 211282001500 211221007400 211221006e00 2107030001000103 !21090300000103 ";

/**
 * Sent before joining. It sets the role (NV 0x0087), enables ZDO callbacks (0x008F), allows any network (0x0083) on
 * channels 11 to 26 (0x0084), and turns off many-to-one route requests (0x0032), which only a concentrator should send.
 * STARTUP_OPTION is not written, because with 0 the next start would return to the old network.
 */
export const PAIR =
	"#2107870001000100 #21098700000100 21078f0001000101 21098f00000101 21078300020002ffff " +
	"210983000002ffff 2107840004000400f8ff07 21098400000400f8ff07 2107320001000100 21093200000100 ";

/** Scans channels 11 to 26 (without a second scan), then joins a network by steering (mode 2). */
export const STEER = "!2f080100f8ff07 !2f080000000000 !2f0502 ";
