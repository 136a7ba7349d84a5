import javax.jms.Connection;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.TextMessage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;

/** ActiveMQ: queues and topics, listeners that throw, transactions rolled back. */
public final class Broker {
    private Broker() {}

    public static void main(String[] args) throws Exception {
        BrokerService broker = new BrokerService();
        broker.setBrokerName("test");
        broker.setPersistent(false);
        broker.setUseJmx(false);
        String tcp = broker.addConnector("tcp://localhost:0").getConnectUri().toString();
        broker.start();
        for (String url : new String[] {"vm://test?create=false", tcp}) {
            ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url);
            Connection connection = factory.createConnection();
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("orders");
            MessageProducer producer = session.createProducer(queue);
            AtomicInteger length = new AtomicInteger();
            AtomicInteger again = new AtomicInteger();
            CountDownLatch done = new CountDownLatch(60);
            Session other = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            other.createConsumer(queue).setMessageListener((Message message) -> {
                try {
                    String text = ((TextMessage) message).getText();
                    if (text.endsWith("3") && !message.getJMSRedelivered()) throw new IllegalStateException("not yet");
                    if (message.getJMSRedelivered()) again.incrementAndGet();
                    length.addAndGet(text.length());
                    done.countDown();
                } catch (javax.jms.JMSException e) {
                    throw new AssertionError(e);
                }
            });
            for (int i = 0; i < 60; i++) producer.send(session.createTextMessage("order" + i));
            done.await();
            System.out.println(length + " " + again);
            Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageProducer sender = transacted.createProducer(transacted.createQueue("kept"));
            for (int i = 0; i < 10; i++) {
                sender.send(transacted.createTextMessage("t" + i));
                if (i % 2 == 0) transacted.rollback();
                else transacted.commit();
            }
            MessageConsumer consumer = session.createConsumer(session.createQueue("kept"));
            int kept = 0;
            while (consumer.receive(300) != null) kept++;
            System.out.println(kept);
            connection.close();
        }
        broker.stop();
    }
}
