import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.filter.BooleanExpression;
import org.apache.activemq.filter.MessageEvaluationContext;
import org.apache.activemq.filter.NonCachedMessageEvaluationContext;
import org.apache.activemq.selector.SelectorParser;

/**
 * Evaluates JMS selectors with Apache ActiveMQ.
 *
 * <p>Input lines: {@code S selector} registers a selector and is answered with {@code ok} or {@code refused};
 * {@code M name type value ...} is a message and is answered with a letter for each accepted selector: T, F, N for unknown, E
 * for an exception; {@code R rounds} evaluates all selectors on all messages so many times and is answered with the nanoseconds of
 * processor time of the fastest round. Texts are UTF-8 in hexadecimal with an {@code x} in front; types are l, d, s and b.
 */
public final class SelectorJudge {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.US_ASCII));
        List<BooleanExpression> selectors = new ArrayList<>();
        List<ActiveMQMessage> messages = new ArrayList<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split(" ");
            if (parts[0].equals("S")) {
                BooleanExpression selector = parsed(text(parts[1]));
                if (selector != null) {
                    selectors.add(selector);
                }
                out.write(selector == null ? "refused\n" : "ok\n");
            } else if (parts[0].equals("R")) {
                out.write(fastest(selectors, messages, Integer.parseInt(parts[1])) + "\n");
            } else {
                messages.add(message(parts));
                out.write(answers(selectors, messages.get(messages.size() - 1)));
                out.newLine();
            }
        }
        out.flush();
    }

    private static long fastest(List<BooleanExpression> selectors, List<ActiveMQMessage> messages, int rounds) throws Exception {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long begun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            for (ActiveMQMessage message : messages) {
                MessageEvaluationContext context = new NonCachedMessageEvaluationContext();
                context.setMessageReference(message);
                for (BooleanExpression selector : selectors) {
                    selector.matches(context);
                }
            }
            best = Math.min(best, ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begun);
        }
        return best;
    }

    private static BooleanExpression parsed(String selector) {
        try {
            return SelectorParser.parse(selector);
        } catch (Exception | Error refusal) {
            return null;
        }
    }

    private static String answers(List<BooleanExpression> selectors, ActiveMQMessage message) {
        MessageEvaluationContext context = new NonCachedMessageEvaluationContext();
        context.setMessageReference(message);
        StringBuilder answers = new StringBuilder();
        for (BooleanExpression selector : selectors) {
            try {
                Object answer = selector.evaluate(context);
                answers.append(answer == null ? 'N' : Boolean.TRUE.equals(answer) ? 'T' : 'F');
            } catch (Exception failure) {
                answers.append('E');
            }
        }
        return answers.toString();
    }

    private static ActiveMQMessage message(String[] parts) throws Exception {
        ActiveMQMessage message = new ActiveMQMessage();
        for (int place = 1; place < parts.length; place += 3) {
            String value = text(parts[place + 2]);
            Object typed;
            switch (parts[place + 1]) {
                case "l": typed = Long.valueOf(value); break;
                case "d": typed = Double.valueOf(value); break;
                case "b": typed = Boolean.valueOf(value); break;
                default: typed = value; break;
            }
            message.setObjectProperty(text(parts[place]), typed);
        }
        return message;
    }

    private static String text(String hexadecimal) {
        byte[] bytes = new byte[(hexadecimal.length() - 1) / 2];
        for (int place = 0; place < bytes.length; place++) {
            bytes[place] = (byte) Integer.parseInt(hexadecimal.substring(1 + 2 * place, 3 + 2 * place), 16);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
