/**
 * Names of the parts and meter protocols that this firmware was built without (tools/sdk/omissions.ts), separated by
 * blanks. The build of such a firmware replaces this file. In a full firmware the text is empty, and code behind
 * `WITHOUT !== ""` is dropped.
 */
export const WITHOUT: string = "";
