/** hawkBit's update server without its page: the DDI for devices, and the management API. */
package peer;

import org.eclipse.hawkbit.autoconfigure.security.EnableHawkbitManagedSecurityConfiguration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
@EnableHawkbitManagedSecurityConfiguration
public class ServeHawkbit {
	public static void main(String[] args) {
		SpringApplication.run(ServeHawkbit.class, args);
	}
}
