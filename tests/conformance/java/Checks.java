import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The Java client's round: every public check* method of the classes below. Arguments: BOOTSTRAP PREFIX [CHECK...]. */
public final class Checks {
    private static final List<Class<? extends Check>> SUITES =
        List.of(ProducerChecks.class, ConsumerChecks.class, AdminChecks.class);

    public static void main(String[] args) throws Exception {
        Set<String> wanted = Set.copyOf(Arrays.asList(args).subList(2, args.length));
        for (Class<? extends Check> suite : SUITES) {
            try (Check checks = suite.getConstructor(String.class, String.class).newInstance(args[0], args[1])) {
                Method[] methods = suite.getDeclaredMethods();
                Arrays.sort(methods, (one, other) -> one.getName().compareTo(other.getName()));
                for (Method method : methods) {
                    if (method.getName().startsWith("check") && (wanted.isEmpty() || wanted.contains(method.getName()))) {
                        run(checks, method);
                    }
                }
            }
        }
        System.exit(0);
    }

    static void run(Check checks, Method method) throws IllegalAccessException {
        try {
            method.invoke(checks);
            System.out.println("PASS " + method.getName());
        } catch (InvocationTargetException failed) {
            StringWriter trace = new StringWriter();
            failed.getCause().printStackTrace(new PrintWriter(trace));
            String text = trace.toString().replace("\n", " | ");
            System.out.println("FAIL " + method.getName() + " " + text.substring(0, Math.min(1500, text.length())));
        }
    }
}
