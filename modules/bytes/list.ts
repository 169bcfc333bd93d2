/**
 * Takes the item at `index` out of the list, which closes up; returns it. Nothing happens where there is none, as at -1. In
 * place of `splice` and `shift`, for which the engine has 3.5 KB.
 */
export function takeOut<Item>(list: Item[], index: number): Item | undefined {
	if (index < 0 || index >= list.length) return undefined;
	const item = list[index];
	for (let i = index + 1; i < list.length; i++) list[i - 1] = list[i];
	list.length--;
	return item;
}
