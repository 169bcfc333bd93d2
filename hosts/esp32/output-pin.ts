/** GPIOs as outputs (implemented in power.c). */
export class OutputPin {
	static set(pin: number, level: boolean): void {
		native("xs_power_output").call(this, pin, level);
	}
}
