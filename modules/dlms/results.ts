/**
 * How an association ended, for the meter reader, which turns it into an error of the API and a message that lists the
 * causes. Numbers of our own; what the meter said, exactly, is kept beside them (Association: `diagnostic`, `exception`).
 */

/** Not over yet. */
export const RESULT_NONE = 0;
/** The list was worked through; single objects may have been refused. */
export const RESULT_READ = 1;

/** An answer makes no sense, or breaks BER or A-XDR. */
export const RESULT_MALFORMED = 10;

/** AARE, without or with a reason that has no number of its own here. */
export const RESULT_REJECTED = 20;
/** AARE 2: the context (plain or ciphered, logical names) is not supported: change `use_encryption`. */
export const RESULT_CONTEXT = 21;
/** AARE 3: the meter does not know our system title. */
export const RESULT_TITLE = 22;
/** AARE 11: another kind of authentication belongs to this client address. */
export const RESULT_MECHANISM = 23;
/** AARE 12, 14: this client address needs authentication, or a higher one. */
export const RESULT_AUTHENTICATION_REQUIRED = 24;
/** AARE 13: wrong password, key or client address. */
export const RESULT_AUTHENTICATION = 25;
/** AARE of the ACSE provider: no common version. */
export const RESULT_ACSE_VERSION = 26;
/** Initiate errors 1 to 4: version of DLMS, services offered, length of an APDU, refused. */
export const RESULT_DLMS_VERSION = 27;
export const RESULT_CONFORMANCE = 28;
export const RESULT_PDU_SIZE = 29;
export const RESULT_INITIATE = 30;

/** The meter can't decipher what we send: wrong key or system title. */
export const RESULT_DECIPHERING = 40;
/** The meter says that our invocation counter is too low (`expectedCounter` may tell what it wants). */
export const RESULT_COUNTER = 41;
/** HLS pass 4: the meter refuses our answer to its challenge: wrong keys. */
export const RESULT_HLS_REFUSED = 42;
/** HLS pass 4: the meter's answer to our challenge is wrong: it does not have the keys. Don't trust it. */
export const RESULT_METER_UNVERIFIED = 43;
/** The tag of an answer is wrong: not the same keys, or the answer was changed. */
export const RESULT_TAG = 44;
/** An answer is less protected than what was asked, or protected in a way that we have no key for. */
export const RESULT_UNPROTECTED = 45;
/** The invocation counter of an answer did not grow. */
export const RESULT_REPLAY = 46;
/** The meter tells no system title, or ours, or another than before. */
export const RESULT_METER_TITLE = 47;

/** The meter has dropped the association (exception 1, 1). */
export const RESULT_LOST = 50;
/** Another exception, or service error, in answer to what is needed for the association. */
export const RESULT_EXCEPTION = 51;

/** A key or the system title that the settings ask for is missing or has a wrong length. */
export const RESULT_KEY_MISSING = 60;
/** No invocation counter is left under this key. */
export const RESULT_COUNTER_EXHAUSTED = 61;
