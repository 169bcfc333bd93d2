/**
 * HiveMQ's broker, with the configuration in the folder of the first argument. It accepts the clients that have shown a
 * certificate, and prints a line for each session (common name, client) and each publication (topic, payload).
 */
package peer;

import com.hivemq.embedded.EmbeddedExtension;
import com.hivemq.embedded.EmbeddedHiveMQ;
import com.hivemq.extension.sdk.api.ExtensionMain;
import com.hivemq.extension.sdk.api.auth.SimpleAuthenticator;
import com.hivemq.extension.sdk.api.auth.parameter.SimpleAuthInput;
import com.hivemq.extension.sdk.api.auth.parameter.SimpleAuthOutput;
import com.hivemq.extension.sdk.api.interceptor.publish.PublishInboundInterceptor;
import com.hivemq.extension.sdk.api.packets.publish.PublishPacket;
import com.hivemq.extension.sdk.api.parameter.ExtensionStartInput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStartOutput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStopInput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStopOutput;
import com.hivemq.extension.sdk.api.services.Services;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Optional;

public class ServeHivemq implements ExtensionMain, SimpleAuthenticator {
	public static void main(String[] args) {
		Path folder = Path.of(args[0]);
		EmbeddedExtension extension = EmbeddedExtension.builder()
				.withId("peer").withName("peer").withVersion("1").withExtensionMain(new ServeHivemq()).build();
		EmbeddedHiveMQ broker = EmbeddedHiveMQ.builder()
				.withConfigurationFolder(folder).withDataFolder(folder.resolve("data"))
				.withExtensionsFolder(folder.resolve("extensions")).withEmbeddedExtension(extension).build();
		broker.start().join();
		print("ready");
	}

	@Override
	public void extensionStart(ExtensionStartInput input, ExtensionStartOutput output) {
		Services.securityRegistry().setAuthenticatorProvider(provided -> this);
		PublishInboundInterceptor published = (in, out) -> {
			PublishPacket packet = in.getPublishPacket();
			String payload = packet.getPayload().map(bytes -> StandardCharsets.UTF_8.decode(bytes).toString()).orElse("");
			print("published " + packet.getTopic() + " " + payload);
		};
		Services.initializerRegistry().setClientInitializer((in, context) -> context.addPublishInboundInterceptor(published));
	}

	@Override
	public void extensionStop(ExtensionStopInput input, ExtensionStopOutput output) {}

	@Override
	public void onConnect(SimpleAuthInput input, SimpleAuthOutput output) {
		Optional<X509Certificate> shown =
				input.getConnectionInformation().getClientTlsInformation().flatMap(tls -> tls.getClientCertificate());
		if (shown.isEmpty()) {
			output.failAuthentication();
			return;
		}
		print("session " + shown.get().getSubjectX500Principal().getName() + " "
				+ input.getClientInformation().getClientId());
		output.authenticateSuccessfully();
	}

	private static void print(String line) {
		System.out.println("> " + line);
	}
}
