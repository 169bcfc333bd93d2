/** Native functions of the Linux host: runner and system (system.c, storage.c). */
export class System {
	/** An environment setting; undefined if not set. */
	static setting(name: string): string | undefined {
		return native("xs_system_setting").call(this, name);
	}
	/** Throws an Error with a message for the user. */
	static readFile(path: string): ArrayBuffer {
		return native("xs_system_read_file").call(this, path);
	}
	/** Prints a line on standard output. */
	static print(line: string): void {
		native("xs_system_print").call(this, line);
	}
	/** Prints a line on standard error. */
	static trace(line: string): void {
		native("xs_system_trace").call(this, line);
	}
	static exit(code: number): void {
		native("xs_system_exit").call(this, code);
	}
	/** Restarts the firmware with the clock at `utcMs` and the same ports. */
	static restart(utcMs: string, httpPort: string, httpsPort: string): void {
		native("xs_system_restart").call(this, utcMs, httpPort, httpsPort);
	}
	/**
	 * Restarts the program after `ms`, or earlier at the signal that presses the button. The clock is set to `utcMs` and
	 * continues during the sleep.
	 */
	static sleep(utcMs: string, httpPort: string, httpsPort: string, ms: number): void {
		native("xs_system_sleep").call(this, utcMs, httpPort, httpsPort, ms);
	}
	/** Calls `target.onButton(pressed)` after the runner's signal for the button. */
	static watchButton(target: object): void {
		native("xs_button_watch").call(this, target);
	}
	static monotonicMs(): number {
		return native("xs_system_monotonic").call(this);
	}
	/** Starts measuring the stack depth from here. Call once. */
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
