import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.common.utils.Exit;

/** Runs Kafka's command line tools one after another in one JVM: a call in on stdin, its result out on stdout. */
public final class ToolServer {
    /** What a tool that wants to end the process gets instead. */
    private static final class Ended extends Error {
        private static final long serialVersionUID = 1L;

        Ended() {
            super("ended", null, false, false);
        }
    }

    /** A hook that waits for what will not come must not keep the next call waiting. */
    private static final long HOOK_MS_MAX = 5_000;

    private static final List<Runnable> hooks = Collections.synchronizedList(new ArrayList<>());
    private static volatile Integer exitCode;

    public static void main(String[] args) throws IOException {
        DataInputStream calls = new DataInputStream(System.in);
        DataOutputStream results = new DataOutputStream(System.out);
        Exit.setExitProcedure((code, message) -> end(code));
        Exit.setHaltProcedure((code, message) -> end(code));
        Exit.setShutdownHookAdder((name, hook) -> hooks.add(hook));
        while (true) {
            String mainClass;
            try {
                mainClass = text(calls);
            } catch (EOFException end) {
                System.exit(0);
                return;
            }
            String[] words = new String[calls.readInt()];
            for (int i = 0; i < words.length; i++) {
                words[i] = text(calls);
            }
            byte[] input = bytes(calls);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            int code = run(mainClass, words, new ByteArrayInputStream(input), out, err);
            results.writeInt(code);
            write(results, out);
            write(results, err);
            results.flush();
        }
    }

    private static void end(int code) {
        if (exitCode == null) {
            exitCode = code;
        }
        throw new Ended();
    }

    private static int run(
            String mainClass, String[] words, InputStream in, ByteArrayOutputStream out, ByteArrayOutputStream err) {
        exitCode = null;
        System.setIn(in);
        System.setOut(new PrintStream(out, true));
        System.setErr(new PrintStream(err, true));
        try {
            Class<?> tool = Class.forName(mainClass);
            forget(tool);
            tool.getMethod("main", String[].class).invoke(null, (Object) words);
        } catch (InvocationTargetException failed) {
            if (!(failed.getCause() instanceof Ended)) {
                System.err.print("Exception in thread \"main\" ");
                failed.getCause().printStackTrace();
                exitCode = exitCode == null ? 1 : exitCode;
            }
        } catch (ReflectiveOperationException wrong) {
            wrong.printStackTrace();
            exitCode = 1;
        }
        runHooks();
        System.out.flush();
        System.err.flush();
        return exitCode == null ? 0 : exitCode;
    }

    /** What a tool does when its process ends: the console producer closes its producer, which would live on here. */
    private static void runHooks() {
        for (Runnable hook : List.copyOf(hooks)) {
            Thread ending = new Thread(hook, "shutdown-hook");
            ending.setDaemon(true);
            ending.start();
            try {
                ending.join(HOOK_MS_MAX);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        hooks.clear();
    }

    /** The console consumer counts in a static field, which a process of its own would begin at 0. */
    private static void forget(Class<?> tool) throws ReflectiveOperationException {
        for (Field field : tool.getDeclaredFields()) {
            if (field.getName().equals("messageCount")) {
                field.setAccessible(true);
                field.set(null, 0);
            }
        }
    }

    private static String text(DataInputStream calls) throws IOException {
        return new String(bytes(calls), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(DataInputStream calls) throws IOException {
        byte[] value = new byte[calls.readInt()];
        calls.readFully(value);
        return value;
    }

    private static void write(DataOutputStream results, ByteArrayOutputStream value) throws IOException {
        // A copy: what a tool left running may still write, and a size that is not that of what follows it would have
        // the reader take log lines for sizes, and wait for ever.
        byte[] copy = value.toByteArray();
        results.writeInt(copy.length);
        results.write(copy);
    }
}
