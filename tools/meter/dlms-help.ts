/** Text that `npm run meter -- --protocol dlms --help` prints. */

export const DLMS_HELP = `A smart meter with DLMS/COSEM in HDLC at the end of a serial line, for trying the gateway without one.

  npm run meter -- --protocol dlms [options]

Without --port it opens a pseudo-terminal and prints its path as the first line: "meter /dev/pts/N".
It is a household's three-phase meter with moving values. LIST: numbers and ranges, as in 3,5-7,9-

Line:
  --port PATH         a serial port (8N1) instead of a pseudo-terminal
  --socket PATH       an emulator's serial port instead: a Unix socket; the meter waits until the emulator has made it
  --baud N            direct HDLC at this rate (default 9600); with --mode-e: the rate that the identification proposes
  --mode-e            begins with a sign-on at 300 Bd, 7E1, and returns to it after DISC
  --mode-e-only       as --mode-e, but without a readout in mode C
  --ident TEXT        with --mode-e: the identification after the slash (default LGZ5\\2ZMD3104); the rate replaces the 5
  --address A         with --mode-e: device address; the meter answers it and the general sign-on
  --no-confirm        with --mode-e: does not confirm the acknowledgement of the reader
  --linger MS         with --mode-e: time for which the meter still accepts HDLC after DISC (default 0)
  --inactivity S      closes a link after S seconds without input (default 120)
  --reaction MS       pause before an answer (default 20; with --mode-e 200 at the sign-on; 5 on a pseudo-terminal
                      without --baud-pace)
  --baud-pace         pseudo-terminal: as slow as the real line, and garbage for a reader at the wrong speed
  --at ISO            sets the household's time, which then stands still

HDLC:
  --logical N, --physical N   the server's address (default 1 and 17)
  --address-length N  the only accepted length of addresses: 1, 2 or 4 bytes (default: all, also without the lower part)
  --hdlc-info N[:M]   bytes of information in a frame sent, and received (default 128)
  --window N          frames without an acknowledgement, 1 to 7 (default 1)
  --bare-ua           sends UA without parameters

Associations:
  --public-client N, --lls-client N, --gmac-client N   clients with no authentication, a password, GMAC (16, 32, 1)
  --password TEXT     or hex:DIGITS (default 12345678)
  --hls-digest        the GMAC client uses HLS with SHA-256 instead, with the password as the secret
  --keep-association  keeps an association that was not ended by RLRQ, and refuses the next one
  --guek HEX, --ak HEX   keys (default 000102…0F and D0D1…DF)
  --system-title HEX  of the meter (default 4757530000BC614E)
  --security auth|encrypt|both   protection of ciphered messages (default both)
  --encryption off|allowed|required   encryption for the clients that are not public (default allowed)
  --general-glo       answers in general-glo-ciphering
  --invocation-counter N   last accepted invocation counter (default 0); later ones must be higher
  --pdu N             largest APDU (default 1024): longer answers come in blocks
  --conformance HEX   services offered (default 001215: get, with list, in blocks, selective, action)
  --public-limited    the public client reads clock, names and counter only

Objects:
  --missing CODE,…    these objects are undefined (4); CODE as in 1.8.0 or 0-0:96.1.0, CODE/3 for one attribute
  --deny CODE,…       reading and writing these objects is denied (3)
  --result CODE=N,…   result N for the object
  --odd-types         sends 64 bits, floats, text, null and more where numbers are expected
  --counter-rows N    1-0:99.1.0 has the counters of the last N quarter hours, for filling the gateway's history
  --zone MINUTES      minutes ahead of UTC (default 60); --zone-sign standard|swapped|none: sign with which the clock sends it

Faults:
  --silence N         no answer to the first N sign-ons; without --mode-e to the first N SNRM
  --lie BAUD          with --mode-e: the meter switches to BAUD, whatever rate its identification proposes
  --dm N              answers the first N SNRM with DM; --dm-until-disc: all until a DISC is received
  --rnr N, --rej N    sends RNR N times before an answer; rejects the first N I frames with REJ
  --frmr N            the Nth I frame is answered with FRMR
  --lose-after N      the link is lost after N APDUs
  --refuse RESULT:SOURCE:DIAGNOSTIC   each association, e.g. 1:1:2; --bare-refusal: without user information
  --initiate-error N  1 version, 2 conformance, 3 PDU size
  --on-wrong-key HOW, --on-low-counter HOW   aare, exception, decipher-exception, silence or dm (default aare, which
                      answers requests with the exception; and exception)
  --wrong-f-ctos      sends a wrong answer to the client's challenge
  --action-result N   pass 3 of HLS is refused
  --exception STATE:SERVICE[:N]   answers all requests after the first N with this exception
  --request-limit N   answers only N requests in each association, so that the gateway's live mode has to give up
  --hls maker|md5|sha1|sha256|ecdsa   mechanism of the GMAC client instead; --hls-reply refuse|hide|accept: each association
                      is refused (default), refused without naming the mechanism, or accepted and challenged
  --suite 1|2         the security suite named in its messages; it accepts messages of suites 0 and 1, with
                      --strict-suite only those of its own suite
  --short-names refuse|accept   uses short names, and refuses or accepts each association
  --wrong-fcs LIST, --wrong-hcs LIST, --cut LIST, --drop LIST, --duplicate LIST, --garbage LIST, --notify LIST
                      numbers of sent frames, from 1 on: wrong check; half the frame; not sent; sent twice; sent
                      after garbage; after a data notification
  --late MS           each answer is delayed by MS milliseconds
  --damage N          flips a bit in one of N characters; --seed N determines which (default 1)
  --echo              sends back everything received

  --quiet             does not log the session on stderr
  --help              prints this text
`;
