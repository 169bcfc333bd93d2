import com.jayway.jsonpath.JsonPath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Prints the results of JSONPath expressions for a file of JSON, one line each. As in openHAB's transformation
 * JSONPATH, a list of one item stands for that item.
 */
class ReadPaths {
	public static void main(String[] args) throws Exception {
		String json = Files.readString(Path.of(args[0]));
		for (int i = 1; i < args.length; i++) {
			Object found = JsonPath.read(json, args[i]);
			if (found instanceof List && ((List<?>) found).size() == 1) found = ((List<?>) found).get(0);
			System.out.println(found);
		}
	}
}
