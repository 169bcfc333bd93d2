/** Values that survive when this tab is reloaded after a restart of the gateway. */

export function keep(name: string, value: object): void {
	sessionStorage.setItem(name, JSON.stringify(value));
}

export function kept<T>(name: string): T | undefined {
	return JSON.parse(sessionStorage.getItem(name) ?? "null") ?? undefined;
}

export function forget(name: string): void {
	sessionStorage.removeItem(name);
}
