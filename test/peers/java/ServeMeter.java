import gurux.dlms.GXDLMSConnectionEventArgs;
import gurux.dlms.GXDateTime;
import gurux.dlms.GXServerReply;
import gurux.dlms.ValueEventArgs;
import gurux.dlms.enums.AccessMode;
import gurux.dlms.enums.Authentication;
import gurux.dlms.enums.Conformance;
import gurux.dlms.enums.DataType;
import gurux.dlms.enums.ErrorCode;
import gurux.dlms.enums.MethodAccessMode;
import gurux.dlms.enums.ObjectType;
import gurux.dlms.enums.SourceDiagnostic;
import gurux.dlms.enums.Unit;
import gurux.dlms.objects.GXDLMSAssociationLogicalName;
import gurux.dlms.objects.GXDLMSClock;
import gurux.dlms.objects.GXDLMSData;
import gurux.dlms.objects.GXDLMSExtendedRegister;
import gurux.dlms.objects.GXDLMSHdlcSetup;
import gurux.dlms.objects.GXDLMSObject;
import gurux.dlms.objects.GXDLMSProfileGeneric;
import gurux.dlms.objects.GXDLMSRegister;
import gurux.dlms.objects.enums.SecuritySuite;
import gurux.dlms.objects.enums.SortMethod;
import gurux.dlms.secure.GXDLMSSecureServer2;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.LogManager;

/**
 * A DLMS meter made with Gurux' gurux.dlms, in HDLC, with the line on standard input and output. Its values are
 * constant; they are those of `guruxObjects` in gurux-server.ts.
 *
 *   ServeMeter [pdu=N] [info=N] [window=N] [password=TEXT] [ek=HEX] [ak=HEX] [title=HEX] [list=off] [names=short]
 *              [suite=1] [selective=off] [in-use=off]
 *
 * Its load profile 1-0:99.1.0 has PROFILE_ROWS rows of quarter hours, the last at MOMENT_MS: clock, status (its number
 * mod 3), 1.0.1.8.0.255 (12 572 239 Wh in the last row, 250 less in each earlier one). With `selective=off` it has four
 * rows, and no selective access; with `in-use=off` it does not report its number of rows.
 *
 * Client 16 needs no authentication, client 32 the password, client 1 HLS with GMAC, client 2 HLS with SHA-256 and the
 * password. The logical device is 1, the physical device 17 or none.
 */
class ServeMeter extends GXDLMSSecureServer2 {
    private static final int BUFFER_BYTES = 4096;
    /** Sent when the meter is ready; not part of the session. */
    private static final int READY = '\n';
    private static final int LOW_CLIENT = 32;
    private static final int GMAC_CLIENT = 1;
    private static final int SHA256_CLIENT = 2;
    private static final int LOGICAL = 1;
    private static final int PHYSICAL = 17;
    /** 2026-06-21T18:30:00Z. */
    private static final long MOMENT_MS = 1_782_066_600_000L;

    private static final int PROFILE_ROWS = 120;
    private static final int PROFILE_PERIOD_S = 900;

    private static final String LONG_TEXT =
        "0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 and so on up to this point";

    private final String password;
    final GXDLMSProfileGeneric profile = new GXDLMSProfileGeneric("1.0.99.1.0.255");
    private final boolean hidesRows;
    private int client;

    ServeMeter(Map<String, String> options, GXDLMSHdlcSetup hdlc) {
        this(new GXDLMSAssociationLogicalName(), options, hdlc);
    }

    private ServeMeter(GXDLMSAssociationLogicalName association, Map<String, String> options, GXDLMSHdlcSetup hdlc) {
        super(association, hdlc);
        password = options.getOrDefault("password", "12345678");
        hidesRows = options.containsKey("in-use");
        association.setSecret(password.getBytes());
        setMaxReceivePDUSize(Integer.parseInt(options.getOrDefault("pdu", "1024")));
        EnumSet<Conformance> services =
            EnumSet.of(Conformance.GET, Conformance.ACTION, Conformance.BLOCK_TRANSFER_WITH_GET_OR_READ);
        if (!options.getOrDefault("list", "on").equals("off")) services.add(Conformance.MULTIPLE_REFERENCES);
        boolean isSelective = !options.getOrDefault("selective", "on").equals("off");
        if (isSelective) services.add(Conformance.SELECTIVE_ACCESS);
        setConformance(services);
        getCiphering().setSystemTitle(hex(options.getOrDefault("title", "4757530000BC614E")));
        getCiphering().setBlockCipherKey(hex(options.getOrDefault("ek", "000102030405060708090A0B0C0D0E0F")));
        getCiphering().setAuthenticationKey(hex(options.getOrDefault("ak", "D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF")));
        if (options.containsKey("suite")) getCiphering().setSecuritySuite(SecuritySuite.SUITE_1);
        // The association object still uses logical names, but no client reads it.
        if (options.containsKey("names")) setUseLogicalNameReferencing(false);
        addObjects(isSelective ? PROFILE_ROWS : 4);
        initialize();
        // If the period were set before `initialize`, the profile would add rows by itself.
        profile.setCapturePeriod(PROFILE_PERIOD_S);
    }

