import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openmuc.j62056.DataMessage;
import org.openmuc.j62056.DataSet;
import org.openmuc.j62056.Iec21Port;
import org.openmuc.j62056.ModeDListener;

/**
 * Reads a meter once with OpenMUC's j62056, and prints tab-separated lines: `ident maker meter enhanced`, then
 * `set address value unit` for each data set. Any error is an exception, with exit code 1.
 *
 *   ReadMeter PATH read [ADDRESS]     modes A, B and C
 *   ReadMeter PATH listen BAUD        the next whole push of mode D
 */
public final class ReadMeter {
    private static final int TIMEOUT_MS = 4000;
    private static final int PUSH_TIMEOUT_S = 20;

    public static void main(String[] args) throws Exception {
        boolean isRead = args[1].equals("read");
        Iec21Port.Builder builder = new Iec21Port.Builder(args[0]).setTimeout(TIMEOUT_MS);
        if (isRead && args.length > 2) builder.setDeviceAddress(args[2]);
        if (!isRead) builder.setInitialBaudrate(Integer.parseInt(args[2]));
        Iec21Port port = builder.buildAndOpen();
        try {
            print(isRead ? port.read() : listen(port));
        }
        finally {
            port.close();
        }
        System.exit(0);
    }

    private static DataMessage listen(Iec21Port port) throws Exception {
        CountDownLatch received = new CountDownLatch(1);
        DataMessage[] first = new DataMessage[1];
        port.listen(new ModeDListener() {
            @Override
            public void newDataMessage(DataMessage message) {
                first[0] = message;
                received.countDown();
            }

            @Override
            public void exceptionWhileListening(Exception e) {
                // The first received bytes may be the end of a push; the reader waits for the next push.
            }
        });
        if (!received.await(PUSH_TIMEOUT_S, TimeUnit.SECONDS)) throw new Exception("no push in " + PUSH_TIMEOUT_S + " s");
        return first[0];
    }

    private static void print(DataMessage message) {
        System.out.println("ident\t" + message.getManufacturerId() + "\t" + message.getMeterId() + "\t" + message.getEnhancedId());
        for (DataSet set : message.getDataSets()) {
            System.out.println("set\t" + set.getAddress() + "\t" + set.getValue() + "\t" + set.getUnit());
        }
    }
}
