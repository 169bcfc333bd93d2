/** Script of the page that installs the firmware. */
import "esp-web-tools/dist/web/install-button.js";

const board = document.getElementById("board");
const installer = document.getElementById("installer");

function choose() {
	const { value, dataset } = board.selectedOptions[0];
	installer.manifest = new URL(value, location.href).href;
	document.getElementById("chip").textContent = `${dataset.chip}, ${dataset.flash} MB of flash`;
	document.getElementById("needs").textContent = dataset.needs;
}

board.addEventListener("change", choose);
// A fragment such as #esp32c3-devkitm selects a board.
const named = [...board.options].find((option) => `#${option.dataset.name}` === location.hash);
if (named !== undefined) board.value = named.value;
choose();
