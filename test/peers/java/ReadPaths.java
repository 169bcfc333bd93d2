import com.jayway.jsonpath.JsonPath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Prints what JSONPath expressions find in a file of JSON, a line for each: as openHAB's transformation JSONPATH has it,
 * a list of one is that one.
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
