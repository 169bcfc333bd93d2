/** Style sheets, which Vite imports as text. */
declare module "*.css?inline" {
	const style: string;
	export default style;
}
