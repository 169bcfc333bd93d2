/**
 * Parts and meter protocols that this firmware was built without: their names (tools/sdk/omissions.ts), separated by
 * blanks. The build of such a firmware replaces this file. In a full firmware the text is empty, and code behind
 * `WITHOUT !== ""` is left out of the script.
 */
export const WITHOUT: string = "";
