import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** gRPC without generated code: unary calls, a stream from the server, one in both directions. */
public final class Calls {
    private static final MethodDescriptor.Marshaller<String> TEXT = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private Calls() {}

    private static MethodDescriptor<String, String> method(String name, MethodType type) {
        return MethodDescriptor.<String, String>newBuilder(TEXT, TEXT).setFullMethodName("shop.Orders/" + name).setType(type).build();
    }

    public static void main(String[] args) throws Exception {
        MethodDescriptor<String, String> one = method("One", MethodType.UNARY);
        MethodDescriptor<String, String> many = method("Many", MethodType.SERVER_STREAMING);
        MethodDescriptor<String, String> both = method("Both", MethodType.BIDI_STREAMING);
        ServerServiceDefinition service = ServerServiceDefinition.builder("shop.Orders")
                .addMethod(one, ServerCalls.asyncUnaryCall((String request, StreamObserver<String> answer) -> {
                    if (request.endsWith("7")) throw Status.INVALID_ARGUMENT.withDescription(request).asRuntimeException();
                    if (request.equals("late")) return;
                    answer.onNext(request.toUpperCase());
                    answer.onCompleted();
                })).addMethod(many, ServerCalls.asyncServerStreamingCall((String request, StreamObserver<String> answer) -> {
                    for (int i = 0; i < 50; i++) answer.onNext(request + i);
                    answer.onCompleted();
                })).addMethod(both, ServerCalls.asyncBidiStreamingCall((StreamObserver<String> answer) -> new StreamObserver<String>() {
                    @Override
                    public void onNext(String value) {
                        answer.onNext(value + value);
                    }

                    @Override
                    public void onError(Throwable t) {}

                    @Override
                    public void onCompleted() {
                        answer.onCompleted();
                    }
                })).build();
        Server server = ServerBuilder.forPort(0).addService(service).build().start();
        ManagedChannel channel = ManagedChannelBuilder.forAddress("localhost", server.getPort()).usePlaintext().build();
        int refused = 0;
        int length = 0;
        for (int i = 0; i < 100; i++) {
            try {
                length += ClientCalls.blockingUnaryCall(channel, one, CallOptions.DEFAULT, "order" + i).length();
            } catch (StatusRuntimeException e) {
                refused++;
            }
        }
        System.out.println(length + " " + refused);
        Iterator<String> answers = ClientCalls.blockingServerStreamingCall(channel, many, CallOptions.DEFAULT, "n");
        int count = 0;
        while (answers.hasNext()) count += answers.next().length();
        System.out.println(count);
        CountDownLatch done = new CountDownLatch(1);
        int[] sum = {0};
        StreamObserver<String> to = ClientCalls.asyncBidiStreamingCall(channel.newCall(both, CallOptions.DEFAULT), new StreamObserver<String>() {
            @Override
            public void onNext(String value) {
                sum[0] += value.length();
            }

            @Override
            public void onError(Throwable t) {
                done.countDown();
            }

            @Override
            public void onCompleted() {
                done.countDown();
            }
        });
        for (int i = 0; i < 60; i++) to.onNext("x" + i);
        to.onCompleted();
        done.await();
        System.out.println(sum[0]);
        try {
            ClientCalls.blockingUnaryCall(channel, one, CallOptions.DEFAULT.withDeadlineAfter(100, TimeUnit.MILLISECONDS), "late");
        } catch (StatusRuntimeException e) {
            System.out.println(e.getStatus().getCode());
        }
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
}