    private void addObjects(int profileRows) {
        GXDLMSClock clock = new GXDLMSClock("0.0.1.0.0.255");
        clock.setTime(new GXDateTime(new Date(MOMENT_MS)));
        getItems().add(clock);
        addData("0.0.42.0.0.255", "GWS0000048151623".getBytes(), DataType.OCTET_STRING);
        addData("0.0.96.1.0.255", "48151623".getBytes(), DataType.OCTET_STRING);
        addData("0.0.96.1.1.255", LONG_TEXT.getBytes(), DataType.OCTET_STRING);
        addData("0.0.43.1.0.255", 0L, DataType.UINT32);
        GXDLMSRegister energy = new GXDLMSRegister("1.0.1.8.0.255");
        addRegister(energy, 12572239L, DataType.UINT32, 1, Unit.ACTIVE_ENERGY);
        addProfile(clock, energy, profileRows);
        addRegister(new GXDLMSRegister("1.0.2.8.0.255"), 9007199254740993L, DataType.UINT64, 0.001, Unit.ACTIVE_ENERGY);
        addRegister(new GXDLMSRegister("1.0.16.7.0.255"), -1234, DataType.INT32, 1, Unit.ACTIVE_POWER);
        addRegister(new GXDLMSRegister("1.0.32.7.0.255"), 2304, DataType.UINT16, 0.1, Unit.VOLTAGE);
        addRegister(new GXDLMSRegister("1.0.52.7.0.255"), 231.5f, DataType.FLOAT32, 1, Unit.VOLTAGE);
        GXDLMSExtendedRegister maximum = new GXDLMSExtendedRegister("1.0.1.6.0.255");
        maximum.setStatus(0);
        maximum.setCaptureTime(new GXDateTime(new Date(MOMENT_MS)));
        addRegister(maximum, 3702L, DataType.UINT32, 1, Unit.ACTIVE_POWER);
    }

    private void addProfile(GXDLMSClock clock, GXDLMSRegister energy, int rows) {
        GXDLMSData status = new GXDLMSData("0.0.96.10.1.255");
        status.setDataType(2, DataType.UINT8);
        status.setValue(0);
        getItems().add(status);
        profile.setSortMethod(SortMethod.FIFO);
        profile.setSortObject(clock);
        profile.setSortObjectAttributeIndex(2);
        profile.setProfileEntries(rows);
        profile.addCaptureObject(clock, 2, 0);
        profile.addCaptureObject(status, 2, 0);
        profile.addCaptureObject(energy, 2, 0);
        for (int i = 0; i < rows; i++) {
            int before = rows - 1 - i;
            Date time = new Date(MOMENT_MS - before * PROFILE_PERIOD_S * 1000L);
            profile.addRow(new Object[] { new GXDateTime(time), before % 3, 12572239L - 250L * before });
        }
        profile.setEntriesInUse(rows);
        getItems().add(profile);
    }

    private void addData(String code, Object value, DataType type) {
        GXDLMSData data = new GXDLMSData(code);
        data.setDataType(2, type);
        data.setValue(value);
        getItems().add(data);
    }

    private void addRegister(GXDLMSRegister register, Object value, DataType type, double scaler, Unit unit) {
        register.setScaler(scaler);
        register.setUnit(unit);
        register.setDataType(2, type);
        // The library divides a value by the scaler, so onPreRead sets the raw number.
        register.setDescription(value.toString());
        getItems().add(register);
    }

    @Override
    protected boolean isTarget(int server, int from) {
        client = from;
        boolean isUs = server == LOGICAL || (server >> 7) == LOGICAL && (server & 0x7F) == PHYSICAL
            || (server >> 14) == LOGICAL && (server & 0x3FFF) == PHYSICAL;
        return isUs && (from == 16 || from == LOW_CLIENT || from == GMAC_CLIENT || from == SHA256_CLIENT);
    }

