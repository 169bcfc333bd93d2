import com.jayway.jsonpath.JsonPath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints the results of openHAB's transformations for a file of JSON, one line each: JSONPATH:… or REGEX:…. As in
 * openHAB, a list of one item stands for that item, an empty list is NULL, and a text that does not match gives none.
 */
class ReadPaths {
	public static void main(String[] args) throws Exception {
		String json = Files.readString(Path.of(args[0]));
		for (int i = 1; i < args.length; i++) {
			int colon = args[i].indexOf(':');
			String expression = args[i].substring(colon + 1);
			System.out.println(args[i].startsWith("REGEX") ? match(expression, json) : read(expression, json));
		}
	}

	private static Object read(String expression, String json) {
		Object found = JsonPath.read(json, expression);
		if (!(found instanceof List)) return found;
		List<?> list = (List<?>) found;
		return list.isEmpty() ? "NULL" : list.size() == 1 ? list.get(0).toString() : list;
	}

	private static String match(String expression, String text) {
		Matcher matcher = Pattern.compile("^" + expression + "$", Pattern.DOTALL).matcher(text.trim());
		return matcher.matches() ? matcher.group(1) : null;
	}
}
