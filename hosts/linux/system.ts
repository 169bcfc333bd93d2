/** Access to the runner and the system (system.c, storage.c, button.c). */
export class System {
	static setting(name: string): string | undefined {
		return native("xs_system_setting").call(this, name);
	}
	/** Throws an Error with a message for the user if the file cannot be read. */
	static readFile(path: string): ArrayBuffer {
		return native("xs_system_read_file").call(this, path);
	}
	static print(line: string): void {
		native("xs_system_print").call(this, line);
	}
	/** Prints the line when the gateway is in its network (`up`), at the latest after `limitMs`. */
	static ready(line: string, limitMs: number): void {
		native("xs_system_ready").call(this, line, limitMs);
	}
	/** Notes that the gateway is in its network. C keeps this, because XS has few slots. */
	static up(): void {
		native("xs_system_up").call(this);
	}
	static trace(line: string): void {
		native("xs_system_trace").call(this, line);
	}
	static exit(code: number): void {
		native("xs_system_exit").call(this, code);
	}
	/** Restarts the firmware. Its clock then starts at `utcMs`, and the ports stay the same. */
	static restart(utcMs: string, httpPort: string, httpsPort: string): void {
		native("xs_system_restart").call(this, utcMs, httpPort, httpsPort);
	}
	/**
	 * Restarts the firmware after `ms`, or earlier if the button's signal arrives. The clock is set to `utcMs` and
	 * continues during the sleep.
	 */
	static sleep(utcMs: string, httpPort: string, httpsPort: string, ms: number): void {
		native("xs_system_sleep").call(this, utcMs, httpPort, httpsPort, ms);
	}
	/** Calls `target.onButton(pressed)` when the runner gets the button's signal. */
	static watchButton(target: object): void {
		native("xs_button_watch").call(this, target);
	}
	static monotonicMs(): number {
		return native("xs_system_monotonic").call(this);
	}
	/** Begins to record how deep the stack gets. Call once. */
	static watchStack(): void {
		native("xs_system_watch_stack").call(this);
	}
	static getValue(folder: string, key: string): ArrayBuffer | undefined {
		return native("xs_storage_get").call(this, folder, key);
	}
	static setValue(folder: string, key: string, value: Uint8Array): void {
		native("xs_storage_set").call(this, folder, key, value);
	}
	static deleteValue(folder: string, key: string): void {
		native("xs_storage_delete").call(this, folder, key);
	}
}
