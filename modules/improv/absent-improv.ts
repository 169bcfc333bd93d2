/** In the place of improv.ts in a firmware that can't be set by the console. */
export class Improv {
	close(): void {}
}
