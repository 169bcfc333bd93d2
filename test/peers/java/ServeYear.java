import gurux.dlms.GXByteBuffer;
import gurux.dlms.GXDateTime;
import gurux.dlms.GXServerReply;
import gurux.dlms.ValueEventArgs;
import gurux.dlms.enums.DataType;
import gurux.dlms.enums.ErrorCode;
import gurux.dlms.internal.GXCommon;
import gurux.dlms.internal.GXDataInfo;
import gurux.dlms.objects.GXDLMSClock;
import gurux.dlms.objects.GXDLMSHdlcSetup;
import gurux.dlms.objects.GXDLMSObject;
import gurux.dlms.objects.GXDLMSRegister;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.logging.LogManager;

/**
 * ServeMeter with a year of quarter hours in its load profile, whose time comes from the test. It makes the rows of a
 * range when a client asks for them. A row has clock, status, 1.8.0 (Wh) and 2.8.0 (0.001 Wh).
 *
 *   in    time (Unix ms, 8 bytes)   length (2 bytes)   what the meter receives
 *   out   length (4 bytes)   what it sends
 */
final class ServeYear extends ServeMeter {
    private static final int ROWS = 35_040;
    private static final long PERIOD_MS = 900_000;
    /** 2020-01-01T00:00:00Z. */
    private static final long BEGIN_MS = 1_577_836_800_000L;
    private static final String IMPORT = "1.0.1.8.0.255";
    private static final String EXPORT = "1.0.2.8.0.255";
    /** The test waits for each reply, so it can't end a server that does not reply. */
    private static final long LIMIT_MS = 300_000;

    private long nowMs;

    private ServeYear() {
        super(Map.of(), new GXDLMSHdlcSetup());
        profile.addCaptureObject(find(EXPORT), 2, 0);
        profile.clearBuffer();
        profile.setProfileEntries(ROWS);
        profile.setEntriesInUse(ROWS);
    }

    private GXDLMSObject find(String code) {
        for (GXDLMSObject item : getItems()) {
            if (item.getLogicalName().equals(code)) return item;
        }
        throw new IllegalArgumentException(code);
    }

    /** Counter at the end of the last quarter hour: Wh, of the export 0.001 Wh. */
    private static long counterAt(String code, long utcMs) {
        long quarters = (utcMs - BEGIN_MS) / PERIOD_MS;
        if (code.equals(IMPORT)) return 5_000_000 + 97 * quarters + quarters / 7 * 40;
        return (2_000_000 + 31 * quarters + quarters / 11 * 5) * 1000;
    }

    @Override
    public void onPreRead(ValueEventArgs[] requests) {
        super.onPreRead(requests);
        for (ValueEventArgs request : requests) {
            GXDLMSObject target = request.getTarget();
            String code = target.getLogicalName();
            if (request.getIndex() != 2) continue;
            if (target instanceof GXDLMSClock) ((GXDLMSClock) target).setTime(new GXDateTime(new Date(nowMs)));
            else if (target == profile && request.getSelector() == 1) addRows((List<?>) request.getParameters());
            else if (target == profile) request.setError(ErrorCode.READ_WRITE_DENIED);
            else if (code.equals(IMPORT) || code.equals(EXPORT)) request.setValue(counterAt(code, nowMs));
        }
    }

    /** Adds the rows of a range, from which the library selects. */
    private void addRows(List<?> range) {
        long last = nowMs / PERIOD_MS;
        long first = Math.max(last - ROWS + 1, momentOf(range.get(1)) / PERIOD_MS);
        profile.clearBuffer();
        for (long n = first; n <= Math.min(last, momentOf(range.get(2)) / PERIOD_MS); n++) {
            long ms = n * PERIOD_MS;
            profile.addRow(new Object[] {new GXDateTime(new Date(ms)), 0, counterAt(IMPORT, ms), counterAt(EXPORT, ms)});
        }
    }

    private long momentOf(Object bytes) {
        GXDataInfo info = new GXDataInfo();
        info.setType(DataType.DATETIME);
        Object time = GXCommon.getData(getSettings(), new GXByteBuffer((byte[]) bytes), info);
        return ((GXDateTime) time).getMeterCalendar().getTimeInMillis();
    }

    private byte[] answer(byte[] bytes) throws Exception {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        GXServerReply reply = new GXServerReply(bytes);
        do {
            handleRequest(reply);
            if (reply.getReply() != null) sent.write(reply.getReply());
            reply.setData(null);
        } while (reply.isStreaming());
        return sent.toByteArray();
    }

    private static void endLater() {
        try {
            Thread.sleep(LIMIT_MS);
        }
        catch (InterruptedException e) {
            return;
        }
        Runtime.getRuntime().halt(1);
    }

    public static void main(String[] args) throws Exception {
        DataOutputStream output = new DataOutputStream(System.out);
        System.setOut(System.err);
        LogManager.getLogManager().reset();
        Thread end = new Thread(ServeYear::endLater);
        end.setDaemon(true);
        end.start();
        ServeYear meter = new ServeYear();
        DataInputStream input = new DataInputStream(System.in);
        for (;;) {
            meter.nowMs = input.readLong();
            byte[] bytes = new byte[input.readUnsignedShort()];
            input.readFully(bytes);
            byte[] reply = meter.answer(bytes);
            output.writeInt(reply.length);
            output.write(reply);
            output.flush();
        }
    }
}