    @Override
    protected SourceDiagnostic onValidateAuthentication(Authentication authentication, byte[] secret) {
        Authentication own = client == LOW_CLIENT
            ? Authentication.LOW
            : client == GMAC_CLIENT
                ? Authentication.HIGH_GMAC
                : client == SHA256_CLIENT ? Authentication.HIGH_SHA256 : Authentication.NONE;
        if (authentication != own) {
            return authentication == Authentication.NONE
                ? SourceDiagnostic.MECHANISM_NAME_REGUIRED
                : SourceDiagnostic.NOT_RECOGNISED;
        }
        boolean isRight = own != Authentication.LOW || Arrays.equals(secret, password.getBytes());
        return isRight ? SourceDiagnostic.NONE : SourceDiagnostic.AUTHENTICATION_FAILURE;
    }

    @Override
    public void onPreRead(ValueEventArgs[] requests) {
        for (ValueEventArgs request : requests) {
            GXDLMSObject target = request.getTarget();
            if (target instanceof GXDLMSRegister && request.getIndex() == 2) {
                request.setValue(parse(target.getDescription(), target.getDataType(2)));
                request.setHandled(true);
            }
        }
    }

    private static Object parse(String text, DataType type) {
        return type == DataType.FLOAT32 ? (Object) Float.valueOf(text) : Long.valueOf(text);
    }

    @Override
    protected GXDLMSObject onFindObject(ObjectType type, int sn, String ln) {
        return null;
    }

    @Override
    protected AccessMode onGetAttributeAccess(ValueEventArgs request) {
        boolean isHidden = hidesRows && request.getTarget() == profile && request.getIndex() == 7;
        return isHidden ? AccessMode.NO_ACCESS : AccessMode.READ;
    }

    @Override
    protected MethodAccessMode onGetMethodAccess(ValueEventArgs request) {
        return MethodAccessMode.ACCESS;
    }

    @Override
    protected void onPreWrite(ValueEventArgs[] requests) {
        for (ValueEventArgs request : requests) request.setError(ErrorCode.READ_WRITE_DENIED);
    }

    @Override
    public void onPreGet(ValueEventArgs[] requests) {}

    @Override
    public void onPostGet(ValueEventArgs[] requests) {}

    @Override
    public void onPostRead(ValueEventArgs[] requests) {}

    @Override
    protected void onPostWrite(ValueEventArgs[] requests) {}

    @Override
    protected void onPreAction(ValueEventArgs[] requests) {}

    @Override
    protected void onPostAction(ValueEventArgs[] requests) {}

    @Override
    protected void onConnected(GXDLMSConnectionEventArgs info) {}

    @Override
    protected void onInvalidConnection(GXDLMSConnectionEventArgs info) {}

    @Override
    protected void onDisconnected(GXDLMSConnectionEventArgs info) {}

    private static byte[] hex(String text) {
        byte[] bytes = new byte[text.length() / 2];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
        return bytes;
    }

    public static void main(String[] args) throws Exception {
        // The library's messages must not appear between the frames.
        OutputStream line = System.out;
        System.setOut(System.err);
        // The library logs each message that it can't decipher, which some cases cause on purpose.
        LogManager.getLogManager().reset();
        Map<String, String> options = new HashMap<>();
        for (String arg : args) options.put(arg.split("=")[0], arg.split("=")[1]);
        GXDLMSHdlcSetup hdlc = new GXDLMSHdlcSetup();
        int information = Integer.parseInt(options.getOrDefault("info", "128"));
        hdlc.setMaximumInfoLengthReceive(information);
        hdlc.setMaximumInfoLengthTransmit(information);
        int window = Integer.parseInt(options.getOrDefault("window", "1"));
        hdlc.setWindowSizeReceive(window);
        hdlc.setWindowSizeTransmit(window);
        ServeMeter meter = new ServeMeter(options, hdlc);
        InputStream input = System.in;
        line.write(READY);
        line.flush();
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int count = input.read(buffer); count > 0; count = input.read(buffer)) {
            GXServerReply reply = new GXServerReply(Arrays.copyOf(buffer, count));
            do {
                meter.handleRequest(reply);
                if (reply.getReply() != null) line.write(reply.getReply());
                reply.setData(null);
            } while (reply.isStreaming());
            line.flush();
        }
    }
}
