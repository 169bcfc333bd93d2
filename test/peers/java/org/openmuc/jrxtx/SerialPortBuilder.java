package org.openmuc.jrxtx;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

/**
 * Replaces the builder of jRxTx, because that needs a native library that is in no public repository. It has the same
 * interface over a pseudo-terminal that is opened as a file. The speed is set by stty, so that the other side can see
 * it; a flush ends when a UART would have sent the last stop bit. Seven bits and parity are omitted, because a
 * pseudo-terminal has none.
 */
public final class SerialPortBuilder {
    private final String name;
    private int baudRate = 9600;

    private SerialPortBuilder(String name) {
        this.name = name;
    }

    public static SerialPortBuilder newBuilder(String portName) {
        return new SerialPortBuilder(portName);
    }

    public SerialPortBuilder setBaudRate(int baudRate) {
        this.baudRate = baudRate;
        return this;
    }

    public SerialPortBuilder setDataBits(DataBits dataBits) {
        return this;
    }

    public SerialPortBuilder setParity(Parity parity) {
        return this;
    }

    public SerialPortBuilder setStopBits(StopBits stopBits) {
        return this;
    }

    public SerialPortBuilder setFlowControl(FlowControl flowControl) {
        return this;
    }

    public SerialPort build() throws IOException {
        return new TerminalPort(name, baudRate);
    }

    private static final class TerminalPort implements SerialPort {
        private static final int BITS_PER_CHARACTER = 10;

        private final String name;
        private final FileInputStream input;
        private final FileOutputStream output;
        private int baudRate;
        private volatile int timeoutMs;
        private volatile boolean closed;

        TerminalPort(String name, int baudRate) throws IOException {
            this.name = name;
            setBaudRate(baudRate);
            input = new FileInputStream(name);
            output = new FileOutputStream(name);
        }

        @Override
        public InputStream getInputStream() {
            return new TerminalInput();
        }

        @Override
        public OutputStream getOutputStream() {
            return new TerminalOutput();
        }

        @Override
        public void setBaudRate(int baudRate) throws IOException {
            Process stty = new ProcessBuilder("stty", "-F", name, "raw", "-echo", Integer.toString(baudRate)).start();
            try {
                if (stty.waitFor() != 0) throw new IOException("stty could not set " + baudRate + " Bd on " + name);
            }
            catch (InterruptedException e) {
                throw new IOException(e);
            }
            this.baudRate = baudRate;
        }

        @Override
        public void close() throws IOException {
            closed = true;
            input.close();
            output.close();
        }

        @Override
        public int getBaudRate() {
            return baudRate;
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public String getPortName() {
            return name;
        }

        @Override
        public int getSerialPortTimeout() {
            return timeoutMs;
        }

        @Override
        public void setSerialPortTimeout(int timeoutMs) {
            this.timeoutMs = timeoutMs;
        }

        @Override
        public DataBits getDataBits() {
            return DataBits.DATABITS_7;
        }

        @Override
        public void setDataBits(DataBits dataBits) {
        }

        @Override
        public Parity getParity() {
            return Parity.EVEN;
        }

        @Override
        public void setParity(Parity parity) {
        }

        @Override
        public StopBits getStopBits() {
            return StopBits.STOPBITS_1;
        }

        @Override
        public void setStopBits(StopBits stopBits) {
        }

        @Override
        public FlowControl getFlowControl() {
            return FlowControl.NONE;
        }

        @Override
        public void setFlowControl(FlowControl flowControl) {
        }

        private static void pause(long ms) throws IOException {
            try {
                TimeUnit.MILLISECONDS.sleep(ms);
            }
            catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        private final class TerminalInput extends InputStream {
            @Override
            public int read() throws IOException {
                long startNs = System.nanoTime();
                while (input.available() == 0) {
                    if (closed) throw new IOException("closed");
                    if (timeoutMs > 0 && System.nanoTime() - startNs > timeoutMs * 1_000_000L) {
                        throw new IOException("nothing received for " + timeoutMs + " ms");
                    }
                    pause(1);
                }
                return input.read();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                if (length == 0) return 0;
                bytes[offset] = (byte) read();
                return 1;
            }

            @Override
            public int available() throws IOException {
                return input.available();
            }
        }

        private final class TerminalOutput extends OutputStream {
            private long quietNs = System.nanoTime();

            @Override
            public void write(int b) throws IOException {
                write(new byte[] { (byte) b }, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                output.write(bytes, offset, length);
                quietNs = Math.max(quietNs, System.nanoTime()) + length * BITS_PER_CHARACTER * 1_000_000_000L / baudRate;
            }

            @Override
            public void flush() throws IOException {
                pause(Math.max(0, (quietNs - System.nanoTime() + 999_999) / 1_000_000));
            }
        }
    }
}
