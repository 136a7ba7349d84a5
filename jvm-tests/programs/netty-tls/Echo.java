import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Netty: frames echoed over TLS by the JDK's engine; one handler throws, one client speaks no TLS. */
public final class Echo {
    private Echo() {}

    /** However slow the machine is: a handshake that took more than ten seconds would fail, and the client wait for answers. */
    private static SslHandler patient(SslHandler handler) {
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    public static void main(String[] args) throws Exception {
        X509Bundle certificate = new CertificateBuilder().subject("CN=localhost").setIsCertificateAuthority(true).buildSelfSigned();
        SslContext server = SslContextBuilder.forServer(certificate.toKeyManagerFactory()).sslProvider(SslProvider.JDK).build();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        Channel listening = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class).childHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(patient(server.newHandler(channel.alloc())), new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4),
                        new LengthFieldPrepender(4), new SimpleChannelInboundHandler<ByteBuf>() {
                            @Override
                            protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
                                if (frame.readableBytes() == 13) throw new IllegalArgumentException("unlucky");
                                context.writeAndFlush(frame.retain());
                            }

                            @Override
                            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                                if (cause instanceof IllegalArgumentException) context.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1}));
                                else context.close();
                            }
                        });
            }
        }).bind("localhost", 0).sync().channel();
        int port = ((InetSocketAddress) listening.localAddress()).getPort();
        for (String protocol : new String[] {"TLSv1.3", "TLSv1.2"}) {
            SslContext client = SslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE).sslProvider(SslProvider.JDK)
                    .protocols(protocol).build();
            BlockingQueue<Integer> answers = new LinkedBlockingQueue<>();
            Channel channel = new Bootstrap().group(group).channel(NioSocketChannel.class).handler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(patient(client.newHandler(channel.alloc(), "localhost", port)), new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4),
                            new LengthFieldPrepender(4), new SimpleChannelInboundHandler<ByteBuf>() {
                                @Override
                                protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
                                    answers.add(frame.readableBytes());
                                }
                            });
                }
            }).connect("localhost", port).sync().channel();
            long sum = 0;
            for (int i = 0; i < 60; i++) {
                channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[i * 40 % 907 + 1]));
                if (i % 10 == 0) channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[13]));
            }
            for (int i = 0; i < 66; i++) sum += answers.poll(500, TimeUnit.SECONDS);
            System.out.println(protocol + " " + sum);
            channel.close().sync();
        }
        Channel plain = new Bootstrap().group(group).channel(NioSocketChannel.class).handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {}
        }).connect("localhost", port).sync().channel();
        plain.writeAndFlush(Unpooled.wrappedBuffer("no TLS at all".getBytes()));
        System.out.println(plain.closeFuture().await(60, TimeUnit.SECONDS));
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
}
