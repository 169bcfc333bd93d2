/** Output of `npm run meter -- --protocol dlms --help`. */

export const DLMS_HELP = `A smart meter with DLMS/COSEM in HDLC at the end of a serial line, for trying the gateway without one.

  npm run meter -- --protocol dlms [options]

Without --port it opens a pseudo-terminal and prints its path as the first line: "meter /dev/pts/N".
It is a household's three-phase meter with moving values. LIST: numbers and spans, as in 3,5-7,9-

Line:
  --port PATH         a serial port (8N1) instead of a pseudo-terminal
  --socket PATH       the serial port of an emulator instead: a Unix socket that it makes, waited for as long as it takes
  --baud N            direct HDLC at this rate (default 9600); with --mode-e what the identification promises
  --mode-e            begins with a sign-on at 300 Bd, 7E1; back to it after DISC
  --mode-e-only       the same, and no readout in mode C
  --ident TEXT        with --mode-e: the identification after the slash (default LGZ5\\2ZMD3104); 5 gives way to the rate
  --address A         with --mode-e: device address, answers this one and the general sign-on
  --no-confirm        with --mode-e: the acknowledgement of the reader is not sent back
  --linger MS         with --mode-e: after DISC it still listens to HDLC for so long (default 0)
  --inactivity S      a link in which nothing comes is closed (default 120)
  --reaction MS       pause before an answer (default 20; with --mode-e 200 at the sign-on; 5 on a pseudo-terminal
                      without --baud-pace)
  --baud-pace         pseudo-terminal: as slow as the real line, and garbage for a reader at the wrong speed
  --at ISO            the household's time stands still at this moment

HDLC:
  --logical N, --physical N   the server's address (default 1 and 17)
  --address-length N  the only length that it listens to: 1, 2 or 4 bytes (default all; without lower part too)
  --hdlc-info N[:M]   bytes of information in a frame sent, and received (default 128)
  --window N          frames without an acknowledgement, 1 to 7 (default 1)
  --bare-ua           UA without parameters

Associations:
  --public-client N, --lls-client N, --gmac-client N   who needs nothing, a password, HLS with GMAC (16, 32, 1)
  --password TEXT     or hex:DIGITS (default 12345678)
  --hls-digest        HLS of its client is by SHA-256, with the password as the secret, in place of GMAC
  --keep-association  one that was not ended by RLRQ is kept: the next is refused
  --guek HEX, --ak HEX   keys (default 000102…0F and D0D1…DF)
  --system-title HEX  of the meter (default 4757530000BC614E)
  --security auth|encrypt|both   protection of ciphered messages (default both)
  --encryption off|allowed|required   for the clients that are not public (default allowed)
  --general-glo       answers in general-glo-ciphering
  --invocation-counter N   last one accepted (default 0); the next are counted
  --pdu N             largest APDU (default 1024): longer answers come in blocks
  --conformance HEX   what it offers (default 001215: get, with list, in blocks, selective, action)
  --public-limited    the public client reads clock, names and counter only

Objects:
  --missing CODE,…    object undefined (4); CODE as in 1.8.0 or 0-0:96.1.0, CODE/3 for one attribute
  --deny CODE,…       read or write denied (3)
  --result CODE=N,…   any other result
  --odd-types         64 bits, floats, text, null and more where numbers are expected
  --zone MINUTES      ahead of UTC (default 60); --zone-sign standard|swapped|none how the clock tells it

Faults:
  --silence N         no answer to the first N sign-ons; without --mode-e to the first N SNRM
  --lie BAUD          with --mode-e: the identification promises what it likes, only BAUD works
  --dm N              the first N SNRM are answered by DM; --dm-until-disc: each until a DISC comes
  --rnr N, --rej N    RNR comes N times before an answer; the first N I frames are rejected by REJ
  --frmr N            the Nth I frame is answered by FRMR
  --lose-after N      the link is lost after N APDUs
  --refuse RESULT:SOURCE:DIAGNOSTIC   each association, e.g. 1:1:2; --bare-refusal: without user information
  --initiate-error N  1 version, 2 conformance, 3 PDU size
  --on-wrong-key HOW, --on-low-counter HOW   aare, exception, decipher-exception, silence or dm (default aare, which
                      answers requests by the exception; and exception)
  --wrong-f-ctos      the meter's answer to the challenge is wrong
  --action-result N   pass 3 of HLS is refused
  --exception STATE:SERVICE[:N]   answers requests, after the first N
  --hls maker|md5|sha1|sha256|ecdsa   what the GMAC client needs instead; --hls-reply refuse|hide|accept: each association
                      is refused (default), that without naming it, or accepted and challenged
  --suite 1|2         the security suite that its messages tell; it takes those of suites 0 and 1, with --strict-suite
                      those of its own only
  --short-names refuse|accept   each association: it goes by short names
  --wrong-fcs LIST, --wrong-hcs LIST, --cut LIST, --drop LIST, --duplicate LIST, --garbage LIST, --notify LIST
                      frames that the meter sends, from 1 on: a check is wrong, half of it, none, twice; after
                      rubbish; after a data notification
  --late MS           each answer comes this much later
  --damage N          a bit is flipped in one of N characters; --seed N chooses which (default 1)
  --echo              everything received is sent back

  --quiet             no log of the conversation (on stderr)
  --help              this text
`;
